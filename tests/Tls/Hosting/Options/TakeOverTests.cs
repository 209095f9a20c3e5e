using System.Net.Security;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Tls.Tests;

/// <summary><c>UseIoxideTlsForHttps</c> reads what Kestrel keeps to itself. Where it cannot, that is told, and no option is lost.</summary>
public class TakeOverTests
{
    /// <summary>An application may give the same options to several endpoints.</summary>
    [Theory, AllValues]
    public async Task OptionsHoldWhereEndPointsShareTheirs(bool hasRings)
    {
        HttpsConnectionAdapterOptions shared = new()
        {
            ServerCertificateSelector = static (_, name) => name == "unknown.test" ? null : TestCertificates.Ecdsa,
            HandshakeTimeout = Patience.Limit,
        };
        await using HttpsServer server = await HttpsServer.StartAsync(
            listen => listen.UseHttps(shared),
            host =>
            {
                host.UseIoxideTlsForHttps();
                host.ConfigureKestrel(kestrel => kestrel.Listen(System.Net.IPAddress.Loopback, 0, listen => listen.UseHttps(shared)));
            },
            hasRings: hasRings);
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
        Assert.Null(await OptionsServer.SubjectAsync(server, "unknown.test"));
        Assert.Equal(hasRings, !server.Lines.Any(static line => line.Contains("TLS by SslStream", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task AKestrelThatKeepsItsOptionsElsewhereIsToldOnceAsAnError()
    {
        await using HttpsServer server = await StartAsync(null, static host => host.ConfigureServices(
            static services => services.AddSingleton<KestrelInternals>(new OtherKestrel())));
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
        string error = Assert.Single(server.Lines, static line => line.StartsWith("Error", StringComparison.Ordinal));
        Assert.Contains("UseIoxideTlsForHttps cannot read", error, StringComparison.Ordinal);
        Assert.Contains("UseIoxideTls on each", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AKestrelThatKeepsItsOptionsElsewhereIsNotStartedWhereTheKernelMustEncrypt()
    {
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => StartAsync(
            static tls => tls.KernelOffload = TlsKernelOffload.Require,
            static host => host.ConfigureServices(static services => services.AddSingleton<KestrelInternals>(new OtherKestrel()))));
        Assert.Contains("KernelOffload", exception.Message, StringComparison.Ordinal);
        Assert.IsType<MissingMethodException>(exception.InnerException);
    }

    [Fact]
    public async Task AnEndPointWithACallbackIsServedOnTheRing()
    {
        await using HttpsServer server = await HttpsServer.StartAsync(
            static listen => listen.UseHttps(
                static (stream, hello, state, _) =>
                {
                    Assert.NotNull(stream);
                    Assert.Equal("state", state);
                    return ValueTask.FromResult(new SslServerAuthenticationOptions
                    {
                        ServerCertificate = hello.ServerName == "named.test" ? TestCertificates.Named : TestCertificates.Ecdsa,
                    });
                },
                "state"),
            static host => host.UseIoxideTlsForHttps());
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
        Assert.Equal("CN=named.test", await OptionsServer.SubjectAsync(server, "named.test"));
        Assert.Contains(server.Lines, static line => line.Contains("TLS on the ring", StringComparison.Ordinal));
        using HttpClient client = server.CreateClient(new Version(2, 0));
        Assert.Contains("\"onRing\":\"True\"", await client.GetStringAsync(new Uri("/tls", UriKind.Relative)), StringComparison.Ordinal);
    }

    /// <summary>Names, wildcards and their rules come from configuration, as with stock Kestrel.</summary>
    [Theory, AllValues]
    public async Task TheSniSectionIsServed(bool hasRings)
    {
        string folder = Directory.CreateTempSubdirectory("ioxide-sni-").FullName;
        try
        {
            Dictionary<string, string?> configuration = new() { ["Kestrel:Endpoints:Https:Url"] = "https://127.0.0.1:0" };
            foreach ((string name, System.Security.Cryptography.X509Certificates.X509Certificate2 certificate) in
                (IEnumerable<(string, System.Security.Cryptography.X509Certificates.X509Certificate2)>)
                    [("named.test", TestCertificates.Named), ("*.wild.test", TestCertificates.Wildcard)])
            {
                string path = Path.Combine(folder, $"{configuration.Count}.pfx");
                await File.WriteAllBytesAsync(path, certificate.Export(System.Security.Cryptography.X509Certificates.X509ContentType.Pfx));
                configuration[$"Kestrel:Endpoints:Https:Sni:{name}:Certificate:Path"] = path;
            }

            configuration["Kestrel:Endpoints:Https:Sni:named.test:SslProtocols:0"] = "Tls12";
            await using HttpsServer server = await HttpsServer.StartAsync(
                host: static host => host.UseIoxideTlsForHttps(), configuration: configuration, hasRings: hasRings);
            Assert.Equal("CN=named.test", await OptionsServer.SubjectAsync(server, "named.test"));
            Assert.Equal("CN=*.wild.test", await OptionsServer.SubjectAsync(server, "a.wild.test"));
            Assert.Null(await OptionsServer.SubjectAsync(server, "unknown.test"));
            Assert.Contains("TLSv1.2", await OptionsServer.HandshakeAsync(server.EndPoint, "-servername", "named.test"), StringComparison.Ordinal);
            Assert.Equal(hasRings, server.Lines.Any(static line => line.Contains("TLS on the ring", StringComparison.Ordinal)));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task AnEndPointsOwnOptionsGoBeforeThoseOfAll()
    {
        await using HttpsServer server = await HttpsServer.StartAsync(
            static listen => OptionsServer.Configure(listen, Serving.Ring, static _ => { }),
            static host => host.UseIoxideTlsForHttps(static tls => tls.KernelOffload = TlsKernelOffload.Require));
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
        Assert.Single(server.Lines, static line => line.Contains("TLS on the ring", StringComparison.Ordinal));
    }

    [Fact]
    public async Task DefaultsOfEndPointsThatWereSetBeforeAreKept()
    {
        await using HttpsServer server = await HttpsServer.StartAsync(
            static listen => listen.UseHttps(TestCertificates.Ecdsa),
            static host =>
            {
                host.ConfigureKestrel(static kestrel => kestrel.ConfigureEndpointDefaults(static listen => listen.Protocols = HttpProtocols.Http1));
                host.UseIoxideTlsForHttps();
            });
        using HttpClient client = server.CreateClient(new Version(2, 0));
        await Assert.ThrowsAsync<HttpRequestException>(() => client.GetAsync(new Uri("/tls", UriKind.Relative)));
        Assert.Contains(server.Lines, static line => line.Contains("TLS on the ring", StringComparison.Ordinal));
    }

    [Theory, AllValues]
    public async Task DefaultsOfEndPointsThatReplaceItAreTold(bool isSet)
    {
        Task<HttpsServer> starting = StartAsync(
            tls => tls.KernelOffload = isSet ? TlsKernelOffload.Require : TlsKernelOffload.Auto,
            static host => host.ConfigureKestrel(static kestrel => kestrel.ConfigureEndpointDefaults(static _ => { })));
        if (isSet)
        {
            InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => starting);
            Assert.Contains("ConfigureEndpointDefaults", exception.Message, StringComparison.Ordinal);
            Assert.Contains("KernelOffload", exception.Message, StringComparison.Ordinal);
            return;
        }

        await using HttpsServer server = await starting;
        Assert.Contains(server.Lines, static line =>
            line.StartsWith("Warning", StringComparison.Ordinal) && line.Contains("ConfigureEndpointDefaults", StringComparison.Ordinal));
    }

    [Theory, AllValues]
    public async Task AnEndPointThatWasAddedBeforeIsTold(bool isSet)
    {
        Task<HttpsServer> starting = HttpsServer.StartAsync(
            static listen => listen.UseHttps(TestCertificates.Ecdsa),
            host =>
            {
                host.ConfigureKestrel(static kestrel =>
                {
                    kestrel.Listen(System.Net.IPAddress.Parse("127.0.0.2"), 0);
                    kestrel.Listen(System.Net.IPAddress.Parse("127.0.0.3"), 0, static listen => listen.UseHttps(TestCertificates.Ecdsa));
                });
                host.UseIoxideTlsForHttps(tls => tls.KernelOffload = isSet ? TlsKernelOffload.Require : TlsKernelOffload.Auto);
            });
        if (isSet)
        {
            InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => starting);
            Assert.Contains("https://127.0.0.3:0: added before UseIoxideTlsForHttps", exception.Message, StringComparison.Ordinal);
            return;
        }

        await using HttpsServer server = await starting;
        string warning = Assert.Single(server.Lines, static line => line.StartsWith("Warning", StringComparison.Ordinal));
        Assert.Contains("https://127.0.0.3:0: added before UseIoxideTlsForHttps", warning, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AKestrelThatKeepsItsMiddlewareElsewhereTakesTheProxyHeaderWhereItIsAskedFor()
    {
        List<string> order = [];
        await using HttpsServer server = await HttpsServer.StartAsync(listen =>
        {
            listen.Use(next =>
            {
                order.Add("before");
                return next;
            });
            ProxyProtocolListenOptionsExtensions.UseProxyProtocol(
                listen, static _ => { }, static _ => throw new MissingFieldException("ListenOptions", "_middleware"));
            OptionsServer.Configure(listen, Serving.Ring, static _ => { });
        });
        Assert.Contains(server.Lines, static line =>
            line.StartsWith("Warning", StringComparison.Ordinal)
            && line.Contains("PROXY protocol headers are read where UseProxyProtocol is called", StringComparison.Ordinal));

        // It is there: who sends none is refused.
        Assert.Null(await OptionsServer.SubjectAsync(server, null));
        Assert.Equal(["before"], order);
    }

    private static Task<HttpsServer> StartAsync(Action<IoxideTlsOptions>? configureTls, Action<IWebHostBuilder>? more = null, bool hasRings = true)
        => HttpsServer.StartAsync(
            static listen => listen.UseHttps(https =>
            {
                https.ServerCertificate = TestCertificates.Ecdsa;
                https.HandshakeTimeout = Patience.Limit;
            }),
            host =>
            {
                host.UseIoxideTlsForHttps(configureTls);
                more?.Invoke(host);
            },
            hasRings: hasRings);

    private sealed class OtherKestrel : KestrelInternals
    {
        internal override HttpsConnectionAdapterOptions? HttpsOf(ListenOptions listen) => throw new MissingMethodException("get_HttpsOptions");
    }
}
