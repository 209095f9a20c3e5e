using Microsoft.Net.Http.Headers;

namespace Ioxide.Files;

/// <summary>The header fields that all representations of one file share, and how those of one are made of them.</summary>
/// <remarks>The fields that a 304 repeats come first (<see cref="CountOfNotModified"/>): RFC 9110, section 15.4.5.</remarks>
/// <param name="contentType">The type of the file, of whatever coding.</param>
/// <param name="isNegotiated">Whether there is more than one representation: then each says what it was chosen by.</param>
/// <param name="cacheControl">Null for none.</param>
/// <param name="custom">Fields of the application's.</param>
internal sealed class FieldSet(string contentType, bool isNegotiated, string? cacheControl, IReadOnlyList<KeyValuePair<string, StringValues>> custom)
{
    internal KeyValuePair<string, StringValues>[] For(FileVariant variant)
    {
        var fields = new List<KeyValuePair<string, StringValues>>(8 + custom.Count);
        Add(HeaderNames.ETag, variant.ETag);
        if (isNegotiated)
        {
            Add(HeaderNames.Vary, HeaderNames.AcceptEncoding);
        }

        Add(HeaderNames.CacheControl, cacheControl);
        Add(HeaderNames.LastModified, variant.LastModifiedText);
        Add(HeaderNames.ContentType, contentType);
        Add(HeaderNames.ContentEncoding, FileCodings.NameOf(variant.Coding));
        Add(HeaderNames.AcceptRanges, "bytes");
        fields.AddRange(custom);
        return [.. fields];

        void Add(string name, string? value)
        {
            if (value is not null)
            {
                fields.Add(new(name, value));
            }
        }
    }

    /// <summary>How many of the fields, from the first on, an answer without the representation has.</summary>
    internal static int CountOfNotModified(KeyValuePair<string, StringValues>[] fields)
        => Array.FindIndex(fields, static field => field.Key == HeaderNames.ContentType);
}
