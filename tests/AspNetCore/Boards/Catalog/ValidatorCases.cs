using static Ioxide.AspNetCore.Tests.ProbeJudge;
using static Ioxide.AspNetCore.Tests.ProbeText;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Conditional requests for a static file. None is scored by the catalogue.</summary>
internal static class ValidatorCases
{
    private const string Tag = "ETag";
    private const string Date = "Last-Modified";
    private const string Long = "Thu, 01 Jan 1970 00:00:00 GMT";
    private const string Future = "Thu, 01 Jan 2099 00:00:00 GMT";

    internal static ProbeCase[] All { get; } =
    [
        Case("CAP-ETAG-304", "RFC 9110, 13.1.2", NotModified(Tag), "If-None-Match: {ETag}"),
        Case("CAP-LAST-MODIFIED-304", "RFC 9110, 13.1.3", NotModified(Date), "If-Modified-Since: {Last-Modified}"),
        Case("CAP-ETAG-IN-304", "RFC 9110, 15.4.5", Conditional(Tag, static response =>
            response.Status == 304 && response.Headers.ContainsKey(Tag) ? Score.Pass : Score.Warn), "If-None-Match: {ETag}"),
        Case("CAP-INM-PRECEDENCE", "RFC 9110, 13.2.2", NotModified(Tag), $"If-None-Match: {{ETag}}\r\nIf-Modified-Since: {Long}"),
        Case("CAP-INM-WILDCARD", "RFC 9110, 13.1.2", NotModified(), "If-None-Match: *"),
        Case("CAP-IMS-FUTURE", "RFC 9110, 13.1.3", Sent(), $"If-Modified-Since: {Future}"),
        Case("CAP-IMS-INVALID", "RFC 9110, 13.1.3", Sent(), "If-Modified-Since: not-a-date"),
        Case("CAP-INM-UNQUOTED", "RFC 9110, 8.8.3", Sent(Tag), "If-None-Match: {bare:ETag}"),
        Case("CAP-ETAG-WEAK", "RFC 9110, 13.1.2", NotModified(Tag), "If-None-Match: {weak:ETag}"),
    ];

    private static ProbeCase Case(string id, string section, ProbeJudge judge, string condition)
        => new(id, section, judge, Get(FilePath), Get(FilePath, $"{condition}\r\n")) { IsScored = false };

    private static ProbeJudge NotModified(string? field = null)
        => Conditional(field, static response => response.Status == 304 ? Score.Pass : response.Status == 200 ? Score.Warn : Score.Fail);

    private static ProbeJudge Sent(string? field = null)
        => Conditional(field, static response => response.Status == 200 ? Score.Pass : response.Status == 304 ? Score.Warn : Score.Fail);
}
