using System.Text;

namespace Ioxide.Pg;

/// <summary>A lossless <c>interval</c>. Its parts are independent: months have no fixed number of days, and days none of hours.</summary>
/// <param name="Months">Months; a year is twelve.</param>
/// <param name="Days">Days.</param>
/// <param name="Microseconds">The rest, in microseconds.</param>
public readonly record struct PgInterval(int Months, int Days, long Microseconds)
{
    /// <summary>Longer than every interval; needs server version 17.</summary>
    public static PgInterval Infinity => new(int.MaxValue, int.MaxValue, long.MaxValue);

    /// <summary>Shorter than every interval; needs server version 17.</summary>
    public static PgInterval NegativeInfinity => new(int.MinValue, int.MinValue, long.MinValue);

    /// <summary>Converts to days and a rest; fractions of a microsecond are dropped.</summary>
    public static implicit operator PgInterval(TimeSpan value)
        => new(0, value.Days, (value.Ticks - value.Days * TimeSpan.TicksPerDay) / PgEpoch.TicksPerMicrosecond);

    /// <summary>Parses the format of <see cref="ToString"/>.</summary>
    /// <exception cref="FormatException">The text is not an interval.</exception>
    public static PgInterval Parse(string text)
        => IntervalText.TryParse(Encoding.UTF8.GetBytes(text), out PgInterval value)
            ? value
            : throw new FormatException("The text is no interval.");

    /// <summary>Converts to a <see cref="TimeSpan"/>; a day counts as 24 hours.</summary>
    /// <returns>False if it has months or is too long.</returns>
    public bool TryToTimeSpan(out TimeSpan value)
    {
        Int128 ticks = (Int128)Days * TimeSpan.TicksPerDay + (Int128)Microseconds * PgEpoch.TicksPerMicrosecond;
        bool fits = Months == 0 && ticks >= long.MinValue && ticks <= long.MaxValue;
        value = fits ? new TimeSpan((long)ticks) : default;
        return fits;
    }

    /// <summary>Returns the server's text: <c>1 year 2 mons 3 days 04:05:06.5</c>.</summary>
    public override string ToString()
    {
        var sink = new Utf8Sink(stackalloc byte[128]);
        IntervalText.Write(this, ref sink);
        return Encoding.ASCII.GetString(sink.Written);
    }
}
