using System.Globalization;

namespace Ioxide.Files;

/// <summary>Dates in headers. Source: RFC 9110, section 5.6.7.</summary>
internal static class HttpDates
{
    private static readonly string[] s_formats =
        ["r", "dddd, dd-MMM-yy HH:mm:ss 'GMT'", "ddd MMM d HH:mm:ss yyyy", "ddd MMM  d HH:mm:ss yyyy"];

    /// <summary>Reads a date in any of the three forms. A header with more than one date is none.</summary>
    internal static bool TryParse(ReadOnlySpan<char> header, out DateTimeOffset date)
        => DateTimeOffset.TryParseExact(header, s_formats, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out date);

    /// <summary>The moment without what a header cannot say: parts of a second.</summary>
    internal static DateTimeOffset ToSeconds(DateTimeOffset moment)
        => new(moment.UtcTicks - (moment.UtcTicks % TimeSpan.TicksPerSecond), TimeSpan.Zero);
}
