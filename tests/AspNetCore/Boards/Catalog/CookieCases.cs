using static Ioxide.AspNetCore.Tests.ProbeJudge;
using static Ioxide.AspNetCore.Tests.ProbeText;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Cookies as fields and as the framework parses them. None is scored by the catalogue.</summary>
internal static class CookieCases
{
    private static readonly ProbeJudge s_survives = First(static answer =>
        answer.IsTaken || answer.Status is 400 or 431 || answer.IsCut ? Score.Pass : Score.Fail);

    /// <summary>Refused, or without the bytes that no cookie may have.</summary>
    private static readonly ProbeJudge s_cleans = First(static answer =>
        answer.Status == 400 || answer.IsCut ? Score.Pass
        : answer.IsTaken && !answer.Final!.Text.Any(static letter => letter < '\t') ? Score.Pass
        : Score.Fail);

    internal static ProbeCase[] All { get; } =
    [
        Case("COOK-ECHO", "RFC 6265, 5.4", Has("Cookie: foo=bar"), Get("/echo", "Cookie: foo=bar\r\n")),
        Case("COOK-OVERSIZED", "RFC 6265, 6.1", s_survives, Get("/echo", $"Cookie: big={new string('A', 65_536)}\r\n")),
        Case("COOK-EMPTY", "RFC 6265, 4.2.1", s_survives, Get("/echo", "Cookie: \r\n")),
        Case("COOK-NUL", "RFC 9110, 5.5", s_cleans, Get("/echo", "Cookie: foo=\0bar\r\n")),
        Case("COOK-CONTROL-CHARS", "RFC 6265, 4.1.1", s_cleans, Get("/echo", "Cookie: foo=\u0001\u0002\u0003\r\n")),
        Case("COOK-MANY-PAIRS", "RFC 6265, 6.1", s_survives,
            Get("/echo", $"Cookie: {string.Join("; ", Enumerable.Range(0, 1000).Select(static i => $"k{i}=v{i}"))}\r\n")),
        Case("COOK-MALFORMED", "RFC 6265, 4.1.1", s_survives, Get("/echo", "Cookie: ===;;;\r\n")),
        Case("COOK-MULTI-HEADER", "RFC 6265, 5.4", Has("a=1", "b=2"), Get("/echo", "Cookie: a=1\r\nCookie: b=2\r\n")),
        Case("COOK-PARSED-BASIC", "RFC 6265, 4.1.1", Has("foo=bar"), Get("/cookie", "Cookie: foo=bar\r\n")),
        Case("COOK-PARSED-MULTI", "RFC 6265, 4.2.1", Has("a=1", "b=2", "c=3"), Get("/cookie", "Cookie: a=1; b=2; c=3\r\n")),
        Case("COOK-PARSED-EMPTY-VAL", "RFC 6265, 4.1.1", s_survives, Get("/cookie", "Cookie: foo=\r\n")),
        Case("COOK-PARSED-SPECIAL", "RFC 6265, 4.1.1", s_survives, Get("/cookie", "Cookie: a=hello world; b=x=y\r\n")),
    ];

    private static ProbeCase Case(string id, string section, ProbeJudge judge, string step) => new(id, section, judge, step) { IsScored = false };

    private static ProbeJudge Has(params string[] pairs) => First(answer =>
        answer.IsTaken ? pairs.All(pair => answer.Final!.Text.Contains(pair, StringComparison.Ordinal)) ? Score.Pass : Score.Fail
        : answer.Status == 400 || answer.IsCut ? Score.Warn
        : Score.Fail);
}
