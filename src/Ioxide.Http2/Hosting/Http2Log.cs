using Microsoft.Extensions.Logging;

namespace Ioxide.Http2;

/// <summary>
/// Log messages of HTTP/2, ids 5000 to 5999. What Kestrel logs of requests too has Kestrel's category and id, so that alerts on it stay right: 13,
/// which was 5007, 32 and 41.
/// </summary>
internal static partial class Http2Log
{
    internal const string Category = "Ioxide.Http2";
    internal const string KestrelCategory = "Microsoft.AspNetCore.Server.Kestrel";

    [LoggerMessage(13, LogLevel.Error,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": An unhandled exception was thrown by the application.",
        EventName = "ApplicationError")]
    internal static partial void ApplicationError(ILogger logger, string connectionId, string traceIdentifier, Exception exception);

    [LoggerMessage(32, LogLevel.Information,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": the application completed without reading the entire request body.",
        EventName = "RequestBodyNotEntirelyRead")]
    internal static partial void BodyLeftUnread(ILogger logger, string connectionId, string traceIdentifier);

    [LoggerMessage(41, LogLevel.Warning,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": Connection, Transfer-Encoding, Keep-Alive, "
            + "Upgrade and Proxy-Connection were "
        + "taken out of the response, because HTTP/2 does not have them. Do not set them.",
        EventName = "InvalidResponseHeaderRemoved")]
    internal static partial void FieldsRemoved(ILogger logger, string connectionId, string traceIdentifier);

    [LoggerMessage(5001, LogLevel.Information, "{EndPoint}: HTTP/2 on the reactors{Clients}.", EventName = "Started")]
    internal static partial void Started(ILogger logger, string endPoint, string clients);

    [LoggerMessage(EventId = 5002, Message = "{EndPoint}: left to Kestrel, because {Reason}", EventName = "LeftToKestrel")]
    internal static partial void LeftToKestrel(ILogger logger, LogLevel level, string endPoint, string reason);

    [LoggerMessage(5003, LogLevel.Debug, "Connection {ConnectionId} ends with {Code}: {Reason}", EventName = "ConnectionError")]
    internal static partial void ConnectionError(ILogger logger, string connectionId, Http2ErrorCode code, string reason);

    [LoggerMessage(5004, LogLevel.Debug, "Connection {ConnectionId}, stream {StreamId}: reset with {Code}: {Reason}", EventName = "StreamError")]
    internal static partial void StreamError(ILogger logger, string connectionId, int streamId, Http2ErrorCode code, string reason);

    [LoggerMessage(5005, LogLevel.Debug, "Connection {ConnectionId} was lost: {Reason}", EventName = "ConnectionLost")]
    internal static partial void ConnectionLost(ILogger logger, string connectionId, string reason);

    [LoggerMessage(
        5006, LogLevel.Error, "Connection {ConnectionId}: the HTTP/2 engine failed. Report this with its trace.", EventName = "ConnectionFailed")]
    internal static partial void ConnectionFailed(ILogger logger, string connectionId, Exception exception);

    [LoggerMessage(5008, LogLevel.Debug,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": The request was aborted by the client or the application.",
        EventName = "RequestAborted")]
    internal static partial void RequestAborted(ILogger logger, string connectionId, string traceIdentifier);

    [LoggerMessage(5009, LogLevel.Error,
        "UseIoxideHttp2 cannot find Kestrel's endpoints: this version of Kestrel ({Version}) stores them differently. Kestrel serves HTTP/2.",
        EventName = "KestrelUnknown")]
    internal static partial void KestrelUnknown(ILogger logger, Version? version, Exception exception);
}
