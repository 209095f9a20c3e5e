namespace Ioxide.Files.Tests;

/// <summary>A way in which another server may answer otherwise, and the section of RFC 9110 that says who is right.</summary>
internal sealed record Difference(string Section, string What, Func<GeneratedRequest, RawResponse, RawResponse, bool> Covers)
{
    internal int Count { get; set; }

    /// <summary>Those that servers have which evaluate all conditions and take the strongest.</summary>
    internal static Difference TagAndDate => new(
        "13.2.2", "If-None-Match decides alone, whatever If-Modified-Since says",
        static (request, ours, _) => request is { IfNoneMatch: not null, IfModifiedSince: not null } && ours.Status is 304 or 200 or 206);

    private static Difference Combined => new(
        "13.2.2", "a condition that holds does not outweigh the one behind it",
        static (request, ours, _) => (request.IfMatch ?? request.IfUnmodifiedSince) is not null && ours.Status == 304);

    private static Difference MatchAndDate => new(
        "13.2.2", "If-Unmodified-Since is ignored where there is If-Match",
        static (request, _, theirs) => request is { IfMatch: not null, IfUnmodifiedSince: not null } && theirs.Status == 412);

    private static Difference OtherUnit => new(
        "14.2", "a range of another unit is ignored",
        static (request, _, theirs) => request.Range == "lines=1-2" && theirs.Status == 206);

    private static Difference LaterDate => new(
        "13.1.5", "a date in If-Range must be the very date",
        static (request, _, theirs) => request.IfRange == GeneratedRequest.Later && theirs.Status is 206 or 416);

    private static Difference SeveralRanges => new(
        "14.2", "a server may ignore several ranges",
        static (request, ours, theirs) => request.Range == "bytes=0-4,10-14" && ours.Status == 206 && theirs.Status == 200);

    private static Difference NotModifiedFields => new(
        "15.4.5", "a 304 has no fields of the representation but those that tell which it is",
        static (_, ours, theirs) => ours.Status == theirs.Status && ours.Status == 304);

    private static Difference RefusalText => new(
        "15.5.13", "a refusal may say more",
        static (_, ours, theirs) => ours.Status == theirs.Status && ours.Status is 412 or 416);

    private static Difference EqualCoding => new(
        "12.5.3", "a coding that is wanted as much as another may be chosen",
        static (request, _, _) => request is { Path: "/coded.css", AcceptEncoding: "*" });

    /// <summary>What the framework's static files do otherwise.</summary>
    internal static IReadOnlyList<Difference> OfStaticFiles() =>
    [
        TagAndDate,
        Combined,
        MatchAndDate,
        OtherUnit,
        new("13.1.2", "If-None-Match compares weakly", static (request, ours, _) => request.IfNoneMatch == "W/{tag}" && ours.Status == 304),
        LaterDate,
        SeveralRanges,
        NotModifiedFields,
        RefusalText,
    ];

    /// <summary>What the framework's static assets do otherwise.</summary>
    internal static IReadOnlyList<Difference> OfStaticAssets() =>
    [
        TagAndDate,
        Combined,
        MatchAndDate,
        OtherUnit,
        LaterDate,
        SeveralRanges,
        new("8.6", "an answer to HEAD may leave the length out", static (request, ours, theirs)
            => request.Method == "HEAD" && ours.Status == theirs.Status),
        NotModifiedFields,
        RefusalText,
        EqualCoding,
    ];

    /// <summary>What nginx does otherwise.</summary>
    internal static IReadOnlyList<Difference> OfNginx() =>
    [
        TagAndDate,
        MatchAndDate,
        new("13.1.5", "a date in If-Range must be the very date", static (request, _, _)
            => request.IfRange is GeneratedRequest.Earlier or GeneratedRequest.Later),
        new("13.1.4", "a date that is none is ignored", static (request, _, theirs)
            => request.IfUnmodifiedSince == "no date" && theirs.Status == 412),
        new("14.2", "a server may ignore ranges, as nginx does of coded siblings", static (request, ours, theirs)
            => request is { Path: "/coded.css", Range: not null } && ours.Status is 206 or 416 && theirs.Status == 200),
        new("14.2", "ranges are for GET only", static (request, _, _) => request is { Method: "HEAD", Range: not null }),
        new("14.2", "a malformed or unknown range is ignored", static (request, _, theirs)
            => request.Range is "bytes=9-5" or "bytes=-0" && theirs.Status == 416),
        EqualCoding,
        new("15.5.13", "a refusal may say more, and has a page", static (_, ours, theirs)
            => ours.Status == theirs.Status && ours.Status is 404 or 412 or 416),
    ];
}
