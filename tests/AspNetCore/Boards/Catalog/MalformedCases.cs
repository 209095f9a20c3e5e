using static Ioxide.AspNetCore.Tests.ProbeJudge;
using static Ioxide.AspNetCore.Tests.ProbeText;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Input that is no request, that is not whole, or that is far too long.</summary>
internal static class MalformedCases
{
    private static readonly string s_long = new('A', 100_000);

    /// <summary>As what is not whole; and a server that speaks HTTP/2 elsewhere may say so in frames.</summary>
    private static readonly ProbeJudge s_knowsHttp2 = new(
        static answers => answers[0].End == StepEnd.Http2 ? Score.Pass : WaitsOrRefusesWith(400, 505).Of(answers), AllowsSilence: true);

    internal static ProbeCase[] All { get; } =
    [
        new("MAL-BINARY-GARBAGE", "RFC 9112, 2.2", WaitsOrRefuses, Garbage()),
        new("MAL-WHITESPACE-ONLY-LINE", "RFC 9112, 2.2", WaitsOrRefuses, "   \r\n\r\n"),
        new("MAL-H2-PREFACE", "RFC 9113, 3.4", s_knowsHttp2, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),

        // Not whole.
        new("MAL-EMPTY-REQUEST", "RFC 9112, 2.1", WaitsOrRefuses, ""),
        new("MAL-INCOMPLETE-REQUEST", "RFC 9112, 2.1", WaitsOrRefuses, $"GET / HTTP/1.1\r\n{Host}X-Test: value"),
        new("MAL-POST-CL-HUGE-NO-BODY", "RFC 9112, 6.3", WaitsOrRefusesWith(400, 413), Post("Content-Length: 999999999\r\n")),

        // Too long.
        new("MAL-LONG-URL", "RFC 9112, 3", RefusesWith(400, 414, 431), Get("/" + s_long)),
        new("MAL-LONG-METHOD", "RFC 9112, 3", RefusesWith(400, 414, 501), Line($"{s_long} / HTTP/1.1")),
        new("MAL-LONG-HEADER-NAME", "RFC 9110, 5.4", RefusesWith(400, 431), Get("/", $"{s_long}: val\r\n")),
        new("MAL-LONG-HEADER-VALUE", "RFC 9110, 5.4", RefusesWith(400, 431), Get("/", $"X-Big: {s_long}\r\n")),
        new("MAL-MANY-HEADERS", "RFC 9110, 5.4", RefusesWith(400, 431),
            Get("/", string.Concat(Enumerable.Range(0, 10_000).Select(static i => $"X-H-{i}: value\r\n")))),
        new("MAL-CHUNK-EXT-64K", "RFC 9112, 7.1.1", RefusesOrTakesWith(400, 413, 431), Chunked($"5;ext={s_long[..65_536]}\r\nhello\r\n{LastChunk}")),
        new("MAL-RANGE-OVERLAPPING", "RFC 9110, 14.2", ShouldTake(static response => response.Status != 206, 416),
            Get(FilePath, $"Range: bytes={string.Join(',', Enumerable.Repeat("0-", 1000))}\r\n")) { IsScored = false },

        // Bytes that must not be there.
        new("MAL-NUL-IN-URL", "RFC 9112, 3.2", Refuses, Get("/\0test")),
        new("MAL-NON-ASCII-URL", "RFC 9112, 3.2", Refuses, Get("/caf\u00c3\u00a9")),
        new("MAL-URL-OVERLONG-UTF8", "RFC 9112, 3.2", Refuses, Get("/\u00c0\u00af")),
        new("MAL-URL-BACKSLASH", "RFC 3986, 3.3", RefusesOrTakes, Get("/path\\file")),
        new("MAL-URL-PERCENT-NULL", "RFC 3986, 7.3", RefusesOrTakes, Get("/path%00.html")),
        new("MAL-URL-PERCENT-CRLF", "RFC 3986, 7.3", RefusesOrTakes, Get("/path%0d%0aX-Injected:%20true")),
        new("MAL-CONTROL-CHARS-HEADER", "RFC 9110, 5.5", Refuses, Get("/", "X-Test: abc\a\b\vdef\r\n")),
        new("MAL-NUL-IN-HEADER-VALUE", "RFC 9110, 5.5", Refuses, Get("/", "X-Test: val\0ue\r\n")),
        new("MAL-NON-ASCII-HEADER-NAME", "RFC 9110, 5.1", Refuses, Get("/", "X-T\u00c3\u00abst: value\r\n")),

        // Numbers.
        new("MAL-CL-OVERFLOW", "RFC 9110, 8.6", RefusesWith(400, 413), Post("Content-Length: 99999999999999999999\r\n")),
        new("MAL-CL-EMPTY", "RFC 9110, 8.6", Refuses, Post("Content-Length: \r\n")),
        new("MAL-CL-TAB-BEFORE-VALUE", "RFC 9110, 5.6.3", RefusesOrTakes, Post("Content-Length:\t5\r\n", "hello")),
        new("MAL-CHUNK-SIZE-OVERFLOW", "RFC 9112, 7.1", RefusesWith(400, 413), Chunked($"FFFFFFFFFFFFFFFF0\r\nhello\r\n{LastChunk}")),
    ];

    private static string Garbage()
    {
        byte[] bytes = new byte[256];
        new Random(42).NextBytes(bytes);
        return System.Text.Encoding.Latin1.GetString(bytes);
    }
}
