using Microsoft.Extensions.Logging;

namespace Ioxide.Http2;

/// <summary>What Kestrel logs of requests, under its category and with its ids, so that alerts on them stay right.</summary>
internal static partial class KestrelLog
{
    internal const string Category = "Microsoft.AspNetCore.Server.Kestrel";

    [LoggerMessage(13, LogLevel.Error,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": An unhandled exception was thrown by the application.",
        EventName = "ApplicationError")]
    internal static partial void ApplicationError(ILogger logger, string connectionId, string traceIdentifier, Exception exception);

    [LoggerMessage(41, LogLevel.Warning,
        "Connection id \"{ConnectionId}\", Request id \"{TraceIdentifier}\": Connection, Transfer-Encoding, Keep-Alive, Upgrade and Proxy-Connection were "
        + "taken out of the response, because HTTP/2 does not have them. Do not set them.",
        EventName = "InvalidResponseHeaderRemoved")]
    internal static partial void FieldsRemoved(ILogger logger, string connectionId, string traceIdentifier);
}
