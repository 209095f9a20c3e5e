namespace Ioxide.Pg;

/// <summary><c>bytea</c>. Any other type is read as the raw bytes of its received form.</summary>
internal sealed class BytesCodec : PgCodec<byte[]>
{
    internal static readonly BytesCodec Instance = new();

    public override uint TypeId => PgTypeId.Bytea;

    public override int Measure(byte[] value) => value.Length;

    public override void Write(byte[] value, Span<byte> destination) => value.CopyTo(destination);

    public override byte[] Read(PgField field)
        => field.IsNull ? null! // NULL is null; a caller that rules it out asks for it as byte[]?.
            : field.Format == PgFormat.Text && field.TypeId == PgTypeId.Bytea ? ByteaText.Parse(field.Bytes)
            : ReceivedOf(field).ToArray();

    /// <summary>The bytes of the value, without the version byte of jsonb, which belongs to the wire.</summary>
    internal static ReadOnlySpan<byte> ReceivedOf(PgField field)
        => field is { TypeId: PgTypeId.Jsonb, Format: PgFormat.Binary, Bytes: [1, ..] } ? field.Bytes[1..] : field.Bytes;
}
