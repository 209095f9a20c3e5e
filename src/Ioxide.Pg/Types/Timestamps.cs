using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>
/// A lossless <c>timestamp</c> or <c>timestamptz</c>: microseconds from 4713 BC to the year 294276, and the infinities.
/// </summary>
/// <param name="Microseconds">Microseconds since 2000-01-01 00:00; the extremes of the type are the infinities.</param>
/// <param name="IsUtc">True for a moment in UTC (<c>timestamptz</c>); false for a date and time without zone (<c>timestamp</c>).</param>
public readonly record struct PgTimestamp(long Microseconds, bool IsUtc = false) : IComparable<PgTimestamp>
{
    /// <summary>Creates a timestamp from a day and a time of day.</summary>
    /// <param name="date">The day.</param>
    /// <param name="timeOfDay">At least 0 and less than a day.</param>
    /// <param name="isUtc">Whether it is a moment in UTC.</param>
    public PgTimestamp(PgDate date, TimeSpan timeOfDay, bool isUtc = false)
        : this(checked(date.Days * PgEpoch.MicrosecondsPerDay + timeOfDay.Ticks / PgEpoch.TicksPerMicrosecond), isUtc)
    {
    }

    /// <summary>Later than every moment.</summary>
    public static PgTimestamp Infinity => new(long.MaxValue);

    /// <summary>Earlier than every moment.</summary>
    public static PgTimestamp NegativeInfinity => new(long.MinValue);

    /// <summary>Whether it is a moment, not an infinity.</summary>
    public bool IsFinite => Microseconds is not (long.MaxValue or long.MinValue);

    /// <summary>The day.</summary>
    /// <exception cref="OverflowException">The timestamp is infinite.</exception>
    public PgDate Date => IsFinite ? new PgDate((int)PgEpoch.DaysOf(Microseconds, out _)) : throw new OverflowException("It is infinite.");

    /// <summary>The time of the day.</summary>
    public TimeSpan TimeOfDay
    {
        get
        {
            _ = PgEpoch.DaysOf(Microseconds, out long ofDay);
            return new TimeSpan(ofDay * PgEpoch.TicksPerMicrosecond);
        }
    }

    /// <summary>Converts to the same moment; in UTC if <see cref="DateTime.Kind"/> is UTC.</summary>
    public static implicit operator PgTimestamp(DateTime value)
        => new((value.Ticks - PgEpoch.Ticks) / PgEpoch.TicksPerMicrosecond, value.Kind == DateTimeKind.Utc);

    /// <summary>Converts to the same moment in UTC.</summary>
    public static implicit operator PgTimestamp(DateTimeOffset value) => value.UtcDateTime;

    /// <summary>Converts to the same moment; its kind is UTC or unspecified.</summary>
    /// <exception cref="OverflowException">The timestamp is infinite or outside the years 1 to 9999.</exception>
    public static explicit operator DateTime(PgTimestamp value) => value.ToDateTime();

    /// <summary>Whether the left timestamp is earlier than the right one.</summary>
    public static bool operator <(PgTimestamp left, PgTimestamp right) => left.CompareTo(right) < 0;

    /// <summary>Whether the left timestamp is later than the right one.</summary>
    public static bool operator >(PgTimestamp left, PgTimestamp right) => left.CompareTo(right) > 0;

    /// <summary>Whether the left timestamp is not later than the right one.</summary>
    public static bool operator <=(PgTimestamp left, PgTimestamp right) => left.CompareTo(right) <= 0;

    /// <summary>Whether the left timestamp is not earlier than the right one.</summary>
    public static bool operator >=(PgTimestamp left, PgTimestamp right) => left.CompareTo(right) >= 0;

    /// <summary>Parses the format of <see cref="ToString"/>. With a time zone the result is in UTC.</summary>
    /// <exception cref="FormatException">The text is not a timestamp.</exception>
    public static PgTimestamp Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        bool isUtc = text.LastIndexOfAny(['+', '-', 'Z']) > text.IndexOf(':', StringComparison.Ordinal)
            && text.Contains(':', StringComparison.Ordinal);
        return DateTimeParser.TryParseTimestamp(System.Text.Encoding.UTF8.GetBytes(text), out long microseconds)
            ? new PgTimestamp(microseconds, isUtc)
            : throw new FormatException("The text is no timestamp.");
    }

    /// <summary>Converts to the same moment; its kind is UTC or unspecified.</summary>
    /// <returns>False if it is infinite or outside the years 1 to 9999.</returns>
    public bool TryToDateTime(out DateTime value)
    {
        bool fits = Microseconds is >= PgEpoch.MinMicroseconds and <= PgEpoch.MaxMicroseconds;
        value = fits
            ? new DateTime(Microseconds * PgEpoch.TicksPerMicrosecond + PgEpoch.Ticks, IsUtc ? DateTimeKind.Utc : DateTimeKind.Unspecified)
            : default;
        return fits;
    }

    /// <summary>Converts to the same moment; its kind is UTC or unspecified.</summary>
    /// <exception cref="OverflowException">The timestamp is infinite or outside the years 1 to 9999.</exception>
    public DateTime ToDateTime()
        => TryToDateTime(out DateTime value) ? value : throw new OverflowException("The moment is infinite or outside the years 1 to 9999.");

    /// <inheritdoc/>
    public int CompareTo(PgTimestamp other) => Microseconds.CompareTo(other.Microseconds);

    /// <summary>Returns the server's text, in UTC: <c>2024-02-29 12:00:00.5+00</c>, <c>0044-03-15 12:00:00 BC</c>, <c>infinity</c>.</summary>
    public override string ToString() => FieldText.Print(PgTimestampCodec.Instance, this);
}

/// <summary>Lossless <c>timestamp</c> and <c>timestamptz</c>.</summary>
internal sealed class PgTimestampCodec() : FixedCodec<PgTimestamp>(PgTypeId.Timestamp, sizeof(long))
{
    internal static readonly PgTimestampCodec Instance = new();

    public override bool IsTypeFixed => false;

    public override uint TypeIdOf(PgTimestamp value) => value.IsUtc ? PgTypeId.TimestampTz : PgTypeId.Timestamp;

    public override void Write(PgTimestamp value, Span<byte> destination)
        => BinaryPrimitives.WriteInt64BigEndian(destination, value.Microseconds);

    internal override bool Reads(uint typeId) => typeId is PgTypeId.Timestamp or PgTypeId.TimestampTz;

    internal override PgTimestamp ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
        => new(TimestampWire.Read(bytes, typeId), typeId == PgTypeId.TimestampTz);

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgTimestamp value)
    {
        bool isTimestamp = DateTimeParser.TryParseTimestamp(text, out long microseconds);
        value = new PgTimestamp(microseconds, typeId == PgTypeId.TimestampTz);
        return isTimestamp;
    }
}

/// <summary>
/// <see cref="DateTime"/> by the rules of Npgsql: UTC is <c>timestamptz</c>, any other kind is <c>timestamp</c>; a value that is read
/// has the kind UTC or unspecified. <see cref="DateTime.MaxValue"/> and <see cref="DateTime.MinValue"/> are the infinities. A
/// <c>date</c> is read too.
/// </summary>
internal sealed class DateTimeCodec() : FixedCodec<DateTime>(PgTypeId.Timestamp, sizeof(long))
{
    public override bool IsTypeFixed => false;

    public override uint TypeIdOf(DateTime value) => value.Kind == DateTimeKind.Utc ? PgTypeId.TimestampTz : PgTypeId.Timestamp;

    public override void Write(DateTime value, Span<byte> destination)
        => BinaryPrimitives.WriteInt64BigEndian(destination, TimestampWire.FromTicks(value.Ticks));

    internal override bool Reads(uint typeId) => typeId is PgTypeId.Timestamp or PgTypeId.TimestampTz or PgTypeId.Date;

    internal override DateTime ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
        => typeId == PgTypeId.Date
            ? OfDay(PgDateCodec.Instance.ReadBinary(bytes, typeId).Days)
            : TimestampWire.ToDateTime<DateTime>(TimestampWire.Read(bytes, typeId), typeId);

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out DateTime value)
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

    /// <summary>Midnight of a day. The last day of the year 9999 is an ordinary day: only the infinities are the extremes.</summary>
    private static DateTime OfDay(int days) => days switch
    {
        int.MaxValue => DateTime.MaxValue,
        int.MinValue => DateTime.MinValue,
        _ => DateOnlyCodec.Convert<DateTime>(days).ToDateTime(TimeOnly.MinValue),
    };
}

/// <summary>
/// <c>timestamptz</c> in UTC. As in Npgsql, only values with offset zero are sent, because the server keeps no offset. A
/// <c>timetz</c> is read too, on the second day of the year 1, as Npgsql does.
/// </summary>
internal sealed class DateTimeOffsetCodec() : FixedCodec<DateTimeOffset>(PgTypeId.TimestampTz, sizeof(long))
{
    public override void Write(DateTimeOffset value, Span<byte> destination)
    {
        if (value.Offset != TimeSpan.Zero)
        {
            TypeErrors.ThrowKind<DateTimeOffset>("timestamptz", "its offset is not zero, and the server keeps none; send value.ToUniversalTime()");
        }

        BinaryPrimitives.WriteInt64BigEndian(destination, TimestampWire.FromTicks(value.Ticks));
    }

    internal override bool Reads(uint typeId) => typeId is PgTypeId.TimestampTz or PgTypeId.TimeTz;

    internal override DateTimeOffset ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
        => typeId == PgTypeId.TimeTz ? Convert(PgTimeTzCodec.Instance.ReadBinary(bytes, typeId)) : Convert(TimestampWire.Read(bytes, typeId));

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out DateTimeOffset value)
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

        if (value.Microseconds is < 0 or > PgEpoch.MicrosecondsPerDay)
        {
            TypeErrors.ThrowRange<DateTimeOffset>(PgTypeId.TimeTz, "its time is not within a day", nameof(PgTimeTz));
        }

        return new DateTimeOffset(TimeSpan.TicksPerDay + value.TimeOfDay.Ticks, value.Offset);
    }
}

/// <summary>The wire form of <c>timestamp</c> and <c>timestamptz</c>: a 64-bit count of microseconds since 2000-01-01.</summary>
internal static class TimestampWire
{
    internal static long Read(ReadOnlySpan<byte> bytes, uint typeId)
    {
        BuiltInCodec<long>.CheckLength(bytes, sizeof(long), typeId);
        return BinaryPrimitives.ReadInt64BigEndian(bytes);
    }

    /// <summary>As in Npgsql: the extremes of <see cref="DateTime"/> are the infinities, fractions of a microsecond are dropped.</summary>
    internal static long FromTicks(long ticks)
        => ticks == DateTime.MaxValue.Ticks ? long.MaxValue
            : ticks == DateTime.MinValue.Ticks ? long.MinValue
            : (ticks - PgEpoch.Ticks) / PgEpoch.TicksPerMicrosecond;

    internal static DateTime ToDateTime<T>(long microseconds, uint typeId)
    {
        if (new PgTimestamp(microseconds, typeId == PgTypeId.TimestampTz).TryToDateTime(out DateTime value))
        {
            return value;
        }

        if (microseconds is not (long.MaxValue or long.MinValue))
        {
            TypeErrors.ThrowRange<T>(typeId, "it lies outside the years 1 to 9999", nameof(PgTimestamp));
        }

        DateTime extreme = microseconds > 0 ? DateTime.MaxValue : DateTime.MinValue;
        return typeId == PgTypeId.TimestampTz ? DateTime.SpecifyKind(extreme, DateTimeKind.Utc) : extreme;
    }
}
