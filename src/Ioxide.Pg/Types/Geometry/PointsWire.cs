using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>The wire form that <c>path</c> and <c>polygon</c> share: a count, then points.</summary>
internal static class PointsWire
{
    private const int PointBytes = 2 * sizeof(double);

    internal static int Measure(ReadOnlySpan<PgPoint> points) => sizeof(int) + points.Length * PointBytes;

    internal static void Write(ReadOnlySpan<PgPoint> points, Span<byte> destination)
    {
        BinaryPrimitives.WriteInt32BigEndian(destination, points.Length);
        for (int index = 0; index < points.Length; index++)
        {
            ShapeCodecs.Point.Write(points[index], destination.Slice(sizeof(int) + index * PointBytes, PointBytes));
        }
    }

    /// <summary>Reads the first byte of a <c>path</c>: whether it is closed.</summary>
    internal static bool TakeClosed(ref ReadOnlySpan<byte> bytes)
    {
        var reader = new FieldReader(bytes, PgTypeId.Path);
        bool isClosed = reader.ReadByte() != 0;
        bytes = reader.Rest;
        return isClosed;
    }

    internal static PgPoint[] Read(ReadOnlySpan<byte> bytes, uint typeId)
    {
        var points = new PgPoint[Open(ref bytes, typeId)];
        for (int index = 0; index < points.Length; index++)
        {
            points[index] = ShapeCodecs.Point.Read(new PgField(bytes.Slice(index * PointBytes, PointBytes), PgTypeId.Point, PgFormat.Binary));
        }

        return points;
    }

    /// <summary>Checks that the number of points matches the count.</summary>
    /// <returns>The number of points.</returns>
    internal static int Open(ref ReadOnlySpan<byte> bytes, uint typeId)
    {
        var reader = new FieldReader(bytes, typeId);
        int count = reader.ReadInt32();
        if (count < 0 || reader.Rest.Length != (long)count * PointBytes)
        {
            TypeErrors.ThrowMalformed(typeId, "its count of points does not fit its length");
        }

        bytes = reader.Rest;
        return count;
    }

    internal static bool TryParse(ReadOnlySpan<byte> text, out PgPoint[] points)
    {
        points = [];
        double[] numbers = new double[text.Length / 2 + 1];
        if (!GeometryText.TryParse(text, numbers, out int count) || count % 2 != 0)
        {
            return false;
        }

        points = new PgPoint[count / 2];
        for (int index = 0; index < points.Length; index++)
        {
            points[index] = new PgPoint(numbers[2 * index], numbers[2 * index + 1]);
        }

        return true;
    }
}
