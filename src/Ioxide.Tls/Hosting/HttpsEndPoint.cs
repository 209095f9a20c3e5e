using System.Runtime.ExceptionServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ioxide.Tls;

/// <summary>
/// One HTTPS endpoint of Kestrel. It is served on the ring where Ioxide supports all of its options; otherwise Kestrel's own middleware, which
/// stands behind, serves it by SslStream with the same options.
/// </summary>
/// <remarks>Kestrel builds the pipeline once per address (localhost has two). The pipelines share one <see cref="TlsServer"/>.</remarks>
internal sealed class HttpsEndPoint(ListenOptions listen, Func<KestrelAuthentication?> readHttps, IoxideTlsOptions options)
{
    private const string NoRing =
        "Reactors do not serve this endpoint: UseIoxide() was not called, or its log says why.";

    // Those that have called UseIoxideTls, and so have their own options.
    private static readonly ConditionalWeakTable<ListenOptions, object> s_own = [];

    // Taken while Kestrel binds, never by a reactor.
    private readonly Lock _gate = new();
    private Func<ConnectionDelegate, ConnectionDelegate>? _middleware;
    private ExceptionDispatchInfo? _refusal;

    internal static bool HasOwnOptions(ListenOptions listen) => s_own.TryGetValue(listen, out _);

    /// <exception cref="InvalidOperationException">It has been called before.</exception>
    internal static void NoteOwnOptions(ListenOptions listen)
    {
        if (!s_own.TryAdd(listen, listen))
        {
            throw new InvalidOperationException(
                $"{listen}: UseIoxideTls was called twice, and the options of the second call would be lost. Call it once.");
        }
    }

    /// <summary>Puts TLS before <paramref name="next"/>, or returns that.</summary>
    /// <exception cref="InvalidOperationException">SslStream would have to serve, and kernel TLS is required.</exception>
    /// <exception cref="TlsException">OpenSSL or the kernel does not take an option.</exception>
    internal ConnectionDelegate Build(ConnectionDelegate next)
    {
        lock (_gate)
        {
            // Kestrel tries again with another address, which must not be served without the options.
            _refusal?.Throw();
            try
            {
                _middleware ??= Decide();
                return _middleware(next);
            }
            catch (Exception exception)
            {
                _refusal = ExceptionDispatchInfo.Capture(exception);
                throw;
            }
        }
    }

    [ApplicationSide]
    private Func<ConnectionDelegate, ConnectionDelegate> Decide()
    {
        if (readHttps() is not { } https)
        {
            return static next => next;
        }

        ILoggerFactory loggers = listen.ApplicationServices.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance;
        ILogger logger = loggers.CreateLogger<TlsServer>();
        string endPoint = listen.ToString() ?? "";
        string? reason = !OperatingSystem.IsLinux() ? "this is not Linux." : TlsSupport.Problem ?? https.WhyNot;
        bool isOnRing = reason is null && IsRing();
        if (options.RequiresKernel)
        {
            ThrowIfNotByKernel(endPoint, isOnRing, reason);
        }

        if (!isOnRing)
        {
            if (reason is null)
            {
                TlsLog.NotOnRing(logger, endPoint, NoRing);
            }
            else
            {
                TlsLog.FellBack(logger, endPoint, reason);
            }

            return static next => next;
        }

        // It is not disposed of: Kestrel binds anew where its configuration changes, and the collector frees what nobody serves with.
        var server = new TlsServer(
            https.ChooseAsync,
            new TlsServerOptions
            {
                HandshakeTimeout = https.HandshakeTimeout,
                KernelOffload = options.KernelOffload,
                MaxHandshakesPerReactor = options.MaxHandshakesPerReactor,
                OnLackingIssuer = certificate => TlsLog.LacksIssuer(logger, endPoint, certificate.Subject, certificate.Issuer),
            },
            TlsConnectionMiddleware.Kind);
        TlsLog.Started(logger, endPoint, server.Prepare(https.Known, https.IsFixed));
        var telemetry = new KestrelTelemetry(listen.ApplicationServices);
        return next => new TlsConnectionMiddleware(next, server, options.RequiresKernel, endPoint, logger, telemetry).OnConnectionAsync;
    }

    /// <summary>
    /// Whether its connections will be on rings: Kestrel asks the transport that was added last first. Starts the reactors, as binding would.
    /// </summary>
    private bool IsRing()
        => listen.ApplicationServices.GetServices<IConnectionListenerFactory>().Reverse().FirstOrDefault(
            factory => factory is not IConnectionListenerFactorySelector selector || selector.CanBind(listen.EndPoint)) is IRingListenerFactory;

    /// <summary>SslStream and QUIC encrypt in user space.</summary>
    private void ThrowIfNotByKernel(string endPoint, bool isOnRing, string? reason)
    {
        if (!isOnRing)
        {
            throw new InvalidOperationException(
                $"{endPoint}: {nameof(IoxideTlsOptions)}.{nameof(IoxideTlsOptions.KernelOffload)} is Require, but SslStream, which encrypts in user "
                + $"space, would serve, because {reason ?? NoRing} Set it to Auto or Never, or remove the cause.");
        }

        if (listen.Protocols.HasFlag(HttpProtocols.Http3)
            && listen.ApplicationServices.GetService<IMultiplexedConnectionListenerFactory>() is not null)
        {
            throw new InvalidOperationException(
                $"{endPoint}: {nameof(IoxideTlsOptions)}.{nameof(IoxideTlsOptions.KernelOffload)} is Require, but HTTP/3 is "
                    + "enabled, and QUIC encrypts "
                + "in user space. Remove HTTP/3 from the endpoint's Protocols, or set it to Auto or Never.");
        }
    }
}
