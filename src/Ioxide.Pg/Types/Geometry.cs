using System.Buffers;
using System.Buffers.Binary;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ioxide.Pg;

/// <summary>A <c>point</c>.</summary>
/// <param name="X">The first coordinate.</param>
/// <param name="Y">The second coordinate.</param>
public readonly record struct PgPoint(double X, double Y)
{
    /// <summary>Returns the server's text: <c>(1,2)</c>.</summary>
    public override string ToString() => FieldText.Print(ShapeCodecs.Point, this);
}

/// <summary>An infinite <c>line</c>: all points where A x + B y + C = 0.</summary>
/// <param name="A">Factor of x.</param>
/// <param name="B">Factor of y.</param>
/// <param name="C">The constant.</param>
public readonly record struct PgLine(double A, double B, double C)
{
    /// <summary>Returns the server's text: <c>{1,2,3}</c>.</summary>
    public override string ToString() => FieldText.Print(ShapeCodecs.Line, this);
}

/// <summary>An <c>lseg</c>: a line segment.</summary>
/// <param name="Start">One end.</param>
/// <param name="End">The other end.</param>
public readonly record struct PgLineSegment(PgPoint Start, PgPoint End)
{
    /// <summary>Returns the server's text: <c>[(1,2),(3,4)]</c>.</summary>
    public override string ToString() => FieldText.Print(ShapeCodecs.LineSegment, this);
}

/// <summary>A <c>box</c>. The server orders its corners.</summary>
/// <param name="UpperRight">The corner with the larger coordinates.</param>
/// <param name="LowerLeft">The corner with the smaller coordinates.</param>
public readonly record struct PgBox(PgPoint UpperRight, PgPoint LowerLeft)
{
    /// <summary>Returns the server's text: <c>(3,4),(1,2)</c>.</summary>
    public override string ToString() => FieldText.Print(ShapeCodecs.Box, this);
}

/// <summary>A <c>circle</c>.</summary>
/// <param name="Center">Its centre.</param>
/// <param name="Radius">Its radius, not negative.</param>
public readonly record struct PgCircle(PgPoint Center, double Radius)
{
    /// <summary>Returns the server's text: <c>&lt;(1,2),3&gt;</c>.</summary>
    public override string ToString() => FieldText.Print(ShapeCodecs.Circle, this);
}

/// <summary>A <c>path</c>: a sequence of points.</summary>
public readonly struct PgPath : IEquatable<PgPath>
{
    private readonly PgPoint[]? _points;

    /// <param name="points">The points.</param>
    /// <param name="isClosed">Whether the last point is joined to the first.</param>
    public PgPath(PgPoint[] points, bool isClosed)
    {
        ArgumentNullException.ThrowIfNull(points);
        _points = points;
        IsClosed = isClosed;
    }

    /// <summary>Whether the last point is joined to the first.</summary>
    public bool IsClosed { get; }

    /// <summary>The points.</summary>
    public ReadOnlySpan<PgPoint> Points => _points;

    /// <summary>Whether two paths have the same points in the same order, and both are open or both closed.</summary>
    public static bool operator ==(PgPath left, PgPath right) => left.Equals(right);

    /// <summary>Whether two paths differ.</summary>
    public static bool operator !=(PgPath left, PgPath right) => !left.Equals(right);

    /// <inheritdoc/>
    public bool Equals(PgPath other) => Points.SequenceEqual(other.Points) && IsClosed == other.IsClosed;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is PgPath other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => Points.IsEmpty ? 0 : HashCode.Combine(Points.Length, Points[0], Points[^1]);

    /// <summary>Returns the server's text: <c>((1,2),(3,4))</c>.</summary>
    public override string ToString() => FieldText.Print(PgPathCodec.Instance, this);
}

/// <summary>A <c>polygon</c>: a sequence of corners.</summary>
public readonly struct PgPolygon : IEquatable<PgPolygon>
{
    private readonly PgPoint[]? _points;

    /// <param name="points">The corners.</param>
    public PgPolygon(params PgPoint[] points)
    {
        ArgumentNullException.ThrowIfNull(points);
        _points = points;
    }

    /// <summary>The corners.</summary>
    public ReadOnlySpan<PgPoint> Points => _points;

    /// <summary>Whether two polygons have the same corners in the same order.</summary>
    public static bool operator ==(PgPolygon left, PgPolygon right) => left.Equals(right);

    /// <summary>Whether two polygons differ in a corner.</summary>
    public static bool operator !=(PgPolygon left, PgPolygon right) => !left.Equals(right);

    /// <inheritdoc/>
    public bool Equals(PgPolygon other) => Points.SequenceEqual(other.Points);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is PgPolygon other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => Points.IsEmpty ? 0 : HashCode.Combine(Points.Length, Points[0], Points[^1]);

    /// <summary>Returns the server's text: <c>((1,2),(3,4))</c>.</summary>
    public override string ToString() => FieldText.Print(PgPolygonCodec.Instance, this);
}

/// <summary>The codecs of shapes of a fixed count of numbers.</summary>
internal static class ShapeCodecs
{
    internal static readonly ShapeCodec<PgPoint> Point = new(PgTypeId.Point);
    internal static readonly ShapeCodec<PgLine> Line = new(PgTypeId.Line);
    internal static readonly ShapeCodec<PgLineSegment> LineSegment = new(PgTypeId.LineSegment);
    internal static readonly ShapeCodec<PgBox> Box = new(PgTypeId.Box);
    internal static readonly ShapeCodec<PgCircle> Circle = new(PgTypeId.Circle);
}

/// <summary>Shapes of a fixed count of numbers: <c>point</c>, <c>line</c>, <c>lseg</c>, <c>box</c>, <c>circle</c>.</summary>
/// <typeparam name="T">A struct of doubles only, in the order of both the wire form and the text.</typeparam>
internal sealed class ShapeCodec<T>(uint typeId) : FixedCodec<T>(typeId, Unsafe.SizeOf<T>())
    where T : unmanaged
{
    public override void Write(T value, Span<byte> destination)
    {
        foreach (double number in NumbersOf(ref value))
        {
            BinaryPrimitives.WriteDoubleBigEndian(destination, number);
            destination = destination[sizeof(double)..];
        }
    }

    internal override T ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        CheckLength(bytes, LengthBytes, typeId);
        T value = default;
        foreach (ref double number in NumbersOf(ref value))
        {
            number = BinaryPrimitives.ReadDoubleBigEndian(bytes);
            bytes = bytes[sizeof(double)..];
        }

        return value;
    }

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out T value)
    {
        value = default;
        Span<double> numbers = NumbersOf(ref value);
        return GeometryText.TryParse(text, numbers, out int count) && count == numbers.Length;
    }

    private static Span<double> NumbersOf(ref T value) => MemoryMarshal.Cast<T, double>(new Span<T>(ref value));
}

/// <summary><c>path</c>.</summary>
internal sealed class PgPathCodec() : BuiltInCodec<PgPath>(PgTypeId.Path)
{
    internal static readonly PgPathCodec Instance = new();

    public override int Measure(PgPath value) => 1 + PointsWire.Measure(value.Points);

    public override void Write(PgPath value, Span<byte> destination)
    {
        destination[0] = value.IsClosed ? (byte)1 : (byte)0;
        PointsWire.Write(value.Points, destination[1..]);
    }

    internal override PgPath ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        bool isClosed = PointsWire.TakeClosed(ref bytes);
        return new PgPath(PointsWire.Read(bytes, typeId), isClosed);
    }

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgPath value)
    {
        bool isShape = PointsWire.TryParse(text, out PgPoint[] points);
        value = new PgPath(points, text is not [(byte)'[', ..]);
        return isShape;
    }
}

/// <summary><c>polygon</c>.</summary>
internal sealed class PgPolygonCodec() : BuiltInCodec<PgPolygon>(PgTypeId.Polygon)
{
    internal static readonly PgPolygonCodec Instance = new();

    public override int Measure(PgPolygon value) => PointsWire.Measure(value.Points);

    public override void Write(PgPolygon value, Span<byte> destination) => PointsWire.Write(value.Points, destination);

    internal override PgPolygon ReadBinary(ReadOnlySpan<byte> bytes, uint typeId) => new(PointsWire.Read(bytes, typeId));

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgPolygon value)
    {
        bool isShape = PointsWire.TryParse(text, out PgPoint[] points);
        value = new PgPolygon(points);
        return isShape;
    }
}

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

/// <summary>Prints and reads shapes as the server does.</summary>
internal static class GeometryText
{
    private static readonly SearchValues<byte> s_brackets = SearchValues.Create("()[]{}<>, "u8);

    internal static void Write(scoped ReadOnlySpan<byte> wire, uint typeId, ref Utf8Sink sink)
    {
        switch (typeId)
        {
            case PgTypeId.Path:
                bool isClosed = PointsWire.TakeClosed(ref wire);
                WritePoints(wire, typeId, isClosed ? '(' : '[', isClosed ? ')' : ']', ref sink);
                break;
            case PgTypeId.Polygon:
                WritePoints(wire, typeId, '(', ')', ref sink);
                break;
            default:
                ReadOnlySpan<byte> pattern = typeId switch
                {
                    PgTypeId.Point => "(n,n)"u8,
                    PgTypeId.Line => "{n,n,n}"u8,
                    PgTypeId.LineSegment => "[(n,n),(n,n)]"u8,
                    PgTypeId.Box => "(n,n),(n,n)"u8,
                    _ => "<(n,n),n>"u8, // A circle.
                };
                WriteFixed(wire, typeId, pattern, ref sink);
                break;
        }
    }

    /// <summary>Extracts the numbers from the text of any shape.</summary>
    internal static bool TryParse(ReadOnlySpan<byte> text, Span<double> numbers, out int count)
    {
        count = 0;
        while (true)
        {
            int start = text.IndexOfAnyExcept(s_brackets);
            if (start < 0)
            {
                return true;
            }

            text = text[start..];
            int length = text.IndexOfAny(s_brackets);
            length = length < 0 ? text.Length : length;
            if (count == numbers.Length
                || !double.TryParse(text[..length], NumberStyles.Float, CultureInfo.InvariantCulture, out numbers[count]))
            {
                return false;
            }

            count++;
            text = text[length..];
        }
    }

    /// <param name="wire">The numbers in wire form.</param>
    /// <param name="typeId">The type, for error messages.</param>
    /// <param name="pattern">The pattern to print; an n stands for the next number.</param>
    /// <param name="sink">The destination.</param>
    private static void WriteFixed(scoped ReadOnlySpan<byte> wire, uint typeId, scoped ReadOnlySpan<byte> pattern, ref Utf8Sink sink)
    {
        var reader = new FieldReader(wire, typeId);
        foreach (byte character in pattern)
        {
            if (character == 'n')
            {
                FloatText.Write(reader.ReadDouble(), ref sink);
            }
            else
            {
                sink.Write(character);
            }
        }

        reader.End();
    }

    private static void WritePoints(scoped ReadOnlySpan<byte> wire, uint typeId, char open, char close, ref Utf8Sink sink)
    {
        int count = PointsWire.Open(ref wire, typeId);
        sink.Write(open);
        for (int index = 0; index < count; index++)
        {
            sink.Write(index == 0 ? [] : ","u8);
            WriteFixed(wire.Slice(index * 16, 16), PgTypeId.Point, "(n,n)"u8, ref sink);
        }

        sink.Write(close);
    }
}
