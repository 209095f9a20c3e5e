using System.Globalization;
using static Ioxide.AspNetCore.Tests.ProbeJudge;
using static Ioxide.AspNetCore.Tests.ProbeText;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Bodies that must be taken, bodies that are not whole, and what each response must say.</summary>
internal static class BodyCases
{
    internal static ProbeCase[] All { get; } =
    [
        new("COMP-POST-CL-BODY", "RFC 9112, 6.2", Echoes("hello"), Post("Content-Length: 5\r\n", "hello")),
        new("COMP-POST-CL-ZERO", "RFC 9112, 6.2", Takes, Post("Content-Length: 0\r\n")),
        new("COMP-POST-NO-CL-NO-TE", "RFC 9112, 6.3", Takes, Post("")),
        new("COMP-POST-CL-UNDERSEND", "RFC 9112, 6.2", WaitsOrRefuses, Post("Content-Length: 10\r\n", "hello")),
        new("COMP-GET-WITH-CL-BODY", "RFC 9110, 9.3.1", RefusesOrTakes, Get("/", "Content-Length: 5\r\n") + "hello") { IsScored = false },
        new("RFC9112-6.1-CL-NON-NUMERIC", "RFC 9112, 6.3", Refuses, Post("Content-Length: abc\r\n")),
        new("RFC9112-6.1-CL-PLUS-SIGN", "RFC 9112, 6.3", Refuses, Post("Content-Length: +5\r\n", "hello")),
        new("COMP-UNKNOWN-TE-501", "RFC 9112, 6.1", RefusesWith(400, 501), Post("Transfer-Encoding: gzip\r\n")),

        new("COMP-CHUNKED-BODY", "RFC 9112, 7.1", Echoes("hello"), Chunked("5\r\nhello\r\n" + LastChunk)),
        new("COMP-CHUNKED-MULTI", "RFC 9112, 7.1", Echoes("hello world"), Chunked("5\r\nhello\r\n6\r\n world\r\n" + LastChunk)),
        new("COMP-CHUNKED-EMPTY", "RFC 9112, 7.1", Takes, Chunked(LastChunk)),
        new("COMP-CHUNKED-NO-FINAL", "RFC 9112, 7.1", WaitsOrRefuses, Chunked("5\r\nhello\r\n")),
        new("COMP-CHUNKED-EXTENSION", "RFC 9112, 7.1.1", First(static answer =>
            answer.IsTaken && answer.Final!.Text == "hello" ? Score.Pass : answer.Status == 400 || answer.IsCut ? Score.Warn : Score.Fail),
            Chunked("5;ext=value\r\nhello\r\n" + LastChunk)),
        new("COMP-CHUNKED-TRAILER-VALID", "RFC 9112, 7.1.2", Echoes("hello"), Chunked("5\r\nhello\r\n0\r\nX-Checksum: abc\r\n\r\n")),
        new("COMP-CHUNKED-HEX-UPPERCASE", "RFC 9112, 7.1", Echoes("helloworld"), Chunked("A\r\nhelloworld\r\n" + LastChunk)),

        // What a response says.
        new("COMP-HEAD-NO-BODY", "RFC 9110, 9.3.2", Takes, Line("HEAD / HTTP/1.1")),
        new("COMP-DATE-HEADER", "RFC 9110, 6.6.1", MustTake(static answer => answer.Final!.Headers.ContainsKey("Date")), Get()),
        new("COMP-DATE-FORMAT", "RFC 9110, 5.6.7", MustTake(static answer => IsDate(answer.Final!), Score.Warn), Get()) { IsScored = false },
        new("COMP-CONTENT-TYPE", "RFC 9110, 8.3", MustTake(static answer => answer.Final!.Headers.ContainsKey("Content-Type"), Score.Warn), Get()),
        new("COMP-NO-CL-IN-204", "RFC 9110, 8.6", First(static answer =>
            answer.Final is not { } final ? Score.Fail
            : final.Status != 204 ? Score.Warn
            : final.Headers.ContainsKey("Content-Length") ? Score.Fail
            : Score.Pass), Line("OPTIONS / HTTP/1.1")),
        new("COMP-OPTIONS-ALLOW", "RFC 9110, 9.3.7", MustTake(static answer => answer.Final!.Headers.ContainsKey("Allow"), Score.Warn),
            Line("OPTIONS / HTTP/1.1")),
    ];

    private static bool IsDate(RawResponse response)
        => DateTime.TryParseExact(
            response.Headers.GetValueOrDefault("Date"), "ddd, dd MMM yyyy HH:mm:ss 'GMT'", CultureInfo.InvariantCulture, DateTimeStyles.None, out _);
}
