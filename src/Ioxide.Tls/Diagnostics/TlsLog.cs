namespace Ioxide.Tls;

/// <summary>Log messages of TLS, ids 3000 to 3999.</summary>
internal static partial class TlsLog
{
    [LoggerMessage(3001, LogLevel.Information, "{EndPoint}: TLS on the ring: {Rules}.")]
    internal static partial void Started(ILogger logger, string endPoint, TlsRules rules);

    [LoggerMessage(3002, LogLevel.Warning, "{EndPoint}: TLS by SslStream, because {Reason}")]
    internal static partial void FellBack(ILogger logger, string endPoint, string reason);

    [LoggerMessage(3003, LogLevel.Debug, "Connection {ConnectionId}: the TLS handshake failed: {Reason}")]
    internal static partial void HandshakeFailed(ILogger logger, string connectionId, string reason, Exception exception);

    [LoggerMessage(3004, LogLevel.Debug,
        "Connection {ConnectionId}: {Protocol}, {CipherSuite}, application protocol '{ApplicationProtocol}', resumed {IsResumed}.")]
    internal static partial void HandshakeDone(
        ILogger logger, string connectionId, SslProtocols protocol, TlsCipherSuite cipherSuite,
        SslApplicationProtocol applicationProtocol, bool isResumed);

    [LoggerMessage(3005, LogLevel.Information, "{EndPoint}: TLS by SslStream, because {Reason}")]
    internal static partial void NotOnRing(ILogger logger, string endPoint, string reason);

    [LoggerMessage(3006, LogLevel.Error,
        "Refused connection {ConnectionId} to {EndPoint}, which would be served without {Options}: {Reason} Further refusals are logged at Debug.")]
    internal static partial void Refused(ILogger logger, string connectionId, string endPoint, string options, string reason);

    [LoggerMessage(3007, LogLevel.Debug,
        "Refused connection {ConnectionId} to {EndPoint}, which would be served without {Options}: {Reason}")]
    internal static partial void RefusedAgain(ILogger logger, string connectionId, string endPoint, string options, string reason);

    [LoggerMessage(3008, LogLevel.Error,
        "UseIoxideTlsForHttps cannot read what UseHttps was given: this version of Kestrel ({Version}) stores it differently. SslStream serves " +
        "every endpoint. Call UseIoxideTls on each HTTPS endpoint instead.")]
    internal static partial void KestrelUnknown(ILogger logger, string version, Exception exception);

    [LoggerMessage(3009, LogLevel.Warning,
        "ConfigureEndpointDefaults was called after UseIoxideTlsForHttps, and Kestrel keeps only the last call: SslStream serves the HTTPS " +
        "endpoints. Call UseIoxideTlsForHttps after it, or UseIoxideTls on each HTTPS endpoint.")]
    internal static partial void Replaced(ILogger logger);

    [LoggerMessage(3010, LogLevel.Warning,
        "{EndPoints}: added before UseIoxideTlsForHttps was called, so SslStream serves there. Call UseIoxideTlsForHttps before it, or " +
        "UseIoxideTls on it.")]
    internal static partial void AddedBefore(ILogger logger, string endPoints);

    [LoggerMessage(3011, LogLevel.Warning,
        "{EndPoint}: the chain of the certificate {Subject} of {Issuer} is not complete: an issuer is neither in the machine's stores nor at the " +
        "address that the certificate names. Clients that do not know it refuse the connection. Return an SslStreamCertificateContext with the " +
        "intermediates from OnAuthenticate or TlsHandshakeCallbackOptions, or add them to the CertificateAuthority store of the user.")]
    internal static partial void LacksIssuer(ILogger logger, string endPoint, string subject, string issuer);
}
