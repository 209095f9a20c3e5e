namespace Ioxide.Pg;

/// <summary>
/// Bytes of no declared type in binary form: the server takes them as the bytes of a <c>bytea</c> or as the UTF-8 of a text,
/// depending on the statement. Reading copies the bytes that <see cref="BytesCodec"/> reads.
/// </summary>
internal sealed class MemoryCodec : PgCodec<ReadOnlyMemory<byte>>
{
    internal static readonly MemoryCodec Instance = new();

    public override uint TypeId => 0;

    public override int Measure(ReadOnlyMemory<byte> value) => value.Length;

    public override void Write(ReadOnlyMemory<byte> value, Span<byte> destination) => value.Span.CopyTo(destination);

    public override ReadOnlyMemory<byte> Read(PgField field)
    {
        if (field.IsNull)
        {
            TypeErrors.ThrowNull<ReadOnlyMemory<byte>>(field.TypeId);
        }

        return BytesCodec.Instance.Read(field);
    }
}
