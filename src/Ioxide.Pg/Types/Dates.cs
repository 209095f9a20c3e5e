using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>A lossless <c>date</c>: from 4713 BC to the year 5874897, and the infinities.</summary>
/// <param name="Days">Days since 2000-01-01; the extremes of the type are the infinities.</param>
public readonly record struct PgDate(int Days) : IComparable<PgDate>
{
    /// <summary>Creates a date of the Gregorian calendar.</summary>
    /// <param name="year">The year; 0 is 1 BC, -1 is 2 BC.</param>
    /// <param name="month">From 1 to 12.</param>
    /// <param name="day">From 1 to the days of the month.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such day.</exception>
    public PgDate(int year, int month, int day)
        : this(Checked(year, month, day))
    {
    }

    /// <summary>Later than every day.</summary>
    public static PgDate Infinity => new(int.MaxValue);

    /// <summary>Earlier than every day.</summary>
    public static PgDate NegativeInfinity => new(int.MinValue);

    /// <summary>Whether it is a day, not an infinity.</summary>
    public bool IsFinite => Days is not (int.MaxValue or int.MinValue);

    /// <summary>The year; 0 is 1 BC, -1 is 2 BC.</summary>
    public int Year => Split().Year;

    /// <summary>From 1 to 12.</summary>
    public int Month => Split().Month;

    /// <summary>From 1 to 31.</summary>
    public int Day => Split().Day;

    /// <summary>Converts to the same day.</summary>
    public static implicit operator PgDate(DateOnly value) => new(value.DayNumber - PgEpoch.Days);

    /// <summary>Converts to the same day.</summary>
    /// <exception cref="OverflowException">The date is infinite or outside the years 1 to 9999.</exception>
    public static explicit operator DateOnly(PgDate value) => value.ToDateOnly();

    /// <summary>Whether the left date is earlier than the right one.</summary>
    public static bool operator <(PgDate left, PgDate right) => left.CompareTo(right) < 0;

    /// <summary>Whether the left date is later than the right one.</summary>
    public static bool operator >(PgDate left, PgDate right) => left.CompareTo(right) > 0;

    /// <summary>Whether the left date is not later than the right one.</summary>
    public static bool operator <=(PgDate left, PgDate right) => left.CompareTo(right) <= 0;

    /// <summary>Whether the left date is not earlier than the right one.</summary>
    public static bool operator >=(PgDate left, PgDate right) => left.CompareTo(right) >= 0;

    /// <summary>Parses the format of <see cref="ToString"/>.</summary>
    /// <exception cref="FormatException">The text is not a date.</exception>
    public static PgDate Parse(string text)
        => DateTimeParser.TryParseDate(System.Text.Encoding.UTF8.GetBytes(text), out int days)
            ? new PgDate(days)
            : throw new FormatException("The text is no date.");

    /// <summary>Converts to the same day.</summary>
    /// <returns>False if the date is infinite or outside the years 1 to 9999.</returns>
    public bool TryToDateOnly(out DateOnly value)
    {
        bool fits = (uint)(Days + (long)PgEpoch.Days) <= DateOnly.MaxValue.DayNumber;
        value = fits ? DateOnly.FromDayNumber(Days + PgEpoch.Days) : default;
        return fits;
    }

    /// <summary>Converts to the same day.</summary>
    /// <exception cref="OverflowException">The date is infinite or outside the years 1 to 9999.</exception>
    public DateOnly ToDateOnly()
        => TryToDateOnly(out DateOnly value) ? value : throw new OverflowException("The day is infinite or outside the years 1 to 9999.");

    /// <inheritdoc/>
    public int CompareTo(PgDate other) => Days.CompareTo(other.Days);

    /// <summary>Returns the server's text: <c>2024-02-29</c>, <c>0044-03-15 BC</c>, <c>infinity</c>.</summary>
    public override string ToString() => FieldText.Print(PgDateCodec.Instance, this);

    private static int Checked(int year, int month, int day)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Math.Abs((long)year), 5_874_897, nameof(year));
        ArgumentOutOfRangeException.ThrowIfLessThan(month, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(month, 12);
        ArgumentOutOfRangeException.ThrowIfLessThan(day, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(day, PgEpoch.DaysInMonth(year, month));
        return (int)PgEpoch.Join(year, month, day);
    }

    private (int Year, int Month, int Day) Split()
    {
        PgEpoch.Split(Days, out long year, out int month, out int day);
        return ((int)year, month, day);
    }
}

/// <summary>Lossless <c>date</c>.</summary>
internal sealed class PgDateCodec() : FixedCodec<PgDate>(PgTypeId.Date, sizeof(int))
{
    internal static readonly PgDateCodec Instance = new();

    public override void Write(PgDate value, Span<byte> destination) => BinaryPrimitives.WriteInt32BigEndian(destination, value.Days);

    internal override PgDate ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        CheckLength(bytes, sizeof(int), typeId);
        return new PgDate(BinaryPrimitives.ReadInt32BigEndian(bytes));
    }

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgDate value)
    {
        bool isDate = DateTimeParser.TryParseDate(text, out int days);
        value = new PgDate(days);
        return isDate;
    }
}

/// <summary><c>date</c>. As in Npgsql, the infinities are <see cref="DateOnly.MaxValue"/> and <see cref="DateOnly.MinValue"/>.</summary>
internal sealed class DateOnlyCodec() : FixedCodec<DateOnly>(PgTypeId.Date, sizeof(int))
{
    public override void Write(DateOnly value, Span<byte> destination)
        => BinaryPrimitives.WriteInt32BigEndian(
            destination,
            value == DateOnly.MaxValue ? int.MaxValue : value == DateOnly.MinValue ? int.MinValue : value.DayNumber - PgEpoch.Days);

    internal override DateOnly ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
        => Convert<DateOnly>(PgDateCodec.Instance.ReadBinary(bytes, typeId).Days);

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out DateOnly value)
    {
        bool isDate = DateTimeParser.TryParseDate(text, out int days);
        value = isDate ? Convert<DateOnly>(days) : default;
        return isDate;
    }

    /// <typeparam name="T">The requested type, for error messages.</typeparam>
    internal static DateOnly Convert<T>(int days)
    {
        if (new PgDate(days).TryToDateOnly(out DateOnly value))
        {
            return value;
        }

        if (days is not (int.MaxValue or int.MinValue))
        {
            TypeErrors.ThrowRange<T>(PgTypeId.Date, "it lies outside the years 1 to 9999", nameof(PgDate));
        }

        return days > 0 ? DateOnly.MaxValue : DateOnly.MinValue;
    }
}

/// <summary>Units and the epoch of the server's dates: 2000-01-01.</summary>
internal static class PgEpoch
{
    internal const long MicrosecondsPerSecond = 1_000_000;
    internal const long MicrosecondsPerMinute = 60 * MicrosecondsPerSecond;
    internal const long MicrosecondsPerHour = 60 * MicrosecondsPerMinute;
    internal const long MicrosecondsPerDay = 24 * MicrosecondsPerHour;
    internal const long TicksPerMicrosecond = TimeSpan.TicksPerMicrosecond;

    /// <summary>Days from 0001-01-01 to 2000-01-01.</summary>
    internal const int Days = 730_119;

    /// <summary>Ticks from 0001-01-01 to 2000-01-01.</summary>
    internal const long Ticks = Days * TimeSpan.TicksPerDay;

    /// <summary>The first microsecond that a <see cref="DateTime"/> can hold.</summary>
    internal const long MinMicroseconds = -Days * MicrosecondsPerDay;

    /// <summary>The last whole microsecond that a <see cref="DateTime"/> can hold.</summary>
    internal const long MaxMicroseconds = (3_652_059L - Days) * MicrosecondsPerDay - 1;

    /// <summary>Splits microseconds since the epoch into days and the microseconds of the day, which are not negative.</summary>
    internal static long DaysOf(long microseconds, out long ofDay)
    {
        long days = Math.DivRem(microseconds, MicrosecondsPerDay, out ofDay);
        if (ofDay < 0)
        {
            ofDay += MicrosecondsPerDay;
            days--;
        }

        return days;
    }

    /// <summary>Splits days since the epoch into a date of the Gregorian calendar; the year before 1 is 0.</summary>
    /// <remarks>Counted in eras of 400 years from March 1st of year 0, so that the leap day is the last of its year.</remarks>
    internal static void Split(long days, out long year, out int month, out int day)
    {
        long fromMarch = days + Days + 306;
        (long era, long dayOfEra) = (Math.DivRem(fromMarch, 146_097, out long rest), rest);
        if (dayOfEra < 0)
        {
            dayOfEra += 146_097;
            era--;
        }

        long yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        long dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        long shifted = (5 * dayOfYear + 2) / 153;
        day = (int)(dayOfYear - (153 * shifted + 2) / 5 + 1);
        month = (int)(shifted < 10 ? shifted + 3 : shifted - 9);
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
    }

    /// <summary>Days since the epoch; the year before 1 is 0.</summary>
    internal static long Join(long year, int month, int day)
    {
        long shiftedYear = month <= 2 ? year - 1 : year;
        long era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400;
        long yearOfEra = shiftedYear - era * 400;
        long dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
        long dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
        return era * 146_097 + dayOfEra - 306 - Days;
    }

    internal static int DaysInMonth(long year, int month) => month switch
    {
        2 => year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28,
        4 or 6 or 9 or 11 => 30,
        _ => 31,
    };
}
