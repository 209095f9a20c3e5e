namespace Ioxide.Files;

/// <summary>Evaluates preconditions of GET and HEAD in the order of RFC 9110, section 13.2.2.</summary>
internal static class Preconditions
{
    /// <summary>Whether the client has the current version, or asked for another one; null where they hold, or there are none.</summary>
    internal static FileOutcome? Evaluate(in FileRequest request, FileVariant variant)
    {
        if (!request.IfMatch.IsEmpty)
        {
            if (!EntityTags.Contains(request.IfMatch, variant.ETag, isWeak: false))
            {
                return FileOutcome.PreconditionFailed;
            }
        }
        else if (IsNewerThan(variant, request.IfUnmodifiedSince))
        {
            return FileOutcome.PreconditionFailed;
        }

        bool isKnown = request.IfNoneMatch.IsEmpty
            ? IsNotNewerThan(variant, request.IfModifiedSince)
            : EntityTags.Contains(request.IfNoneMatch, variant.ETag, isWeak: true);
        return isKnown ? FileOutcome.NotModified : null;
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
