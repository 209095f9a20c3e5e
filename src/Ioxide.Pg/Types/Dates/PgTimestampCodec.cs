using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>Lossless <c>timestamp</c> and <c>timestamptz</c>.</summary>
internal sealed class PgTimestampCodec() : FixedCodec<PgTimestamp>(PgTypeId.Timestamp, sizeof(long))
{
    internal static readonly PgTimestampCodec Instance = new();

    public override bool IsTypeFixed => false;

    public override uint TypeIdOf(PgTimestamp value) => value.IsUtc ? PgTypeId.TimestampTz : PgTypeId.Timestamp;

    public override void Write(PgTimestamp value, Span<byte> destination)
        => BinaryPrimitives.WriteInt64BigEndian(destination, value.Microseconds);

    protected override bool Reads(uint typeId) => typeId is PgTypeId.Timestamp or PgTypeId.TimestampTz;

    protected override PgTimestamp ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
        => new(TimestampWire.Read(bytes, typeId), typeId == PgTypeId.TimestampTz);

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgTimestamp value)
    {
        bool isTimestamp = DateTimeParser.TryParseTimestamp(text, out long microseconds);
        value = new PgTimestamp(microseconds, typeId == PgTypeId.TimestampTz);
        return isTimestamp;
    }
}
