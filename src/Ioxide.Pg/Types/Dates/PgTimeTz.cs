using System.Text;

namespace Ioxide.Pg;

/// <summary>A lossless <c>timetz</c>: a time of day, including 24:00, and a UTC offset in seconds.</summary>
/// <param name="Microseconds">Microseconds since midnight, from 0 to 86,400,000,000.</param>
/// <param name="OffsetSeconds">Seconds east of Greenwich.</param>
public readonly record struct PgTimeTz(long Microseconds, int OffsetSeconds)
{
    /// <summary>The time of the day.</summary>
    public TimeSpan TimeOfDay => new(Microseconds * PgEpoch.TicksPerMicrosecond);

    /// <summary>The UTC offset; positive in the east.</summary>
    public TimeSpan Offset => TimeSpan.FromSeconds(OffsetSeconds);

    /// <summary>Parses the format of <see cref="ToString"/>.</summary>
    /// <exception cref="FormatException">The text is not a time with time zone.</exception>
    public static PgTimeTz Parse(string text)
        => DateTimeParser.TryParseTimeTz(Encoding.UTF8.GetBytes(text), out long microseconds, out int offsetSeconds)
            ? new PgTimeTz(microseconds, offsetSeconds)
            : throw new FormatException("The text is no time with a time zone.");

    /// <summary>Returns the server's text: <c>12:30:00+02</c>.</summary>
    public override string ToString()
    {
        var sink = new Utf8Sink(stackalloc byte[64]);
        DateTimeText.WriteTime(Microseconds, ref sink);
        DateTimeText.WriteOffset(OffsetSeconds, ref sink);
        return Encoding.ASCII.GetString(sink.Written);
    }
}
