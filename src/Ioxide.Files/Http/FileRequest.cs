namespace Ioxide.Files;

/// <summary>What a GET or HEAD says that decides about the answer. A header that is not there is empty.</summary>
internal ref struct FileRequest
{
    internal bool IsHead;
    internal ReadOnlySpan<byte> AcceptEncoding;
    internal ReadOnlySpan<byte> IfMatch;
    internal ReadOnlySpan<byte> IfNoneMatch;
    internal ReadOnlySpan<byte> IfModifiedSince;
    internal ReadOnlySpan<byte> IfUnmodifiedSince;
    internal ReadOnlySpan<byte> Range;
    internal ReadOnlySpan<byte> IfRange;
}
