using System.Net.Security;
using System.Security.Authentication;
using Microsoft.Extensions.Logging;

namespace Ioxide.Tls;

/// <summary>Log messages of TLS, ids 3000 to 3999.</summary>
internal static partial class TlsLog
{
    [LoggerMessage(3001, LogLevel.Information, "{EndPoint}: TLS on the ring.", EventName = "Started")]
    internal static partial void Started(ILogger logger, string endPoint);

    [LoggerMessage(3002, LogLevel.Warning, "{EndPoint}: TLS by SslStream, because {Reason}", EventName = "FellBack")]
    internal static partial void FellBack(ILogger logger, string endPoint, string reason);

    [LoggerMessage(3003, LogLevel.Debug, "Connection {ConnectionId}: the handshake failed: {Reason}", EventName = "HandshakeFailed")]
    internal static partial void HandshakeFailed(ILogger logger, string connectionId, string reason, Exception exception);

    [LoggerMessage(3004, LogLevel.Debug,
        "Connection {ConnectionId}: {Protocol}, {CipherSuite}, application protocol '{ApplicationProtocol}', resumed {IsResumed}.",
        EventName = "HandshakeDone")]
    internal static partial void HandshakeDone(
        ILogger logger, string connectionId, SslProtocols protocol, TlsCipherSuite cipherSuite,
        SslApplicationProtocol applicationProtocol, bool isResumed);
}
