namespace Ioxide.AspNetCore.Tests;

/// <summary>The requests of the catalogue. Field lines are whole lines.</summary>
internal static class ProbeText
{
    /// <summary>A static file of each server.</summary>
    internal const string FilePath = "/file.txt";

    internal const string Host = "Host: localhost\r\n";
    internal const string LastChunk = "0\r\n\r\n";

    internal const string ChunkedField = "Transfer-Encoding: chunked\r\n";

    internal static string Get(string path = "/", string fields = "") => Line($"GET {path} HTTP/1.1", fields);

    internal static string Post(string fields, string body = "") => Line("POST / HTTP/1.1", fields) + body;

    /// <summary>A POST whose body is said to be chunked.</summary>
    internal static string Chunked(string body) => Post(ChunkedField, body);

    /// <summary>A request of any first line.</summary>
    internal static string Line(string line, string fields = "") => $"{line}\r\n{Host}{fields}\r\n";

    /// <summary>A POST whose body hides a request; <c>{N}</c> in the fields stands for the body's length.</summary>
    internal static string Hiding(string fields, string hidden, string before = LastChunk)
        => Post(fields.Replace("{N}", $"{before.Length + hidden.Length}", StringComparison.Ordinal), before + hidden);

    /// <summary>
    /// Puts the first answer's field in the place of <c>{Name}</c>; <c>{weak:Name}</c> makes an entity-tag weak, <c>{bare:Name}</c> takes its
    /// quotes.
    /// </summary>
    internal static string Fill(string step, RawResponse first)
    {
        foreach (string name in (string[])["ETag", "Last-Modified"])
        {
            string value = first.Headers.GetValueOrDefault(name, "none");
            string strong = value.StartsWith("W/", StringComparison.Ordinal) ? value[2..] : value;
            step = step.Replace($"{{{name}}}", value, StringComparison.Ordinal)
                .Replace($"{{weak:{name}}}", $"W/{strong}", StringComparison.Ordinal)
                .Replace($"{{bare:{name}}}", strong.Trim('"'), StringComparison.Ordinal);
        }

        return step;
    }
}
