namespace Ioxide.Pg;

/// <summary>Writes a field that arrived as text as a JSON value.</summary>
internal static class FieldJsonText
{
    private const int ScratchBytes = 256;

    internal static void Write(scoped PgField field, ref Utf8Sink sink)
    {
        ReadOnlySpan<byte> text = field.Bytes;
        switch (PgTypeTable.KindOf(field.TypeId))
        {
            case PgTypeKind.Bool:
                sink.Write(text is [(byte)'t'] ? "true"u8 : "false"u8);
                break;
            case PgTypeKind.Int2 or PgTypeKind.Int4 or PgTypeKind.Int8 or PgTypeKind.UInt8:
            case PgTypeKind.Float4 or PgTypeKind.Float8 or PgTypeKind.Numeric:
                bool isNumber = text is [>= (byte)'0' and <= (byte)'9', ..] or [(byte)'-', >= (byte)'0' and <= (byte)'9', ..];
                sink.Write(isNumber ? [] : "\""u8);
                sink.Write(text);
                sink.Write(isNumber ? [] : "\""u8);
                break;
            case PgTypeKind.Json or PgTypeKind.Jsonb:
                sink.Write(text);
                break;
            case PgTypeKind.Bytea:
                byte[] rented = System.Buffers.ArrayPool<byte>.Shared.Rent(text.Length);
                FieldJson.WriteBase64(rented.AsSpan(0, ByteaText.Parse(text, rented)), ref sink);
                System.Buffers.ArrayPool<byte>.Shared.Return(rented);
                break;
            case PgTypeKind.Timestamp or PgTypeKind.TimestampTz when DateTimeParser.TryParseTimestamp(text, out long microseconds):
                sink.Write('"');
                DateTimeText.WriteTimestamp(microseconds, 'T', field.TypeId == PgTypeId.TimestampTz ? "Z"u8 : [], ref sink);
                sink.Write('"');
                break;
            default:
                JsonEscape.WriteString(text, ref sink);
                break;
        }
    }
}
