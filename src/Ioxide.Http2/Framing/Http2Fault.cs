namespace Ioxide.Http2;

/// <summary>What a peer did wrong and what ends for it. A value, because peers do wrong as often as they like.</summary>
/// <param name="Code">What it is told.</param>
/// <param name="IsStream">The stream alone ends; else the connection.</param>
/// <param name="Reason">A sentence for the log; null where nothing is wrong.</param>
internal readonly record struct Http2Fault(Http2ErrorCode Code, bool IsStream, string? Reason)
{
    internal bool IsNone => Reason is null;

    internal bool IsConnection => Reason is not null && !IsStream;

    internal static Http2Fault Connection(Http2ErrorCode code, string reason) => new(code, IsStream: false, reason);

    internal static Http2Fault Stream(Http2ErrorCode code, string reason) => new(code, IsStream: true, reason);
}
