using System.Buffers;
using System.Text;

namespace Ioxide.Pg;

/// <summary>Prints a field as psql does, with <c>DateStyle = ISO</c> and the time zone UTC.</summary>
/// <remarks>
/// Arrays consist of ranges or scalars, ranges of scalars: three layers that only call lower ones. OIDs of objects
/// (<c>regclass</c>) are printed as numbers, because their names are the server's. NULL prints nothing.
/// </remarks>
internal static class FieldText
{
    private const int ScratchBytes = 256;

    internal static void Write(scoped PgField field, ref Utf8Sink sink)
    {
        if (field.Format == PgFormat.Binary && PgTypeTable.KindOf(field.TypeId) == PgTypeKind.Array && !field.IsNull)
        {
            ArrayText.Write(field, ref sink);
            return;
        }

        WriteElement(field, ref sink);
    }

    /// <summary>The text of a value that is not in a field.</summary>
    internal static string Print<T>(PgCodec<T> codec, T value)
    {
        var sink = new Utf8Sink(stackalloc byte[ScratchBytes]);
        codec.WriteText(value, ref sink);
        string text = Encoding.ASCII.GetString(sink.Written);
        sink.Dispose();
        return text;
    }

    /// <summary>Prints a type that an array can consist of.</summary>
    internal static void WriteElement(scoped PgField field, ref Utf8Sink sink)
    {
        if (field.IsNull)
        {
            return;
        }

        if (field.Format == PgFormat.Text)
        {
            sink.Write(field.Bytes);
            return;
        }

        switch (PgTypeTable.KindOf(field.TypeId))
        {
            case PgTypeKind.Range:
                RangeText.Write(field.Bytes, field.TypeId, ref sink);
                break;
            case PgTypeKind.MultiRange:
                RangeText.WriteMulti(field.Bytes, field.TypeId, ref sink);
                break;
            default:
                WriteScalar(field, ref sink);
                break;
        }
    }

    /// <summary>Prints a binary scalar.</summary>
    internal static void WriteScalar(scoped PgField field, ref Utf8Sink sink)
    {
        ReadOnlySpan<byte> bytes = field.Bytes;
        switch (PgTypeTable.KindOf(field.TypeId))
        {
            case PgTypeKind.Bool:
                sink.Write(BoolCodec.Instance.Read(field) ? 't' : 'f');
                break;
            case PgTypeKind.Int2 or PgTypeKind.Int4 or PgTypeKind.Int8 or PgTypeKind.Oid:
                sink.WriteFormatted(IntegerCodecs.Int64.Read(field));
                break;
            case PgTypeKind.UInt8:
                sink.WriteFormatted(IntegerCodecs.UInt64.Read(field));
                break;
            case PgTypeKind.Float4:
                FloatText.Write(FloatCodecs.Single.Read(field), ref sink);
                break;
            case PgTypeKind.Float8:
                FloatText.Write(FloatCodecs.Double.Read(field), ref sink);
                break;
            case PgTypeKind.Numeric:
                NumericText.Write(new NumericView(bytes), ref sink);
                break;
            case PgTypeKind.Text or PgTypeKind.Json:
                sink.Write(bytes);
                break;
            case PgTypeKind.Jsonb:
                sink.Write(JsonElementCodec.StripVersion(bytes));
                break;
            case PgTypeKind.Date or PgTypeKind.Time or PgTypeKind.TimeTz or PgTypeKind.Timestamp or PgTypeKind.TimestampTz or PgTypeKind.Interval:
                WriteMoment(field, ref sink);
                break;
            default:
                WriteOther(field, ref sink);
                break;
        }
    }

    /// <summary>Writes a parameter as text, whatever form its codec writes.</summary>
    internal static void WriteParameter<T>(PgCodec<T> codec, T value, ref Utf8Sink sink)
    {
        int length = codec.Measure(value);
        if (codec.ParameterFormat == PgFormat.Text)
        {
            codec.Write(value, sink.Room(length)[..length]);
            sink.Advance(length);
            return;
        }

        byte[]? rented = length > ScratchBytes ? ArrayPool<byte>.Shared.Rent(length) : null;
        Span<byte> wire = (rented ?? stackalloc byte[ScratchBytes])[..length];
        codec.Write(value, wire);
        uint typeId = codec.TypeIdOf(value);
        Write(new PgField(wire, typeId, typeId == 0 ? PgFormat.Text : PgFormat.Binary), ref sink);
        if (rented is not null)
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    private static void WriteMoment(scoped PgField field, ref Utf8Sink sink)
    {
        switch (PgTypeTable.KindOf(field.TypeId))
        {
            case PgTypeKind.Date:
                DateTimeText.WriteDate(PgDateCodec.Instance.Read(field).Days, ref sink);
                break;
            case PgTypeKind.Time:
                DateTimeText.WriteTime(TimestampWire.Read(field.Bytes, field.TypeId), ref sink);
                break;
            case PgTypeKind.TimeTz:
                PgTimeTz time = PgTimeTzCodec.Instance.ReadBinary(field.Bytes, field.TypeId);
                DateTimeText.WriteTime(time.Microseconds, ref sink);
                DateTimeText.WriteOffset(time.OffsetSeconds, ref sink);
                break;
            case PgTypeKind.Timestamp:
                DateTimeText.WriteTimestamp(TimestampWire.Read(field.Bytes, field.TypeId), ' ', [], ref sink);
                break;
            case PgTypeKind.TimestampTz:
                DateTimeText.WriteTimestamp(TimestampWire.Read(field.Bytes, field.TypeId), ' ', "+00"u8, ref sink);
                break;
            default:
                IntervalText.Write(PgIntervalCodec.Instance.ReadBinary(field.Bytes, field.TypeId), ref sink);
                break;
        }
    }

    private static void WriteOther(scoped PgField field, ref Utf8Sink sink)
    {
        switch (PgTypeTable.KindOf(field.TypeId))
        {
            case PgTypeKind.Uuid:
                sink.WriteFormatted(GuidCodec.Instance.Read(field));
                break;
            case PgTypeKind.Money:
                MoneyText.Write(TimestampWire.Read(field.Bytes, field.TypeId), ref sink);
                break;
            case PgTypeKind.Inet:
                InetText.Write(field.Bytes, ref sink);
                break;
            case PgTypeKind.MacAddr:
                WriteHex(PhysicalAddressCodec.Open(field.Bytes, field.TypeId), ':', ref sink);
                break;
            case PgTypeKind.Bits:
                WriteBits(field, ref sink);
                break;
            case PgTypeKind.Point or PgTypeKind.Line or PgTypeKind.LineSegment or PgTypeKind.Box or PgTypeKind.Circle or PgTypeKind.Path
                or PgTypeKind.Polygon:
                GeometryText.Write(field.Bytes, field.TypeId, ref sink);
                break;
            default:
                sink.Write("\\x"u8); // bytea, and unknown types.
                WriteHex(field.Bytes, '\0', ref sink);
                break;
        }
    }

    private static void WriteBits(scoped PgField field, ref Utf8Sink sink)
    {
        ReadOnlySpan<byte> bits = PgBitsCodec.Open(field.Bytes, field.TypeId, out int count);
        for (int index = 0; index < count; index++)
        {
            sink.Write((bits[index >> 3] & (0x80 >> (index & 7))) != 0 ? '1' : '0');
        }
    }

    private static void WriteHex(scoped ReadOnlySpan<byte> bytes, char separator, ref Utf8Sink sink)
    {
        for (int index = 0; index < bytes.Length; index++)
        {
            if (separator != '\0' && index > 0)
            {
                sink.Write(separator);
            }

            sink.Write("0123456789abcdef"u8[bytes[index] >> 4]);
            sink.Write("0123456789abcdef"u8[bytes[index] & 15]);
        }
    }
}
