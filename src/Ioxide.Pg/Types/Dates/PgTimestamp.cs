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
    public PgDate Date
        => IsFinite ? new PgDate((int)((Microseconds - OfDay) / PgEpoch.MicrosecondsPerDay)) : throw new OverflowException("It is infinite.");

    /// <summary>The time of the day.</summary>
    public TimeSpan TimeOfDay => new(OfDay * PgEpoch.TicksPerMicrosecond);

    private long OfDay
        => (Microseconds % PgEpoch.MicrosecondsPerDay + PgEpoch.MicrosecondsPerDay) % PgEpoch.MicrosecondsPerDay;

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
    public override string ToString()
    {
        var sink = new Utf8Sink(stackalloc byte[64]);
        DateTimeText.WriteTimestamp(Microseconds, ' ', IsUtc ? "+00"u8 : [], ref sink);
        return System.Text.Encoding.ASCII.GetString(sink.Written);
    }
}
