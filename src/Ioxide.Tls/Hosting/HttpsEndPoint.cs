using System.Runtime.ExceptionServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ioxide.Tls;

/// <summary>
/// One HTTPS end point of Kestrel. It is served on the ring where Ioxide supports all of its options, otherwise by SslStream with the same
/// options. Where SslStream cannot apply one of them, the host does not start.
/// </summary>
/// <remarks>Kestrel builds the pipeline once per address (localhost has two). The pipelines share one <see cref="TlsServer"/>.</remarks>
internal sealed class HttpsEndPoint(ListenOptions listen, Func<HttpsConnectionAdapterOptions?> readHttps, IoxideTlsOptions options)
{
    // Taken while Kestrel binds, never by a reactor.
    private readonly Lock _gate = new();
    private Func<ConnectionDelegate, ConnectionDelegate>? _middleware;
    private ExceptionDispatchInfo? _refusal;

    /// <summary>Puts TLS before <paramref name="next"/>, or returns that.</summary>
    /// <exception cref="InvalidOperationException">An option cannot be applied.</exception>
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

    private Func<ConnectionDelegate, ConnectionDelegate> Decide()
    {
        if (readHttps() is not { } https)
        {
            return static next => next;
        }

        ILoggerFactory loggers = listen.ApplicationServices.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance;
        ILogger logger = loggers.CreateLogger<TlsServer>();
        string endPoint = listen.ToString() ?? "";
        string? reason = WhyNot(https);
        bool isOnRing = reason is null && EndPointTransport.IsRing(listen);
        string? set = FallbackRule.NamesOfSet(options);
        string? notKept = FallbackRule.WhatSslStreamCannotKeep(options, https);
        if (!isOnRing && notKept is not null)
        {
            throw new InvalidOperationException(
                $"{endPoint}: SslStream would serve, because {reason ?? EndPointTransport.Reason} It cannot apply {notKept} Change the option, or "
                + "remove the cause.");
        }

        ThrowIfLostAnyway(endPoint, set);
        TlsServer? server = reason is null || options.OnStarted is not null
            ? new TlsServer(Translate(https), TlsConnectionMiddleware.Kind)
            : null;
        SslStreamRules? rules = null;
        if (set is not null)
        {
            rules = new SslStreamRules(options, options.OnStarted is null ? null : server);
            SslStreamHook.Install(https);
        }

        if (server is not null)
        {
            listen.ApplicationServices.GetService<IHostApplicationLifetime>()?.ApplicationStopped.Register(server.Dispose);
            options.OnStarted?.Invoke(server);
        }

        LogServer(logger, endPoint, isOnRing, reason);
        TlsServer? ring = reason is null ? server : null;
        return ring is null && rules is null
            ? static next => next
            : next => new TlsConnectionMiddleware(next, ring, rules, new OptionGuard(set, notKept, endPoint, logger), logger).OnConnectionAsync;
    }

    private static void LogServer(ILogger logger, string endPoint, bool isOnRing, string? reason)
    {
        if (isOnRing)
        {
            TlsLog.Started(logger, endPoint);
        }
        else if (reason is null)
        {
            TlsLog.NotOnRing(logger, endPoint, EndPointTransport.Reason);
        }
        else
        {
            TlsLog.FellBack(logger, endPoint, reason);
        }
    }

    /// <summary>Refuses what neither the ring nor SslStream can do.</summary>
    private void ThrowIfLostAnyway(string endPoint, string? set)
    {
        if (options.OnStarted is not null && (OperatingSystem.IsLinux() ? TlsSupport.Problem : "This is not Linux.") is { } problem)
        {
            throw new InvalidOperationException(
                $"{endPoint}: {nameof(IoxideTlsOptions)}.{nameof(IoxideTlsOptions.OnStarted)} is set, but there is no server to call it with. "
                + problem);
        }

        if (listen.Protocols.HasFlag(HttpProtocols.Http3)
            && listen.ApplicationServices.GetService<IMultiplexedConnectionListenerFactory>() is not null
            && set is not null)
        {
            throw new InvalidOperationException(
                $"{endPoint}: HTTP/3 is enabled, and QUIC, which performs its handshakes, cannot apply these {nameof(IoxideTlsOptions)}: {set}. "
                + "Remove HTTP/3 from the end point's Protocols, or leave these options at their defaults.");
        }
    }

    private static string? WhyNot(HttpsConnectionAdapterOptions https)
    {
        if (!OperatingSystem.IsLinux())
        {
            return "this is not Linux.";
        }

        if (TlsSupport.Problem is { } problem)
        {
            return problem;
        }

        if (SslStreamHook.OwnOf(https) is not null)
        {
            return "OnAuthenticate changes options of SslStream.";
        }

        return https switch
        {
            { TlsClientHelloBytesCallback: not null } => "only SslStream supports TlsClientHelloBytesCallback.",
            { ClientCertificateMode: ClientCertificateMode.DelayCertificate } => "delayed client certificates need a second handshake.",
            { SslProtocols: not SslProtocols.None } when (https.SslProtocols & (SslProtocols.Tls12 | SslProtocols.Tls13)) == 0
                => "neither TLS 1.2 nor TLS 1.3 is enabled.",
            _ => null,
        };
    }

    private TlsServerOptions Translate(HttpsConnectionAdapterOptions https)
    {
        Func<ConnectionContext?, string?, X509Certificate2?>? selector = https.ServerCertificateSelector;
        Func<X509Certificate2, X509Chain?, SslPolicyErrors, bool>? validation = https.ClientCertificateValidation;
        return new TlsServerOptions
        {
            // As with SslStream, a selector stands alone.
            Certificate = selector is null ? https.ServerCertificate : null,
            CertificateChain = https.ServerCertificateChain,
            CertificateSelector = selector is null
                ? null
                : (connection, name) => selector((ConnectionContext?)connection.Tag, name is null ? null : ServerNames.ToText(name)),
            CertificatesByName = options.CertificatesByName,
            RequireKnownName = options.RequireKnownName,
            ApplicationProtocols = ProtocolsOf(listen.Protocols),
            Protocols = https.SslProtocols & (SslProtocols.Tls12 | SslProtocols.Tls13),
            CipherSuites = options.CipherSuites,
            HandshakeTimeout = https.HandshakeTimeout,
            KernelOffload = options.KernelOffload,
            ClientCertificateMode = https.ClientCertificateMode switch
            {
                ClientCertificateMode.RequireCertificate => TlsClientCertificateMode.Require,
                ClientCertificateMode.AllowCertificate => TlsClientCertificateMode.Allow,
                _ => TlsClientCertificateMode.None,
            },
            ClientCertificateValidation = validation is null ? null : (certificate, chain, errors) => validation(certificate, chain, errors),
            ClientCertificateRoots = options.ClientCertificateRoots,
            ClientCertificateRevocation = https.CheckCertificateRevocation ? X509RevocationMode.Online : X509RevocationMode.NoCheck,
            SessionLifetime = options.SessionLifetime,
            OcspResponse = options.OcspResponse,
            MaxHandshakesPerReactor = options.MaxHandshakesPerReactor,
        };
    }

    private static List<SslApplicationProtocol> ProtocolsOf(HttpProtocols protocols)
    {
        List<SslApplicationProtocol> list = [];
        if (protocols.HasFlag(HttpProtocols.Http2))
        {
            list.Add(SslApplicationProtocol.Http2);
        }

        if (protocols.HasFlag(HttpProtocols.Http1))
        {
            list.Add(SslApplicationProtocol.Http11);
        }

        return list;
    }
}
