using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>
/// <see cref="DateTime"/> by the rules of Npgsql: UTC is <c>timestamptz</c>, any other kind is <c>timestamp</c>; what is read has
/// the kind UTC or unspecified. <see cref="DateTime.MaxValue"/> and <see cref="DateTime.MinValue"/> are the infinities. A
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
            ? OfDay(DateOnlyCodec.Instance.Read(new PgField(bytes, typeId, PgFormat.Binary)))
            : TimestampWire.ToDateTime<DateTime>(TimestampWire.Read(bytes, typeId), typeId);

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out DateTime value)
    {
        if (DateTimeParser.TryParseTimestamp(text, out long microseconds))
        {
            value = TimestampWire.ToDateTime<DateTime>(microseconds, typeId);
            return true;
        }

        bool isDate = DateTimeParser.TryParseDate(text, out int days);
        value = isDate ? OfDay(DateOnlyCodec.Instance.Read(DayField(days, stackalloc byte[sizeof(int)]))) : default;
        return isDate;
    }

    private static DateTime OfDay(DateOnly day)
        => day == DateOnly.MaxValue ? DateTime.MaxValue : day == DateOnly.MinValue ? DateTime.MinValue : day.ToDateTime(TimeOnly.MinValue);

    private static PgField DayField(int days, Span<byte> scratch)
    {
        BinaryPrimitives.WriteInt32BigEndian(scratch, days);
        return new PgField(scratch, PgTypeId.Date, PgFormat.Binary);
    }
}
