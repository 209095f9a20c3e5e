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
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task OptionsHoldOnBothPaths(bool hasRings)
    {
        await using HttpsServer server = await StartAsync(static tls => tls.RequireKnownName = true, hasRings: hasRings);
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
        Assert.Null(await OptionsServer.SubjectAsync(server, "unknown.test"));
    }

    /// <summary>An application may give the same options to several end points.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task OptionsHoldWhereEndPointsShareTheirs(bool hasRings)
    {
        HttpsConnectionAdapterOptions shared = new() { ServerCertificate = TestCertificates.Ecdsa, HandshakeTimeout = Patience.Limit };
        await using HttpsServer server = await HttpsServer.StartAsync(
            listen => listen.UseHttps(shared),
            host =>
            {
                host.UseIoxideTlsForHttps(static tls => tls.RequireKnownName = true);
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
    public async Task AKestrelThatKeepsItsOptionsElsewhereIsNotStartedWhereOneWouldBeLost()
    {
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => StartAsync(
            static tls => tls.ClientCertificateRoots = TestCertificates.Roots,
            static host => host.ConfigureServices(static services => services.AddSingleton<KestrelInternals>(new OtherKestrel()))));
        Assert.Contains("ClientCertificateRoots", exception.Message, StringComparison.Ordinal);
        Assert.IsType<MissingMethodException>(exception.InnerException);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AnEndPointWithACallbackIsServedByItUnlessAnOptionWouldBeLost(bool isSet)
    {
        Task<HttpsServer> starting = HttpsServer.StartAsync(
            static listen => listen.UseHttps(
                static (_, _, _, _) => ValueTask.FromResult(new SslServerAuthenticationOptions { ServerCertificate = TestCertificates.Ecdsa }),
                null!),
            host => host.UseIoxideTlsForHttps(tls => tls.RequireKnownName = isSet));
        if (isSet)
        {
            InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => starting);
            Assert.Contains("RequireKnownName", exception.Message, StringComparison.Ordinal);
            return;
        }

        await using HttpsServer server = await starting;
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
        Assert.Contains(server.Lines, static line => line.Contains("come from a callback", StringComparison.Ordinal));
    }

    [Fact]
    public async Task AnEndPointsOwnOptionsGoBeforeThoseOfAll()
    {
        await using HttpsServer server = await HttpsServer.StartAsync(
            static listen => OptionsServer.Configure(listen, Serving.Ring, static tls => tls.RequireKnownName = true),
            static host => host.UseIoxideTlsForHttps());
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
        Assert.Null(await OptionsServer.SubjectAsync(server, "unknown.test"));
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

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task DefaultsOfEndPointsThatReplaceItAreTold(bool isSet)
    {
        Task<HttpsServer> starting = StartAsync(
            tls => tls.RequireKnownName = isSet,
            static host => host.ConfigureKestrel(static kestrel => kestrel.ConfigureEndpointDefaults(static _ => { })));
        if (isSet)
        {
            InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => starting);
            Assert.Contains("ConfigureEndpointDefaults", exception.Message, StringComparison.Ordinal);
            Assert.Contains("RequireKnownName", exception.Message, StringComparison.Ordinal);
            return;
        }

        await using HttpsServer server = await starting;
        Assert.Contains(server.Lines, static line =>
            line.StartsWith("Warning", StringComparison.Ordinal) && line.Contains("ConfigureEndpointDefaults", StringComparison.Ordinal));
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

    private static Task<HttpsServer> StartAsync(
        Action<IoxideTlsOptions>? configureTls, Action<IWebHostBuilder>? more = null, bool hasRings = true)
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
