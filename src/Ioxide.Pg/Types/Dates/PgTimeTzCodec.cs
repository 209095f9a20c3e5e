using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary><c>timetz</c>. On the wire the offset counts west of Greenwich.</summary>
internal sealed class PgTimeTzCodec() : FixedCodec<PgTimeTz>(PgTypeId.TimeTz, 12)
{
    internal static readonly PgTimeTzCodec Instance = new();

    public override void Write(PgTimeTz value, Span<byte> destination)
    {
        BinaryPrimitives.WriteInt64BigEndian(destination, value.Microseconds);
        BinaryPrimitives.WriteInt32BigEndian(destination[8..], -value.OffsetSeconds);
    }

    internal static PgTimeTz Parse(ReadOnlySpan<byte> bytes)
    {
        CheckLength(bytes, 12, PgTypeId.TimeTz);
        return new PgTimeTz(BinaryPrimitives.ReadInt64BigEndian(bytes), -BinaryPrimitives.ReadInt32BigEndian(bytes[8..]));
    }

    protected override PgTimeTz ReadBinary(ReadOnlySpan<byte> bytes, uint typeId) => Parse(bytes);

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgTimeTz value)
    {
        bool isTime = DateTimeParser.TryParseTimeTz(text, out long microseconds, out int offsetSeconds);
        value = new PgTimeTz(microseconds, offsetSeconds);
        return isTime;
    }
}
