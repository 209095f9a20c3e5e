namespace Ioxide.Http2;

/// <summary>A peer's violation and its consequence. A value type, because peers can cause any number of them.</summary>
/// <param name="Code">The error code sent to the peer.</param>
/// <param name="IsStream">Only the stream ends; otherwise the connection does.</param>
/// <param name="Reason">A sentence for the log; null without a fault.</param>
/// <param name="ErrorType">Kestrel's word for it, if it has one that the code does not imply.</param>
internal readonly record struct Http2Fault(Http2ErrorCode Code, bool IsStream, string? Reason, string? ErrorType)
{
    internal bool IsNone => Reason is null;

    internal bool IsConnection => Reason is not null && !IsStream;

    /// <summary>The attribute <c>error.type</c> of <c>kestrel.connection.duration</c>.</summary>
    internal string ConnectionErrorType => ErrorType ?? Code switch
    {
        Http2ErrorCode.ProtocolError => "unexpected_frame",
        Http2ErrorCode.FlowControlError => "flow_control_window_exceeded",
        Http2ErrorCode.FrameSizeError => "invalid_frame_length",
        Http2ErrorCode.StreamClosed => "frame_after_stream_close",
        Http2ErrorCode.CompressionError => "error_reading_headers",

        // Kestrel has no word for it.
        Http2ErrorCode.EnhanceYourCalm => "enhance_your_calm",
        _ => "other_error",
    };

    internal static Http2Fault Connection(Http2ErrorCode code, string reason, string? errorType = null)
        => new(code, IsStream: false, reason, errorType);

    internal static Http2Fault Stream(Http2ErrorCode code, string reason) => new(code, IsStream: true, reason, null);
}
