namespace Ioxide.Files;

/// <summary>Gives a request's headers as bytes, in memory of the caller's while that suffices.</summary>
internal ref struct RequestHeaders
{
    /// <summary>Bytes that are enough for the headers of nearly all requests.</summary>
    internal const int ScratchBytes = 512;

    private Span<byte> _scratch;

    private RequestHeaders(Span<byte> scratch) => _scratch = scratch;

    /// <summary>Reads what decides about the answer.</summary>
    /// <param name="request">A GET or HEAD.</param>
    /// <param name="scratch">Outlives what is returned.</param>
    internal static FileRequest Read(HttpRequest request, Span<byte> scratch)
    {
        var reader = new RequestHeaders(scratch);
        IHeaderDictionary headers = request.Headers;
        return new FileRequest
        {
            IsHead = HttpMethods.IsHead(request.Method),
            AcceptEncoding = reader.Take(headers.AcceptEncoding),
            IfMatch = reader.Take(headers.IfMatch),
            IfNoneMatch = reader.Take(headers.IfNoneMatch),
            IfModifiedSince = reader.Take(headers.IfModifiedSince),
            IfUnmodifiedSince = reader.Take(headers.IfUnmodifiedSince),
            Range = reader.Take(headers.Range),
            IfRange = reader.Take(headers.IfRange),
        };
    }

    private ReadOnlySpan<byte> Take(StringValues values)
    {
        if (values.Count == 0)
        {
            return default;
        }

        string text = values.Count == 1 ? values[0] ?? "" : string.Join(", ", (IEnumerable<string?>)values);
        Span<byte> target = text.Length <= _scratch.Length ? _scratch[..text.Length] : new byte[text.Length];
        if (text.Length <= _scratch.Length)
        {
            _scratch = _scratch[text.Length..];
        }

        Encoding.Latin1.GetBytes(text, target);
        return HeaderText.Trim(target);
    }
}
