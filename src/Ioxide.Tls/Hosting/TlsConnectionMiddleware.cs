using System.Runtime.ExceptionServices;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Tls;

/// <summary>Stands between a connection and Kestrel's HTTPS middleware, which steps aside where TLS is done before it.</summary>
/// <param name="next">Kestrel's HTTPS middleware, which serves by SslStream what this one passes on.</param>
/// <param name="server">Serves connections on the ring.</param>
/// <param name="requiresKernel">What SslStream would serve is refused.</param>
/// <param name="endPoint">The endpoint's name.</param>
/// <param name="logger">Of the endpoint.</param>
/// <param name="telemetry">Kestrel's instruments.</param>
internal sealed class TlsConnectionMiddleware(
    ConnectionDelegate next, TlsServer server, bool requiresKernel, string endPoint, ILogger logger, KestrelTelemetry telemetry)
{
    private int _isRefusalLogged;
    private int _isFallbackLogged;

    /// <summary>
    /// HTTP knows where its messages end, so to Kestrel a stream without close_notify is an end, as with SslStream; what breaks the
    /// protocol looks like a reset, which Kestrel expects of clients.
    /// </summary>
    internal static readonly TlsSessionKind Kind = new(
        TakesTruncationAsEnd: true, static error => new ConnectionResetException(error.Message, error));

    internal Task OnConnectionAsync(ConnectionContext context)
        => context.Features.Get<ITlsConnectionFeature>() is not null
            ? PassOnAsync(context, "other middleware has performed its TLS handshake. Call UseIoxideTls before it.")
            : context.Transport is RingConnection connection
                ? RunAsync(context, connection)
                : PassOnAsync(context, "middleware before TLS has replaced its transport.");

    /// <summary>To SslStream, or to whom else the connection belongs.</summary>
    private Task PassOnAsync(ConnectionContext context, string reason)
    {
        if (!requiresKernel)
        {
            return next(context);
        }

        if (Interlocked.Exchange(ref _isRefusalLogged, 1) == 0)
        {
            TlsLog.Refused(logger, context.ConnectionId, endPoint, nameof(IoxideTlsOptions.KernelOffload), reason);
        }
        else
        {
            TlsLog.RefusedAgain(logger, context.ConnectionId, endPoint, nameof(IoxideTlsOptions.KernelOffload), reason);
        }

        context.Abort(new ConnectionAbortedException($"{endPoint}: the connection was refused, because {reason}"));
        return Task.CompletedTask;
    }

    private async Task RunAsync(ConnectionContext context, RingConnection connection)
    {
        // Kestrel starts a connection on the thread pool.
        await connection.EnterAsync();
        connection.FirstRead?.BeginPrologue();
        (TlsSession? session, string? reason) = await AuthenticateAsync(context, connection).ConfigureAwait(true);
        if (session is null)
        {
            if (reason is not null)
            {
                if (Interlocked.Exchange(ref _isFallbackLogged, 1) == 0)
                {
                    TlsLog.FellBack(logger, endPoint, reason);
                }

                connection.FirstRead?.EndPrologue(connection);
                await PassOnAsync(context, reason).ConfigureAwait(true);
            }

            return;
        }

        connection.FirstRead?.EndPrologue(connection);
        new TlsFeatures(session).SetOn(context.Features);
        IDuplexPipe transport = context.Transport;
        context.Transport = session;
        bool isBrokenOff = true;
        try
        {
            await next(context).ConfigureAwait(true);
            isBrokenOff = KestrelTelemetry.IsBrokenOff(context, session.Info.ApplicationProtocol);
        }
        finally
        {
            context.Transport = transport;
            if (isBrokenOff)
            {
                // Without close_notify: a body that ends with the connection must not look whole.
                session.Output.Complete(new ConnectionAbortedException("The answer broke off."));
            }

            await session.DisposeAsync().ConfigureAwait(true);
        }
    }

    /// <summary>The session; or why SslStream has to serve; or neither, where the client's handshake failed.</summary>
    /// <remarks>
    /// What the client caused is logged at Debug. What the application threw, and what OpenSSL or the kernel lacks, is passed to Kestrel, which
    /// logs it as an error with its stack, as with SslStream.
    /// </remarks>
    private async ValueTask<(TlsSession? Session, string? Reason)> AuthenticateAsync(ConnectionContext context, RingConnection connection)
    {
        long started = Stopwatch.GetTimestamp();
        bool isCounted = false;
        object? account = null;
        try
        {
            (TlsSession? session, string? reason) =
                await server.TryAuthenticateAsync(connection, CountStart, context.ConnectionClosed).ConfigureAwait(true);
            if (session is not null)
            {
                telemetry.Stop(context, account, started, session.Info.Protocol, null);
                TlsLog.HandshakeDone(
                    logger, context.ConnectionId, session.Info.Protocol, session.Info.CipherSuite, session.Info.ApplicationProtocol,
                    session.Info.IsResumed);
            }

            return (session, reason);
        }
        catch (Exception exception)
        {
            if (!isCounted)
            {
                CountStart();
            }

            telemetry.Stop(context, account, started, null, exception);
            switch (exception)
            {
                case TlsException { Failure: TlsFailure.Application, InnerException: { } thrown }:
                    ExceptionDispatchInfo.Throw(thrown);
                    throw;
                case TlsException { Failure: TlsFailure.Unavailable or TlsFailure.KernelTls }:
                    throw;
                case IOException or OperationCanceledException:
                    TlsLog.HandshakeFailed(logger, context.ConnectionId, exception.Message, exception);
                    return (null, null);
                default:
                    throw;
            }
        }

        // Kestrel counts the handshakes that SslStream performs.
        void CountStart()
        {
            isCounted = true;
            account = telemetry.Start(context);
        }
    }
}
