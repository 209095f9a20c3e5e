using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>
/// <see cref="DateTime"/> by the rules of Npgsql: UTC is <c>timestamptz</c>, any other kind is <c>timestamp</c>; a value that is read
/// has the kind UTC or unspecified. <see cref="DateTime.MaxValue"/> and <see cref="DateTime.MinValue"/> are the infinities. A
/// <c>date</c> is read too.
/// </summary>
internal sealed class DateTimeCodec() : FixedCodec<DateTime>(PgTypeId.Timestamp, sizeof(long))
{
    internal static readonly DateTimeCodec Instance = new();

    public override bool IsTypeFixed => false;

    public override uint TypeIdOf(DateTime value) => value.Kind == DateTimeKind.Utc ? PgTypeId.TimestampTz : PgTypeId.Timestamp;

    public override void Write(DateTime value, Span<byte> destination)
        => BinaryPrimitives.WriteInt64BigEndian(destination, TimestampWire.FromTicks(value.Ticks));

    protected override bool Reads(uint typeId) => typeId is PgTypeId.Timestamp or PgTypeId.TimestampTz or PgTypeId.Date;

    protected override DateTime ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
        => typeId == PgTypeId.Date
            ? OfDay(DaysOf(bytes, typeId))
            : TimestampWire.ToDateTime<DateTime>(TimestampWire.Read(bytes, typeId), typeId);

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out DateTime value)
    {
        if (DateTimeParser.TryParseTimestamp(text, out long microseconds))
        {
            value = TimestampWire.ToDateTime<DateTime>(microseconds, typeId);
            return true;
        }

        bool isDate = DateTimeParser.TryParseDate(text, out int days);
        value = isDate ? OfDay(days) : default;
        return isDate;
    }

    private static int DaysOf(ReadOnlySpan<byte> bytes, uint typeId)
    {
        CheckLength(bytes, sizeof(int), typeId);
        return BinaryPrimitives.ReadInt32BigEndian(bytes);
    }

    /// <summary>Midnight of a day. The last day of the year 9999 is an ordinary day: only the infinities are the extremes.</summary>
    private static DateTime OfDay(int days)
    {
        if (!new PgDate(days).TryToDateOnly(out DateOnly day))
        {
            if (days is not (int.MaxValue or int.MinValue))
            {
                TypeErrors.ThrowRange<DateTime>(PgTypeId.Date, "it lies outside the years 1 to 9999", nameof(PgDate));
            }

            return days > 0 ? DateTime.MaxValue : DateTime.MinValue;
        }

        return day.ToDateTime(TimeOnly.MinValue);
    }
}
