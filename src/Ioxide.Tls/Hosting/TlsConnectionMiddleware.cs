using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Tls;

/// <summary>
/// Stands between a connection and Kestrel. A connection that is not on a ring is passed on to SslStream, with the rules of the end point.
/// </summary>
/// <param name="next">SslStream's middleware, or Kestrel.</param>
/// <param name="server">Serves connections on the ring; null where SslStream serves them all.</param>
/// <param name="rules">What SslStream is to keep; null where nothing is asked for.</param>
/// <param name="lost">Refuses what cannot be kept.</param>
/// <param name="logger">Of the end point.</param>
internal sealed class TlsConnectionMiddleware(
    ConnectionDelegate next, TlsServer? server, SslStreamRules? rules, OptionGuard lost, ILogger logger)
{
    /// <summary>
    /// HTTP knows where its messages end, so to Kestrel a stream without close_notify is an end, as with SslStream; what breaks the
    /// protocol looks like a reset, which Kestrel expects of clients.
    /// </summary>
    internal static readonly TlsSessionKind Kind = new(
        TakesTruncationAsEnd: true, static error => new ConnectionResetException(error.Message, error));

    internal Task OnConnectionAsync(ConnectionContext context)
    {
        if (context.Features.Get<ITlsConnectionFeature>() is not null)
        {
            return lost.RefusesTls(context) ? Task.CompletedTask : next(context);
        }

        if (server is not null && context.Transport is RingConnection connection)
        {
            return RunAsync(context, connection, server);
        }

        if (lost.RefusesSslStream(context))
        {
            return Task.CompletedTask;
        }

        if (rules is not null)
        {
            context.Features.Set(rules);
        }

        return next(context);
    }

    private async Task RunAsync(ConnectionContext context, RingConnection connection, TlsServer server)
    {
        // Kestrel starts a connection on the thread pool.
        await connection.EnterAsync();
        connection.Receiver.BeginPrologue();
        TlsSession session;
        try
        {
            session = await server.AuthenticateAsync(connection, context.ConnectionClosed).ConfigureAwait(true);
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            // The client caused it, so it is logged at Debug only.
            TlsLog.HandshakeFailed(logger, context.ConnectionId, exception.Message, exception);
            return;
        }

        TlsLog.HandshakeDone(
            logger, context.ConnectionId, session.Info.Protocol, session.Info.CipherSuite, session.Info.ApplicationProtocol,
            session.Info.IsResumed);
        connection.Receiver.EndPrologue();
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
