namespace Ioxide.Tls;

/// <summary>Refuses connections that would be served without an option that is set. The first refusal is logged as an error.</summary>
/// <param name="set">The options that are set; null where none is.</param>
/// <param name="notKept">Those of them that SslStream cannot apply; null where there is none.</param>
/// <param name="endPoint">The end point's name.</param>
/// <param name="logger">Of the end point.</param>
internal sealed class OptionGuard(string? set, string? notKept, string endPoint, ILogger logger)
{
    private int _isLogged;

    /// <summary>Refuses a connection that already has TLS, unless no option is set that it may lack.</summary>
    internal bool RefusesTls(ConnectionContext context)
        => Refuses(context, set, "other middleware has performed its TLS handshake without these options. Call UseIoxideTls before it.");

    /// <summary>Refuses a connection that SslStream would serve, unless SslStream applies every option.</summary>
    internal bool RefusesSslStream(ConnectionContext context)
        => Refuses(context, notKept, "it is not on a ring, or middleware before TLS has replaced its transport.");

    private bool Refuses(ConnectionContext context, string? lost, string reason)
    {
        if (lost is null)
        {
            return false;
        }

        if (Interlocked.Exchange(ref _isLogged, 1) == 0)
        {
            TlsLog.Refused(logger, context.ConnectionId, endPoint, lost, reason);
        }
        else
        {
            TlsLog.RefusedAgain(logger, context.ConnectionId, endPoint, lost, reason);
        }

        context.Abort(new ConnectionAbortedException($"{endPoint}: the connection was refused, because {reason}"));
        return true;
    }
}
