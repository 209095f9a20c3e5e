using System.Buffers;
using System.Buffers.Text;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Ioxide.Pg;

/// <summary>Writes a field as a JSON value, without an intermediate string.</summary>
/// <remarks>
/// Numbers are numbers, with every digit of a <c>numeric</c>; NaN and infinities are strings. <c>json</c> is written unchanged,
/// <c>bytea</c> in base64, moments in ISO 8601 as System.Text.Json writes <see cref="DateTime"/>, arrays as arrays. Every other
/// type is its text in a string.
/// </remarks>
internal static class FieldJson
{
    private const int ScratchBytes = 256;

    internal static void Write(scoped PgField field, ref Utf8Sink sink)
    {
        if (PgTypeTable.KindOf(field.TypeId) == PgTypeKind.Array && !field.IsNull)
        {
            ArrayJson.Write(field, ref sink);
            return;
        }

        WriteElement(field, ref sink);
    }

    /// <summary>Writes a field into a writer of the framework. The JSON of a server is validated.</summary>
    internal static void Write(scoped PgField field, Utf8JsonWriter writer)
    {
        var scratch = new Utf8Sink(stackalloc byte[ScratchBytes]);
        try
        {
            Write(field, ref scratch);
            if (IsJson(PgTypeTable.Find(field.TypeId)))
            {
                JsonElementCodec.Check(scratch.Written, field.TypeId); // The writer's own check refuses more than 64 levels.
            }

            writer.WriteRawValue(scratch.Written, skipInputValidation: true);
        }
        finally
        {
            scratch.Dispose();
        }
    }

    /// <summary>Whether the value, or an element of the array, is the JSON that the server sent.</summary>
    private static bool IsJson(PgTypeEntry type)
        => (type.Kind == PgTypeKind.Array ? PgTypeTable.KindOf(type.ElementId) : type.Kind) is PgTypeKind.Json or PgTypeKind.Jsonb;

    /// <summary>Writes a type that an array can consist of.</summary>
    internal static void WriteElement(scoped PgField field, ref Utf8Sink sink)
    {
        if (field.IsNull)
        {
            sink.Write("null"u8);
        }
        else if (field.Format == PgFormat.Binary)
        {
            WriteBinary(field, ref sink);
        }
        else
        {
            WriteText(field, ref sink);
        }
    }

    private static void WriteBase64(scoped ReadOnlySpan<byte> bytes, ref Utf8Sink sink)
    {
        const int BytesAtOnce = 3 * 48;
        sink.Write('"');
        while (!bytes.IsEmpty)
        {
            ReadOnlySpan<byte> part = bytes[..Math.Min(bytes.Length, BytesAtOnce)];
            Base64.EncodeToUtf8(part, sink.Room(Base64.GetMaxEncodedToUtf8Length(part.Length)), out _, out int written);
            sink.Advance(written);
            bytes = bytes[part.Length..];
        }

        sink.Write('"');
    }

    private static void WriteBinary(scoped PgField field, ref Utf8Sink sink)
    {
        switch (PgTypeTable.KindOf(field.TypeId))
        {
            case PgTypeKind.Bool:
                sink.Write(BoolCodec.Instance.Read(field) ? "true"u8 : "false"u8);
                break;
            case PgTypeKind.Int2 or PgTypeKind.Int4 or PgTypeKind.Int8 or PgTypeKind.Oid or PgTypeKind.UInt8:
                FieldText.WriteScalar(field, ref sink);
                break;
            case PgTypeKind.Text:
                JsonEscape.WriteString(field.Bytes, ref sink);
                break;
            case PgTypeKind.Float4:
                float single = FloatCodecs.Single.Read(field);
                WriteFloat(single, float.IsFinite(single), ref sink);
                break;
            case PgTypeKind.Float8:
                double number = FloatCodecs.Double.Read(field);
                WriteFloat(number, double.IsFinite(number), ref sink);
                break;
            case PgTypeKind.Numeric:
                WriteNumeric(field, ref sink);
                break;
            case PgTypeKind.Json:
                sink.Write(field.Bytes);
                break;
            case PgTypeKind.Jsonb:
                sink.Write(JsonElementCodec.StripVersion(field.Bytes));
                break;
            case PgTypeKind.Money:
                WriteFloat(MoneyText.ToDecimal(TimestampWire.Read(field.Bytes, field.TypeId)), isFinite: true, ref sink);
                break;
            case PgTypeKind.Bytea:
                WriteBase64(field.Bytes, ref sink);
                break;
            case PgTypeKind.Date or PgTypeKind.Time or PgTypeKind.TimeTz or PgTypeKind.Uuid or PgTypeKind.MacAddr or PgTypeKind.Inet:
                sink.Write('"');
                FieldText.WriteScalar(field, ref sink);
                sink.Write('"');
                break;
            case PgTypeKind.Timestamp or PgTypeKind.TimestampTz:
                WriteTimestamp(TimestampWire.Read(field.Bytes, field.TypeId), field.TypeId, ref sink);
                break;
            default:
                WriteString(field, ref sink);
                break;
        }
    }

    /// <summary>Writes a field that arrived as text.</summary>
    private static void WriteText(scoped PgField field, ref Utf8Sink sink)
    {
        ReadOnlySpan<byte> text = field.Bytes;
        switch (PgTypeTable.KindOf(field.TypeId))
        {
            case PgTypeKind.Bool:
                sink.Write(text is [(byte)'t'] ? "true"u8 : "false"u8);
                break;
            case PgTypeKind.Int2 or PgTypeKind.Int4 or PgTypeKind.Int8 or PgTypeKind.UInt8:
            case PgTypeKind.Float4 or PgTypeKind.Float8 or PgTypeKind.Numeric:
                if (IsNumber(text))
                {
                    sink.Write(text);
                }
                else
                {
                    JsonEscape.WriteString(text, ref sink);
                }

                break;
            case PgTypeKind.Json or PgTypeKind.Jsonb:
                sink.Write(text);
                break;
            case PgTypeKind.Bytea:
                byte[] rented = ArrayPool<byte>.Shared.Rent(text.Length);
                WriteBase64(rented.AsSpan(0, ByteaText.Parse(text, rented)), ref sink);
                ArrayPool<byte>.Shared.Return(rented);
                break;
            case PgTypeKind.Timestamp or PgTypeKind.TimestampTz when DateTimeParser.TryParseTimestamp(text, out long microseconds):
                WriteTimestamp(microseconds, field.TypeId, ref sink);
                break;
            default:
                JsonEscape.WriteString(text, ref sink);
                break;
        }
    }

    /// <summary>Whether the text is a number of JSON: NaN and infinities are not, and what a server may not send is not.</summary>
    /// <remarks>Source: RFC 8259, section 6.</remarks>
    private static bool IsNumber(ReadOnlySpan<byte> text)
    {
        text = text.StartsWith("-"u8) ? text[1..] : text;
        if (text is [] or [(byte)'0', >= (byte)'0' and <= (byte)'9', ..] || !TakeDigits(ref text))
        {
            return false;
        }

        if (text is [(byte)'.', ..])
        {
            text = text[1..];
            if (!TakeDigits(ref text))
            {
                return false;
            }
        }

        if (text is [(byte)'e' or (byte)'E', ..])
        {
            text = text is [_, (byte)'+' or (byte)'-', ..] ? text[2..] : text[1..];
            return TakeDigits(ref text) && text.IsEmpty;
        }

        return text.IsEmpty;
    }

    private static bool TakeDigits(ref ReadOnlySpan<byte> text)
    {
        int digits = text.IndexOfAnyExceptInRange((byte)'0', (byte)'9');
        digits = digits < 0 ? text.Length : digits;
        text = text[digits..];
        return digits > 0;
    }

    /// <summary>Writes the text of a binary field as a string.</summary>
    private static void WriteString(scoped PgField field, ref Utf8Sink sink)
    {
        var scratch = new Utf8Sink(stackalloc byte[ScratchBytes]);
        try
        {
            FieldText.WriteElement(field, ref scratch);
            JsonEscape.WriteString(scratch.Written, ref sink);
        }
        finally
        {
            scratch.Dispose();
        }
    }

    private static void WriteTimestamp(long microseconds, uint typeId, ref Utf8Sink sink)
    {
        sink.Write('"');
        DateTimeText.WriteTimestamp(microseconds, 'T', typeId == PgTypeId.TimestampTz ? "Z"u8 : [], ref sink);
        sink.Write('"');
    }

    private static void WriteFloat<T>(T value, bool isFinite, ref Utf8Sink sink)
        where T : IUtf8SpanFormattable
    {
        sink.Write(isFinite ? [] : "\""u8);
        sink.WriteFormatted(value);
        sink.Write(isFinite ? [] : "\""u8);
    }

    private static void WriteNumeric(scoped PgField field, ref Utf8Sink sink)
    {
        var value = new NumericView(field.Bytes);
        sink.Write(value.IsSpecial ? "\""u8 : []);
        NumericText.Write(value, ref sink);
        sink.Write(value.IsSpecial ? "\""u8 : []);
    }
}

/// <summary>Writes PostgreSQL arrays as JSON arrays, nested per dimension.</summary>
internal static class ArrayJson
{
    private const int ScratchBytes = 256;

    internal static void Write(scoped PgField field, ref Utf8Sink sink)
    {
        if (field.Format == PgFormat.Text)
        {
            WriteText(field, ref sink);
            return;
        }

        var view = new ArrayView(field.Bytes, field.TypeId);
        ArrayShape shape = view.Shape;
        int count = shape.Count;
        sink.Write(count == 0 ? "[]"u8 : []);
        for (int index = 0; index < count; index++)
        {
            sink.Write(index == 0 ? [] : ","u8);
            sink.Write('[', shape.OpeningAt(index));
            FieldJson.WriteElement(view.Next(), ref sink);
            sink.Write(']', shape.ClosingAt(index));
        }

        view.End();
    }

    private static void WriteText(scoped PgField field, ref Utf8Sink sink)
    {
        PgTypeEntry type = PgTypeTable.Find(field.TypeId);
        var reader = new ArrayTextReader(field.Bytes, type.Delimiter);
        ArrayShape ignored = default;
        bool isValid = reader.TryBounds(ref ignored);
        int opened = reader.Open();
        isValid &= opened > 0;
        sink.Write('[', opened);
        int closed = reader.Close();
        isValid &= closed == 0 || reader.Depth == 0; // Only an empty array closes before an element.
        sink.Write(']', closed);
        var scratch = new Utf8Sink(stackalloc byte[ScratchBytes]);
        try
        {
            while (isValid && reader.Depth > 0)
            {
                isValid = reader.TryElement(ref scratch, out bool isNull);
                FieldJson.WriteElement(new PgField(scratch.Written, type.ElementId, PgFormat.Text, isNull), ref sink);
                sink.Write(']', reader.Close());
                if (reader.Depth > 0)
                {
                    isValid &= reader.TryDelimiter();
                    sink.Write(',');
                    sink.Write('[', reader.Open());
                }
            }
        }
        finally
        {
            scratch.Dispose();
        }

        if (!isValid || !reader.IsAtEnd || reader.Depth != 0)
        {
            TypeErrors.ThrowMalformed(field.TypeId, "its text is that of no array");
        }
    }
}

/// <summary>JSON strings as System.Text.Json's default encoder writes them.</summary>
internal static class JsonEscape
{
    private const int MaxEscapedBytes = 12; // Two UTF-16 escapes.

    /// <summary>A property name as it is written: quoted, escaped, with its colon. Created once per result shape.</summary>
    internal static byte[] EscapeName(ReadOnlySpan<byte> utf8Name)
    {
        var sink = new Utf8Sink(stackalloc byte[256]);
        WriteString(utf8Name, ref sink);
        sink.Write(':');
        byte[] name = sink.Written.ToArray();
        sink.Dispose();
        return name;
    }

    internal static void WriteString(scoped ReadOnlySpan<byte> utf8, ref Utf8Sink sink)
    {
        sink.Write('"');
        int first = JavaScriptEncoder.Default.FindFirstCharacterToEncodeUtf8(utf8);
        if (first < 0)
        {
            sink.Write(utf8);
        }
        else
        {
            sink.Write(utf8[..first]);
            WriteEscaped(utf8[first..], ref sink);
        }

        sink.Write('"');
    }

    private static void WriteEscaped(scoped ReadOnlySpan<byte> utf8, ref Utf8Sink sink)
    {
        while (!utf8.IsEmpty)
        {
            Span<byte> room = sink.Room(MaxEscapedBytes);
            OperationStatus status = JavaScriptEncoder.Default.EncodeUtf8(utf8, room, out int consumed, out int written);
            sink.Advance(written);
            utf8 = utf8[consumed..];
            if (status == OperationStatus.DestinationTooSmall && written == 0)
            {
                _ = sink.Room(room.Length + MaxEscapedBytes);
            }
        }
    }
}
