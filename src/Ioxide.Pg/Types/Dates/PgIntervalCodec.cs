using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>Lossless <c>interval</c>: microseconds, days, months.</summary>
internal sealed class PgIntervalCodec() : FixedCodec<PgInterval>(PgTypeId.Interval, 16)
{
    internal static readonly PgIntervalCodec Instance = new();

    public override void Write(PgInterval value, Span<byte> destination)
    {
        BinaryPrimitives.WriteInt64BigEndian(destination, value.Microseconds);
        BinaryPrimitives.WriteInt32BigEndian(destination[8..], value.Days);
        BinaryPrimitives.WriteInt32BigEndian(destination[12..], value.Months);
    }

    internal static PgInterval Parse(ReadOnlySpan<byte> bytes)
    {
        CheckLength(bytes, 16, PgTypeId.Interval);
        return new PgInterval(
            BinaryPrimitives.ReadInt32BigEndian(bytes[12..]),
            BinaryPrimitives.ReadInt32BigEndian(bytes[8..]),
            BinaryPrimitives.ReadInt64BigEndian(bytes));
    }

    protected override PgInterval ReadBinary(ReadOnlySpan<byte> bytes, uint typeId) => Parse(bytes);

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgInterval value) => IntervalText.TryParse(text, out value);
}
