using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;

namespace Ioxide.Tls;

/// <summary>Stands between a connection and Kestrel. A connection that is not on a ring, or has TLS already, is passed on as it is.</summary>
internal sealed class TlsConnectionMiddleware(ConnectionDelegate next, TlsServer server, ILogger logger)
{
    /// <summary>
    /// HTTP tells where its messages end, so a stream without close_notify is an end to Kestrel, as with SslStream; what breaks the
    /// protocol looks like a reset, which Kestrel expects of clients.
    /// </summary>
    internal static readonly TlsSessionKind Kind = new(
        TakesTruncationAsEnd: true, static error => new ConnectionResetException(error.Message, error));

    internal Task OnConnectionAsync(ConnectionContext context)
        => context.Transport is RingConnection connection && context.Features.Get<ITlsConnectionFeature>() is null
            ? RunAsync(context, connection)
            : next(context);

    private async Task RunAsync(ConnectionContext context, RingConnection connection)
    {
        // Kestrel starts a connection on the thread pool.
        await connection.EnterAsync();
        connection.BeginPrologue();
        TlsSession session;
        try
        {
            session = await server.AuthenticateAsync(connection, context.ConnectionClosed).ConfigureAwait(true);
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            // A client's doing: nothing that an operator must see.
            TlsLog.HandshakeFailed(logger, context.ConnectionId, exception.Message, exception);
            return;
        }

        TlsLog.HandshakeDone(
            logger, context.ConnectionId, session.Info.Protocol, session.Info.CipherSuite, session.Info.ApplicationProtocol,
            session.Info.IsResumed);
        connection.EndPrologue();
        new TlsFeatures(session).SetOn(context.Features);
        IDuplexPipe transport = context.Transport;
        context.Transport = session;
        try
        {
            await next(context).ConfigureAwait(true);
        }
        finally
        {
            context.Transport = transport;
            await session.DisposeAsync().ConfigureAwait(true);
        }
    }
}
