using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ioxide.Tls;

/// <summary>One HTTPS end point of Kestrel's, served on the ring where all that it is told can be done here; else SslStream serves it.</summary>
/// <remarks>Kestrel builds the pipeline once an address (localhost has two): they share one <see cref="TlsServer"/>.</remarks>
internal sealed class HttpsEndPoint(ListenOptions listen, Func<HttpsConnectionAdapterOptions?> readHttps, IoxideTlsOptions options)
{
    // Taken while Kestrel binds, never by a reactor.
    private readonly Lock _gate = new();
    private TlsServer? _server;
    private bool _isDecided;

    /// <summary>Puts TLS before <paramref name="next"/>, or returns that.</summary>
    internal ConnectionDelegate Build(ConnectionDelegate next)
    {
        ILoggerFactory loggers = listen.ApplicationServices.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance;
        ILogger logger = loggers.CreateLogger<TlsServer>();
        lock (_gate)
        {
            if (!_isDecided)
            {
                _isDecided = true;
                _server = MakeServer(logger);
            }

            return _server is { } server ? new TlsConnectionMiddleware(next, server, logger).OnConnectionAsync : next;
        }
    }

    private TlsServer? MakeServer(ILogger logger)
    {
        if (readHttps() is not { } https)
        {
            return null;
        }

        string endPoint = listen.ToString() ?? "";
        if (WhyNot(https) is { } reason)
        {
            TlsLog.FellBack(logger, endPoint, reason);
            return null;
        }

        var server = new TlsServer(Translate(https), TlsConnectionMiddleware.Kind);
        listen.ApplicationServices.GetService<IHostApplicationLifetime>()?.ApplicationStopped.Register(server.Dispose);
        TlsLog.Started(logger, endPoint);
        options.OnStarted?.Invoke(server);
        return server;
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

        return https switch
        {
            { OnAuthenticate: not null } => "OnAuthenticate changes SslStream's own options.",
            { TlsClientHelloBytesCallback: not null } => "TlsClientHelloBytesCallback is SslStream's.",
            { ClientCertificateMode: ClientCertificateMode.DelayCertificate } => "certificates on demand need a second handshake.",
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
            CertificateSelector = selector is null ? null : (connection, name) => selector((ConnectionContext?)connection.Tag, name),
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
