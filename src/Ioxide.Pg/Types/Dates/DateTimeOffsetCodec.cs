using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>
/// <c>timestamptz</c> in UTC. As in Npgsql, only values with offset zero are sent, because the server keeps no offset. A
/// <c>timetz</c> is read too, on the second day of the year 1, as Npgsql does.
/// </summary>
internal sealed class DateTimeOffsetCodec() : FixedCodec<DateTimeOffset>(PgTypeId.TimestampTz, sizeof(long))
{
    internal static readonly DateTimeOffsetCodec Instance = new();

    public override void Write(DateTimeOffset value, Span<byte> destination)
    {
        if (value.Offset != TimeSpan.Zero)
        {
            TypeErrors.ThrowKind<DateTimeOffset>("timestamptz", "its offset is not zero, and the server keeps none; send value.ToUniversalTime()");
        }

        BinaryPrimitives.WriteInt64BigEndian(destination, TimestampWire.FromTicks(value.Ticks));
    }

    protected override bool Reads(uint typeId) => typeId is PgTypeId.TimestampTz or PgTypeId.TimeTz;

    protected override DateTimeOffset ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
        => typeId == PgTypeId.TimeTz ? Convert(PgTimeTzCodec.Parse(bytes)) : Convert(TimestampWire.Read(bytes, typeId));

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out DateTimeOffset value)
    {
        if (DateTimeParser.TryParseTimestamp(text, out long microseconds))
        {
            value = Convert(microseconds);
            return true;
        }

        bool isTime = DateTimeParser.TryParseTimeTz(text, out long ofDay, out int offsetSeconds);
        value = isTime ? Convert(new PgTimeTz(ofDay, offsetSeconds)) : default;
        return isTime;
    }

    private static DateTimeOffset Convert(long microseconds)
    {
        DateTime value = TimestampWire.ToDateTime<DateTimeOffset>(microseconds, PgTypeId.TimestampTz);
        return new DateTimeOffset(value.Ticks, TimeSpan.Zero);
    }

    private static DateTimeOffset Convert(PgTimeTz value)
    {
        if (value.OffsetSeconds % 60 != 0 || Math.Abs((long)value.OffsetSeconds) > 14 * 3600)
        {
            TypeErrors.ThrowRange<DateTimeOffset>(PgTypeId.TimeTz, "its offset has seconds or is above 14 hours", nameof(PgTimeTz));
        }

        return new DateTimeOffset(TimeSpan.TicksPerDay + value.TimeOfDay.Ticks, value.Offset);
    }
}
