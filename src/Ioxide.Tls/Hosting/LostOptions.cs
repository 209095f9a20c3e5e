using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging;

namespace Ioxide.Tls;

/// <summary>Connections that would be served without an option that is set are refused: the first with an error in the log.</summary>
internal sealed class LostOptions(IoxideTlsOptions options, string endPoint, ILogger logger)
{
    private readonly string? _set = FallbackRule.NamesOfSet(options);
    private readonly string? _notKept = FallbackRule.WhatSslStreamCannotKeep(options);
    private int _isTold;

    /// <summary>Refuses a connection that has TLS already, unless nothing is asked for that it may lack.</summary>
    internal bool RefusesTls(ConnectionContext context)
        => Refuses(context, _set, "other middleware has done TLS on it, which knows nothing of these options. Call UseIoxideTls before it.");

    /// <summary>Refuses a connection that SslStream would serve, unless it keeps every option.</summary>
    internal bool RefusesSslStream(ConnectionContext context)
        => Refuses(context, _notKept, "it is not on a ring, or middleware before TLS has replaced its transport.");

    private bool Refuses(ConnectionContext context, string? lost, string reason)
    {
        if (lost is null)
        {
            return false;
        }

        if (Interlocked.Exchange(ref _isTold, 1) == 0)
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
