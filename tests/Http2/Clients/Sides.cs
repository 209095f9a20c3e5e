using System.Net;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.DependencyInjection;
using Yarp.ReverseProxy.Configuration;
using Yarp.ReverseProxy.Forwarder;

namespace Ioxide.Http2.Tests;

/// <summary>What the clients of others run against: the engine and stock Kestrel, in clear text and over TLS. They expect the same of all.</summary>
internal static class Sides
{
    private static readonly Lazy<X509Certificate2> s_certificate = new(static () => CertificateMaker.SelfSigned());

    /// <summary>Whether it is the engine, and whether over TLS.</summary>
    public static TheoryData<bool, bool> All => new() { { true, false }, { true, true }, { false, false }, { false, true } };

    /// <summary>The setup on this side.</summary>
    internal static Http2Setup On(this Http2Setup setup, bool isEngine, bool isTls, Action<HttpsConnectionAdapterOptions>? https = null)
        => setup with
        {
            IsEngine = isEngine,
            Protocols = isTls ? HttpProtocols.Http1AndHttp2 : HttpProtocols.Http2,
            Listen = listen =>
            {
                if (isTls)
                {
                    _ = isEngine ? listen.UseIoxideTls(Configure) : listen.UseHttps(Configure);
                }

                void Configure(HttpsConnectionAdapterOptions options)
                {
                    options.ServerCertificate = s_certificate.Value;
                    https?.Invoke(options);
                }
            },
        };

    internal static string Address(this Http2Host host, bool isTls, string scheme = "http")
        => $"{scheme}{(isTls ? "s" : "")}://127.0.0.1:{host.EndPoint.Port}";

    /// <summary>A proxy that passes everything on to another host, in clear text by HTTP/2.</summary>
    internal static void AddReverseProxyTo(this IServiceCollection services, Http2Host behind) => services.AddReverseProxy().LoadFromMemory(
        [new RouteConfig { RouteId = "all", ClusterId = "behind", Match = new RouteMatch { Path = "{**rest}" } }],
        [
            new ClusterConfig
            {
                ClusterId = "behind",
                HttpRequest = new ForwarderRequestConfig { Version = HttpVersion.Version20, VersionPolicy = HttpVersionPolicy.RequestVersionExact },
                Destinations = new Dictionary<string, DestinationConfig> { ["one"] = new() { Address = behind.Address(isTls: false) } },
            },
        ]);

    /// <summary>What a client of .NET connects by.</summary>
    internal static SocketsHttpHandler Handler(X509Certificate2? certificate = null)
        => new()
        {
            UseProxy = false,
            SslOptions = new SslClientAuthenticationOptions
            {
                RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate?.Subject == "CN=localhost",
                ClientCertificates = certificate is null ? null : [certificate],
                LocalCertificateSelectionCallback = certificate is null ? null : (_, _, _, _, _) => certificate,
            },
        };
}
