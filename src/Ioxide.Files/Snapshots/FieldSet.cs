using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Ioxide.Files;

/// <summary>The header fields that all representations of one file share, and how those of one are made of them.</summary>
/// <remarks>
/// The fields that a 304 repeats come first (<see cref="CountOfNotModified"/>): RFC 9110, section 15.4.5.
/// </remarks>
internal sealed class FieldSet
{
    private readonly string _contentType;
    private readonly bool _isNegotiated;
    private readonly string? _cacheControl;
    private readonly IReadOnlyList<KeyValuePair<string, StringValues>> _custom;

    /// <param name="contentType">The type of the file, of whatever coding.</param>
    /// <param name="isNegotiated">Whether there is more than one representation: then each says what it was chosen by.</param>
    /// <param name="cacheControl">Null for none.</param>
    /// <param name="custom">Fields of the application's.</param>
    internal FieldSet(
        string contentType, bool isNegotiated, string? cacheControl, IReadOnlyList<KeyValuePair<string, StringValues>> custom)
    {
        _contentType = contentType;
        _isNegotiated = isNegotiated;
        _cacheControl = cacheControl;
        _custom = custom;
    }

    internal KeyValuePair<string, StringValues>[] For(FileVariant variant)
    {
        var fields = new List<KeyValuePair<string, StringValues>>(8 + _custom.Count);
        Add(HeaderNames.ETag, variant.ETag);
        if (_isNegotiated)
        {
            Add(HeaderNames.Vary, HeaderNames.AcceptEncoding);
        }

        Add(HeaderNames.CacheControl, _cacheControl);
        Add(HeaderNames.LastModified, variant.LastModifiedText);
        Add(HeaderNames.ContentType, _contentType);
        Add(HeaderNames.ContentEncoding, FileCodings.NameOf(variant.Coding));
        Add(HeaderNames.AcceptRanges, "bytes");
        fields.AddRange(_custom);
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
