using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary><c>time</c>; fractions of a microsecond are dropped. The server has 24:00, <see cref="TimeOnly"/> does not.</summary>
internal sealed class TimeOnlyCodec() : FixedCodec<TimeOnly>(PgTypeId.Time, sizeof(long))
{
    internal static readonly TimeOnlyCodec Instance = new();

    public override void Write(TimeOnly value, Span<byte> destination)
        => BinaryPrimitives.WriteInt64BigEndian(destination, value.Ticks / PgEpoch.TicksPerMicrosecond);

    protected override TimeOnly ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        CheckLength(bytes, sizeof(long), typeId);
        return Convert(BinaryPrimitives.ReadInt64BigEndian(bytes));
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out TimeOnly value)
    {
        bool isTime = DateTimeParser.TryParseTime(text, out long microseconds);
        value = isTime ? Convert(microseconds) : default;
        return isTime;
    }

    private static TimeOnly Convert(long microseconds)
    {
        if (microseconds is < 0 or >= PgEpoch.MicrosecondsPerDay)
        {
            TypeErrors.ThrowRange<TimeOnly>(PgTypeId.Time, "it is 24:00", nameof(TimeSpan));
        }

        return new TimeOnly(microseconds * PgEpoch.TicksPerMicrosecond);
    }
}
