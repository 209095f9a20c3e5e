namespace Ioxide.Files;

/// <summary>What the preconditions of a request say.</summary>
internal enum Precondition
{
    /// <summary>They hold, or there are none.</summary>
    Proceed,

    /// <summary>The client has the current version: 304.</summary>
    NotModified,

    /// <summary>The client asked for another version: 412.</summary>
    Failed,
}

/// <summary>Evaluates preconditions of GET and HEAD in the order of RFC 9110, section 13.2.2.</summary>
internal static class Preconditions
{
    internal static Precondition Evaluate(in FileRequest request, FileVariant variant)
    {
        if (!request.IfMatch.IsEmpty)
        {
            if (!EntityTags.Contains(request.IfMatch, variant.ETag, isWeak: false))
            {
                return Precondition.Failed;
            }
        }
        else if (IsNewerThan(variant, request.IfUnmodifiedSince))
        {
            return Precondition.Failed;
        }

        bool isKnown = request.IfNoneMatch.IsEmpty
            ? IsNotNewerThan(variant, request.IfModifiedSince)
            : EntityTags.Contains(request.IfNoneMatch, variant.ETag, isWeak: true);
        return isKnown ? Precondition.NotModified : Precondition.Proceed;
    }

    /// <summary>Whether a range may be sent: without If-Range always, else only of the version that the client has part of.</summary>
    /// <remarks>Source: RFC 9110, section 13.1.5: a strong tag, or the date as it was sent.</remarks>
    internal static bool AllowsRange(ReadOnlySpan<char> ifRange, FileVariant variant)
    {
        if (ifRange.IsEmpty)
        {
            return true;
        }

        return EntityTags.IsTag(ifRange)
            ? ifRange.SequenceEqual(variant.ETag)
            : HttpDates.TryParse(ifRange, out DateTimeOffset date) && date == variant.LastModified;
    }

    private static bool IsNewerThan(FileVariant variant, ReadOnlySpan<char> header)
        => HttpDates.TryParse(header, out DateTimeOffset date) && variant.LastModified > date;

    private static bool IsNotNewerThan(FileVariant variant, ReadOnlySpan<char> header)
        => header.SequenceEqual(variant.LastModifiedText)
            || (HttpDates.TryParse(header, out DateTimeOffset date) && variant.LastModified <= date);
}
