using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Ioxide.Http2.Tests;

/// <summary>What the clients of others run against: the engine and stock Kestrel, in clear text and over TLS. They expect the same of all.</summary>
internal static class Sides
{
    private static readonly Lazy<X509Certificate2> s_certificate = new(TlsTests.MakeCertificate);

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
