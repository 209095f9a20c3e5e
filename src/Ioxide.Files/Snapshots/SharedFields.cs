using Microsoft.Net.Http.Headers;

namespace Ioxide.Files;

/// <summary>The header fields that many representations have in common: all but the tag and the date. They are made once.</summary>
/// <remarks>
/// What an error says comes first: without Cache-Control, because a cache could keep the error for the URL (RFC 9111, section 3). Then come the
/// other fields that a 304 repeats (RFC 9110, section 15.4.5).
/// </remarks>
internal sealed class SharedFields
{
    private static readonly string[] s_ofCaches = [HeaderNames.CacheControl, HeaderNames.Expires, HeaderNames.ContentLocation];

    private readonly KeyValuePair<string, StringValues>[] _fields;
    private readonly int _failedCount;
    private readonly int _notModifiedCount;

    /// <param name="contentType">The type of the file, of whatever coding.</param>
    /// <param name="coding">The coding.</param>
    /// <param name="isNegotiated">Whether there is more than one representation: then each says what it was chosen by.</param>
    /// <param name="cacheControl">Null for none.</param>
    /// <param name="custom">Fields of the application's.</param>
    internal SharedFields(
        string contentType, FileCoding coding, bool isNegotiated, string? cacheControl, IReadOnlyList<KeyValuePair<string, StringValues>> custom)
    {
        var fields = new List<KeyValuePair<string, StringValues>>(8 + custom.Count);
        Add(HeaderNames.Vary, isNegotiated ? HeaderNames.AcceptEncoding : null);
        fields.AddRange(custom.Where(static field => IsVary(field.Key)));
        _failedCount = fields.Count;
        Add(HeaderNames.CacheControl, cacheControl);
        fields.AddRange(custom.Where(static field => IsOfCaches(field.Key)));
        _notModifiedCount = fields.Count;
        Add(HeaderNames.ContentType, contentType);
        Add(HeaderNames.ContentEncoding, FileCodings.NameOf(coding));
        Add(HeaderNames.AcceptRanges, "bytes");
        fields.AddRange(custom.Where(static field => !IsVary(field.Key) && !IsOfCaches(field.Key)));
        Coding = coding;
        _fields = [.. fields];

        void Add(string name, string? value)
        {
            if (value is not null)
            {
                fields.Add(new(name, value));
            }
        }
    }

    internal FileCoding Coding { get; }

    /// <summary>The fields of an answer with the representation, without length, date and range.</summary>
    internal ReadOnlySpan<KeyValuePair<string, StringValues>> All => _fields;

    /// <summary>Those of an answer without the representation.</summary>
    internal ReadOnlySpan<KeyValuePair<string, StringValues>> NotModified => _fields.AsSpan(0, _notModifiedCount);

    /// <summary>Those of 412 and 416.</summary>
    internal ReadOnlySpan<KeyValuePair<string, StringValues>> Failed => _fields.AsSpan(0, _failedCount);

    internal static bool IsVary(string name) => name.Equals(HeaderNames.Vary, StringComparison.OrdinalIgnoreCase);

    private static bool IsOfCaches(string name) => s_ofCaches.Contains(name, StringComparer.OrdinalIgnoreCase);
}
