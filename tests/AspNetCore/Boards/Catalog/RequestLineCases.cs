using static Ioxide.AspNetCore.Tests.ProbeJudge;
using static Ioxide.AspNetCore.Tests.ProbeText;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Methods, targets, versions, and how lines end.</summary>
internal static class RequestLineCases
{
    private static readonly ProbeJudge s_refusesMethod = RefusesOrTakesWith(400, 405, 501);

    internal static ProbeCase[] All { get; } =
    [
        new("COMP-BASELINE", "RFC 9110, 9.3.1", Takes, Get()),

        // How lines end.
        new("RFC9112-2.2-BARE-LF-REQUEST-LINE", "RFC 9112, 2.2", RefusesOrTakes, $"GET / HTTP/1.1\n{Host}\r\n"),
        new("RFC9112-2.2-BARE-LF-HEADER", "RFC 9112, 2.2", RefusesOrTakes, "GET / HTTP/1.1\r\nHost: localhost\nX-Test: value\r\n\r\n"),
        new("RFC9112-3-CR-ONLY-LINE-ENDING", "RFC 9112, 2.2", Answers400, $"GET / HTTP/1.1\r{Host}\r\n"),
        new("COMP-LEADING-CRLF", "RFC 9112, 2.2", ShouldTake(), "\r\n\r\n" + Get()),
        new("COMP-WHITESPACE-BEFORE-HEADERS", "RFC 9112, 2.2", Refuses, $"GET / HTTP/1.1\r\n \r\n{Host}\r\n"),

        // Its three parts.
        new("RFC9112-3-MULTI-SP-REQUEST-LINE", "RFC 9112, 3", RefusesOrTakes, Line("GET  / HTTP/1.1")),
        new("COMP-REQUEST-LINE-TAB", "RFC 9112, 3", RefusesOrTakes, Line("GET\t/ HTTP/1.1")),
        new("RFC9112-3-MISSING-TARGET", "RFC 9112, 3", Refuses, Line("GET HTTP/1.1")),
        new("COMP-SPACE-IN-TARGET", "RFC 9112, 3.2", Refuses, Line("GET /pa th HTTP/1.1")),
        new("COMP-LONG-URL-OK", "RFC 9112, 3", First(static answer =>
            answer.Status is 414 or 0 && !answer.IsCut ? Score.Fail : answer.IsCut ? Score.Warn : Score.Pass), Get("/" + new string('a', 7900))),

        // Targets.
        new("RFC9112-3.2-FRAGMENT-IN-TARGET", "RFC 9112, 3.2", RefusesOrTakes, Get("/path#frag")),
        new("COMP-ASTERISK-WITH-GET", "RFC 9112, 3.2.4", Refuses, Get("*")),
        new("COMP-OPTIONS-STAR", "RFC 9112, 3.2.4", Takes, Line("OPTIONS * HTTP/1.1")),
        new("COMP-ABSOLUTE-FORM", "RFC 9112, 3.2.2", ShouldTake(), Get("http://localhost/")) { IsScored = false },

        // Versions.
        new("RFC9112-2.3-INVALID-VERSION", "RFC 9112, 2.3", RefusesWith(400, 505), Line("GET / HTTP/9.9")),
        new("RFC9112-2.3-HTTP09-REQUEST", "RFC 9112, 2.3", WaitsOrRefuses, "GET /\r\n"),
        new("COMP-VERSION-MISSING-MINOR", "RFC 9112, 2.3", Refuses, Line("GET / HTTP/1")),
        new("COMP-VERSION-LEADING-ZEROS", "RFC 9112, 2.3", Refuses, Line("GET / HTTP/01.01")),
        new("COMP-VERSION-WHITESPACE", "RFC 9112, 2.3", Refuses, Line("GET / HTTP/ 1.1")),
        new("COMP-VERSION-CASE", "RFC 9112, 2.3", Refuses, Line("GET / http/1.1")),
        new("COMP-HTTP12-VERSION", "RFC 9110, 6.2", ShouldTake(null, 505), Line("GET / HTTP/1.2")) { IsScored = false },
        new("COMP-HTTP10-NO-HOST", "RFC 9112, 3.2", ShouldTake(), "GET / HTTP/1.0\r\n\r\n") { IsScored = false },
        new("COMP-HTTP10-DEFAULT-CLOSE", "RFC 9112, 9.3", MustTake(static answer => answer.End == StepEnd.Closed, Score.Warn),
            Line("GET / HTTP/1.0")),
        new("COMP-NO-1XX-HTTP10", "RFC 9110, 15.2", First(static answer =>
            answer.Responses.Any(static response => response.Status < 200) || answer.Final is null ? Score.Fail : Score.Pass),
            Line("POST / HTTP/1.0", "Expect: 100-continue\r\nContent-Length: 5\r\n") + "hello"),

        // Methods.
        new("COMP-METHOD-CASE", "RFC 9110, 9.1", s_refusesMethod, Line("get / HTTP/1.1")),
        new("COMP-UNKNOWN-METHOD", "RFC 9110, 9.1", s_refusesMethod, Line("FOOBAR / HTTP/1.1")),
        new("COMP-METHOD-CONNECT", "RFC 9110, 9.3.6", RefusesWith(400, 405, 501),
            "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"),
        new("COMP-METHOD-TRACE", "RFC 9110, 9.3.8", s_refusesMethod, Line("TRACE / HTTP/1.1")) { IsScored = false },
        new("COMP-TRACE-WITH-BODY", "RFC 9110, 9.3.8", s_refusesMethod,
            Line("TRACE / HTTP/1.1", "Content-Length: 5\r\n") + "hello") { IsScored = false },
        new("COMP-TRACE-SENSITIVE", "RFC 9110, 9.3.8", First(static answer =>
            answer.Status is 405 or 501 || answer.IsCut ? Score.Pass
            : !answer.IsTaken ? Score.Fail
            : answer.Final!.Text.Contains("secret", StringComparison.Ordinal) ? Score.Warn
            : Score.Pass), Line("TRACE / HTTP/1.1", "Authorization: Bearer secret\r\n")) { IsScored = false },
        new("COMP-405-ALLOW", "RFC 9110, 15.5.6", First(static answer =>
            answer.Status == 405 ? answer.Final!.Headers.ContainsKey("Allow") ? Score.Pass : Score.Fail
            : answer.Final is null ? Score.Fail
            : Score.Warn), Line("DELETE / HTTP/1.1")),
    ];
}
