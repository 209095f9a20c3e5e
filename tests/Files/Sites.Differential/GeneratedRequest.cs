namespace Ioxide.Files.Tests;

/// <summary>One request of the matrix. Tags are placeholders: each server has its own.</summary>
internal sealed record GeneratedRequest(
    string Method, string Path, string? AcceptEncoding, string? IfMatch, string? IfNoneMatch, string? IfModifiedSince,
    string? IfUnmodifiedSince, string? Range, string? IfRange)
{
    internal const string TagPlaceholder = "{tag}";
    internal const string Same = "Mon, 06 May 2024 07:08:09 GMT";
    internal const string Earlier = "Sun, 05 May 2024 07:08:09 GMT";
    internal const string Later = "Tue, 07 May 2024 07:08:09 GMT";

    private static readonly string?[] s_codings = [null, null, "gzip", "gzip;q=0", "gzip;q=0.5, identity;q=0.1", "deflate", "*"];
    private static readonly string?[] s_ifMatch = [null, null, null, null, "{tag}", "\"other\"", "\"a\", {tag}", "*"];

    private static readonly string?[] s_ifNoneMatch = [null, null, null, "{tag}", "W/{tag}", "\"other\"", "\"a\", {tag}, \"b\"", "*"];

    private static readonly string?[] s_dates = [null, null, null, Same, Earlier, Later, "no date"];
    private static readonly string?[] s_ranges =
    [
        null, null, "bytes=0-0", "bytes=10-19", "bytes=990-", "bytes=-7", "bytes=0-", "bytes=5000-", "bytes=-0", "bytes=10-5000", "bytes=9-5",
        "lines=1-2", "bytes=0-4,10-14",
    ];

    private static readonly string?[] s_ifRange = [null, null, "{tag}", "\"other\"", Same, Earlier, Later];

    internal static IEnumerable<GeneratedRequest> Many(int seed, int count)
    {
        var random = new Random(seed);
        string[] paths = ["/coded.css", "/plain.txt", "/plain.txt", "/folder/plain.txt", "/missing.txt"];
        for (int index = 0; index < count; index++)
        {
            string? range = Pick(s_ranges);
            yield return new GeneratedRequest(
                random.Next(5) == 0 ? "HEAD" : "GET", paths[random.Next(paths.Length)], Pick(s_codings), Pick(s_ifMatch),
                Pick(s_ifNoneMatch), Pick(s_dates), Pick(s_dates), range, range is null ? null : Pick(s_ifRange));
        }

        string? Pick(string?[] values) => values[random.Next(values.Length)];
    }

    /// <summary>The bytes for a server whose tag of the representation is known.</summary>
    internal string ToText(string tag)
    {
        string text = $"{Method} {Path} HTTP/1.1\r\nHost: localhost\r\n";
        foreach ((string name, string? value) in new[]
        {
            ("Accept-Encoding", AcceptEncoding), ("If-Match", IfMatch), ("If-None-Match", IfNoneMatch),
            ("If-Modified-Since", IfModifiedSince), ("If-Unmodified-Since", IfUnmodifiedSince), ("Range", Range), ("If-Range", IfRange),
        })
        {
            text += value is null ? "" : $"{name}: {value.Replace(TagPlaceholder, tag, StringComparison.Ordinal)}\r\n";
        }

        return text + "\r\n";
    }
}
