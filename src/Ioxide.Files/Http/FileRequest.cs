namespace Ioxide.Files;

/// <summary>What a GET or HEAD says that decides about the answer. A header that is not there is empty.</summary>
internal ref struct FileRequest
{
    internal bool IsHead;
    internal ReadOnlySpan<char> AcceptEncoding;
    internal ReadOnlySpan<char> IfMatch;
    internal ReadOnlySpan<char> IfNoneMatch;
    internal ReadOnlySpan<char> IfModifiedSince;
    internal ReadOnlySpan<char> IfUnmodifiedSince;
    internal ReadOnlySpan<char> Range;
    internal ReadOnlySpan<char> IfRange;

    internal static FileRequest Of(HttpRequest request)
    {
        IHeaderDictionary headers = request.Headers;
        return new FileRequest
        {
            IsHead = HttpMethods.IsHead(request.Method),
            AcceptEncoding = HeaderText.Trim(headers.AcceptEncoding.ToString()),
            IfMatch = HeaderText.Trim(headers.IfMatch.ToString()),
            IfNoneMatch = HeaderText.Trim(headers.IfNoneMatch.ToString()),
            IfModifiedSince = HeaderText.Trim(headers.IfModifiedSince.ToString()),
            IfUnmodifiedSince = HeaderText.Trim(headers.IfUnmodifiedSince.ToString()),
            Range = HeaderText.Trim(headers.Range.ToString()),
            IfRange = HeaderText.Trim(headers.IfRange.ToString()),
        };
    }
}
