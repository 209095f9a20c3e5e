using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Tls.Tests;

/// <summary>Where the kernel must encrypt, what SslStream or QUIC would serve ends the start of the host, with the option's name and a remedy.</summary>
public class RefusedStartTests
{
    [Theory, Each(Serving.Sockets, Serving.SslStreamOption)]
    public async Task WhatSslStreamWouldServeIsRefused(Serving serving)
    {
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(
            () => StartAsync(listen => OptionsServer.Configure(listen, serving, Require), serving != Serving.Sockets));
        Assert.Contains("IoxideTlsOptions.KernelOffload is Require", exception.Message, StringComparison.Ordinal);
        Assert.Contains("https://127.0.0.1:0", exception.Message, StringComparison.Ordinal);
    }

    /// <summary>That a connection has another transport than a ring's, or TLS already, is seen when it comes.</summary>
    [Fact]
    public async Task AConnectionThatTheKernelCannotServeIsRefused()
    {
        KernelTlsStatistics.SkipWithoutKernelTls();
        await using HttpsServer server = await OptionsServer.StartAsync(Serving.Wrapped, Require);
        Assert.Null(await OptionsServer.SubjectAsync(server, null));
        Assert.Null(await OptionsServer.SubjectAsync(server, null));
        string error = Assert.Single(server.Lines, static line => line.StartsWith("Error", StringComparison.Ordinal));
        Assert.Contains("KernelOffload", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AConnectionThatHasTlsAlreadyIsPassedOn()
    {
        await using HttpsServer server = await HttpsServer.StartAsync(static listen =>
        {
            listen.UseHttps(TestCertificates.Rsa);
            OptionsServer.Configure(listen, Serving.Ring, static _ => { });
        });
        using HttpClient client = server.CreateClient();
        Assert.Equal(HttpStatusCode.OK, (await client.GetAsync(new Uri("/tls", UriKind.Relative))).StatusCode);
    }

    /// <summary>Kestrel binds any address of IPv6 first and tries IPv4 where that fails; the second try must not serve without the option.</summary>
    [Fact]
    public Task ARefusalHoldsForEveryAddressThatKestrelTries()
        => Assert.ThrowsAsync<InvalidOperationException>(() => HttpsServer.StartAsync(
            host: static host => host.ConfigureKestrel(static kestrel => kestrel.ListenAnyIP(
                0, static listen => OptionsServer.Configure(listen, Serving.SslStreamOption, Require)))));

    /// <summary>Kestrel's HTTP/3 does its handshakes without connection middleware.</summary>
    [Fact]
    public async Task Http3IsRefused()
    {
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => HttpsServer.StartAsync(
            static listen =>
            {
                listen.Protocols = HttpProtocols.Http1AndHttp2AndHttp3;
                OptionsServer.Configure(listen, Serving.Ring, Require);
            },
            static host => host.ConfigureServices(static services => services.AddSingleton<IMultiplexedConnectionListenerFactory, NoQuic>())));
        Assert.Contains("HTTP/3", exception.Message, StringComparison.Ordinal);
        Assert.Contains("KernelOffload", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ASecondCallForAnEndPointIsRefused()
    {
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => StartAsync(static listen =>
        {
            OptionsServer.Configure(listen, Serving.Ring, static _ => { });
            OptionsServer.Configure(listen, Serving.Ring, static _ => { });
        }));
        Assert.Contains("twice", exception.Message, StringComparison.Ordinal);
    }

    private static void Require(IoxideTlsOptions tls) => tls.KernelOffload = TlsKernelOffload.Require;

    private static async Task StartAsync(Action<ListenOptions> listen, bool hasRings = true)
    {
        await using HttpsServer server = await HttpsServer.StartAsync(listen, hasRings: hasRings);
    }

    private sealed class NoQuic : IMultiplexedConnectionListenerFactory
    {
        public ValueTask<IMultiplexedConnectionListener> BindAsync(
            EndPoint endpoint, Microsoft.AspNetCore.Http.Features.IFeatureCollection? features = null, CancellationToken cancellationToken = default)
            => throw new NotSupportedException();
    }
}
