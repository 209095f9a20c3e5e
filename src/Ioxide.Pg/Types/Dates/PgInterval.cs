using System.Text;

namespace Ioxide.Pg;

/// <summary>An <c>interval</c> without loss. Its parts are independent: a month has no fixed days, a day no fixed hours.</summary>
/// <param name="Months">Months; a year is twelve.</param>
/// <param name="Days">Days.</param>
/// <param name="Microseconds">The rest.</param>
public readonly record struct PgInterval(int Months, int Days, long Microseconds)
{
    /// <summary>Longer than every interval; servers from version 17 know it.</summary>
    public static PgInterval Infinity => new(int.MaxValue, int.MaxValue, long.MaxValue);

    /// <summary>Shorter than every interval; servers from version 17 know it.</summary>
    public static PgInterval NegativeInfinity => new(int.MinValue, int.MinValue, long.MinValue);

    /// <summary>Days and the rest; parts of a microsecond are dropped.</summary>
    public static implicit operator PgInterval(TimeSpan value)
        => new(0, value.Days, (value.Ticks - value.Days * TimeSpan.TicksPerDay) / PgEpoch.TicksPerMicrosecond);

    /// <summary>Reads what <see cref="ToString"/> prints.</summary>
    /// <exception cref="FormatException">It is no interval.</exception>
    public static PgInterval Parse(string text)
        => IntervalText.TryParse(Encoding.UTF8.GetBytes(text), out PgInterval value)
            ? value
            : throw new FormatException("The text is no interval.");

    /// <summary>Days count 24 hours.</summary>
    /// <returns>False where it has months or is too long.</returns>
    public bool TryToTimeSpan(out TimeSpan value)
    {
        Int128 ticks = (Int128)Days * TimeSpan.TicksPerDay + (Int128)Microseconds * PgEpoch.TicksPerMicrosecond;
        bool fits = Months == 0 && ticks >= long.MinValue && ticks <= long.MaxValue;
        value = fits ? new TimeSpan((long)ticks) : default;
        return fits;
    }

    /// <summary>As the server prints it: <c>1 year 2 mons 3 days 04:05:06.5</c>.</summary>
    public override string ToString()
    {
        var sink = new Utf8Sink(stackalloc byte[128]);
        IntervalText.Write(this, ref sink);
        return Encoding.ASCII.GetString(sink.Written);
    }
}
