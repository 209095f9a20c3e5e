using System.Buffers;
using System.Globalization;
using System.Text;

namespace Ioxide.Pg;

/// <summary>Prints and reads shapes as the server does.</summary>
internal static class GeometryText
{
    private static readonly SearchValues<byte> s_brackets = SearchValues.Create("()[]{}<>, "u8);

    internal static void Write(scoped ReadOnlySpan<byte> wire, PgTypeKind kind, ref Utf8Sink sink)
    {
        switch (kind)
        {
            case PgTypeKind.Point:
                WriteFixed(wire, PgTypeId.Point, "(n,n)"u8, ref sink);
                break;
            case PgTypeKind.Line:
                WriteFixed(wire, PgTypeId.Line, "{n,n,n}"u8, ref sink);
                break;
            case PgTypeKind.LineSegment:
                WriteFixed(wire, PgTypeId.LineSegment, "[(n,n),(n,n)]"u8, ref sink);
                break;
            case PgTypeKind.Box:
                WriteFixed(wire, PgTypeId.Box, "(n,n),(n,n)"u8, ref sink);
                break;
            case PgTypeKind.Circle:
                WriteFixed(wire, PgTypeId.Circle, "<(n,n),n>"u8, ref sink);
                break;
            case PgTypeKind.Path:
                bool isClosed = PointsWire.TakeClosed(ref wire);
                WritePoints(wire, PgTypeId.Path, isClosed ? '(' : '[', isClosed ? ')' : ']', ref sink);
                break;
            default:
                WritePoints(wire, PgTypeId.Polygon, '(', ')', ref sink);
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

    internal static string Print<T>(T shape)
        where T : unmanaged
        => Print(PgCodecs<T>.Instance.TypeId, PgCodecs<T>.Instance, shape);

    internal static string Print<T>(uint typeId, PgCodec<T> codec, T shape)
    {
        byte[] wire = new byte[codec.Measure(shape)];
        codec.Write(shape, wire);
        var sink = new Utf8Sink(stackalloc byte[256]);
        Write(wire, PgTypeTable.KindOf(typeId), ref sink);
        string text = Encoding.ASCII.GetString(sink.Written);
        sink.Dispose();
        return text;
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
