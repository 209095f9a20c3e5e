namespace Ioxide.Http2;

/// <summary>A peer's violation and its consequence. A value type, because peers can cause any number of them.</summary>
/// <param name="Code">The error code sent to the peer.</param>
/// <param name="IsStream">Only the stream ends; otherwise the connection does.</param>
/// <param name="Reason">A sentence for the log; null without a fault.</param>
internal readonly record struct Http2Fault(Http2ErrorCode Code, bool IsStream, string? Reason)
{
    internal bool IsNone => Reason is null;

    internal bool IsConnection => Reason is not null && !IsStream;

    internal static Http2Fault Connection(Http2ErrorCode code, string reason) => new(code, IsStream: false, reason);

    internal static Http2Fault Stream(Http2ErrorCode code, string reason) => new(code, IsStream: true, reason);
}
