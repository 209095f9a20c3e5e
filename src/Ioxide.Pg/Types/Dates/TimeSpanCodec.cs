using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary><c>interval</c> without months, as in Npgsql: a day is 24 hours, parts of a microsecond are dropped. <c>time</c> is read too.</summary>
internal sealed class TimeSpanCodec() : FixedCodec<TimeSpan>(PgTypeId.Interval, 16)
{
    internal static readonly TimeSpanCodec Instance = new();

    public override void Write(TimeSpan value, Span<byte> destination) => PgIntervalCodec.Instance.Write(value, destination);

    protected override bool Reads(uint typeId) => typeId is PgTypeId.Interval or PgTypeId.Time;

    protected override TimeSpan ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        if (typeId == PgTypeId.Interval)
        {
            return Convert(PgIntervalCodec.Instance.Read(new PgField(bytes, typeId, PgFormat.Binary)));
        }

        CheckLength(bytes, sizeof(long), typeId);
        return Convert(new PgInterval(0, 0, BinaryPrimitives.ReadInt64BigEndian(bytes)));
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out TimeSpan value)
    {
        bool isInterval = IntervalText.TryParse(text, out PgInterval interval);
        value = isInterval ? Convert(interval) : default;
        return isInterval;
    }

    private static TimeSpan Convert(PgInterval interval)
    {
        if (!interval.TryToTimeSpan(out TimeSpan value))
        {
            TypeErrors.ThrowRange<TimeSpan>(PgTypeId.Interval, "it has months, or is too long", nameof(PgInterval));
        }

        return value;
    }
}
