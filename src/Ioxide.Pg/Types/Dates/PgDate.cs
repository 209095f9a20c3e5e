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
    public override string ToString()
    {
        var sink = new Utf8Sink(stackalloc byte[32]);
        DateTimeText.WriteDate(Days, ref sink);
        return System.Text.Encoding.ASCII.GetString(sink.Written);
    }

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
