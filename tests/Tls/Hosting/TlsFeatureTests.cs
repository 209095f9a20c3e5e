using System.Net.Security;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Ioxide.Tls.Tests;

/// <summary>What applications and middleware read of a TLS connection, on the ring as with stock UseHttps.</summary>
public class TlsFeatureTests
{
#pragma warning disable SYSLIB0058 // Old names for parts of the suite; the interface still has them.
    [Theory]
    [InlineData(TlsCipherSuite.TLS_AES_128_GCM_SHA256)]
    [InlineData(TlsCipherSuite.TLS_AES_256_GCM_SHA384)]
    [InlineData(TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256)]
    public async Task TheCipherIsToldInTheOldWordsToo(TlsCipherSuite suite)
    {
        List<string> told = [];
        foreach (bool isRing in (bool[])[false, true])
        {
            TaskCompletionSource<string> seen = Waits.Signal<string>();
            await using HttpsServer server = await StartAsync(isRing, behind: features =>
            {
                ITlsHandshakeFeature handshake = features.GetRequiredFeature<ITlsHandshakeFeature>();
                seen.TrySetResult($"{handshake.NegotiatedCipherSuite} {handshake.CipherAlgorithm} {handshake.CipherStrength}");
            });
            await using SslClient client = await SslClient.ConnectAsync(
                server.EndPoint, SslClient.Options(options => options.CipherSuitesPolicy = new CipherSuitesPolicy([suite])));
            told.Add(await seen.Task.Within(Patience.Limit));
        }

        Assert.Equal(told[0], told[1]);
    }
#pragma warning restore SYSLIB0058

    [Theory, Each("localhost", "UPPER.test", "xn--bcher-kva.test")]
    public async Task TheHostIsToldAsItIsRead(string name)
    {
        List<string> told = [];
        foreach (bool isRing in (bool[])[false, true])
        {
            TaskCompletionSource<string> seen = Waits.Signal<string>();
            await using HttpsServer server = await StartAsync(
                isRing, behind: features => seen.TrySetResult(features.GetRequiredFeature<ITlsHandshakeFeature>().HostName));
            Assert.NotNull(await OptionsServer.SubjectAsync(server, name));
            told.Add(await seen.Task.Within(Patience.Limit));
        }

        Assert.Equal(told[0], told[1]);
    }

    /// <summary>Such is a certificate that a proxy in front names in a field.</summary>
    [Theory, AllValues]
    public async Task ACertificateThatMiddlewareSetsIsTheClients(bool isRing)
    {
        await using HttpsServer server = await StartAsync(
            isRing,
            behind: static features => features.GetRequiredFeature<ITlsConnectionFeature>().ClientCertificate = TestCertificates.Client,
            map: static app => app.MapGet("/client", static async (HttpContext context)
                => $"{context.Connection.ClientCertificate?.Subject} {(await context.Connection.GetClientCertificateAsync())?.Subject}"));
        using HttpClient client = server.CreateClient();
        Assert.Equal("CN=client CN=client", await client.GetStringAsync(new Uri("/client", UriKind.Relative)));
    }

    [Theory, AllValues]
    public async Task Http2IsChosenWhereBothOfferIt(bool isRing)
    {
        await using HttpsServer server = await StartAsync(isRing);
        await using SslClient client = await SslClient.ConnectAsync(server.EndPoint, SslClient.Options(
            static options => options.ApplicationProtocols = [SslApplicationProtocol.Http11, SslApplicationProtocol.Http2]));
        Assert.Equal(SslApplicationProtocol.Http2, client.Stream.NegotiatedApplicationProtocol);
    }

    [Theory, AllValues]
    public async Task MiddlewareInFrontHasItsOwnPipeAgainWhenTheConnectionIsOver(bool isRing)
    {
        TaskCompletionSource<bool> same = Waits.Signal<bool>();
        await using HttpsServer server = await HttpsServer.StartAsync(
            listen =>
            {
                listen.Use(next => async connection =>
                {
                    System.IO.Pipelines.IDuplexPipe before = connection.Transport;
                    await next(connection);
                    same.TrySetResult(ReferenceEquals(before, connection.Transport));
                });
                UseTls(listen, isRing);
            },
            hasRings: isRing);
        using (HttpClient client = server.CreateClient())
        {
            _ = await client.GetByteArrayAsync(new Uri("/bytes/10", UriKind.Relative));
        }

        Assert.True(await same.Task.Within(Patience.Limit));
    }

    private static Task<HttpsServer> StartAsync(bool isRing, Action<IFeatureCollection>? behind = null, Action<WebApplication>? map = null)
        => HttpsServer.StartAsync(
            listen =>
            {
                UseTls(listen, isRing);
                listen.Use(next => connection =>
                {
                    behind?.Invoke(connection.Features);
                    return next(connection);
                });
            },
            hasRings: isRing, map: map);

    private static void UseTls(ListenOptions listen, bool isRing)
    {
        // Without a selector, stock does not look for the host's name.
        static void Configure(HttpsConnectionAdapterOptions https) => https.ServerCertificateSelector = static (_, _) => TestCertificates.Ecdsa;

        _ = isRing ? listen.UseIoxideTls(Configure) : listen.UseHttps(Configure);
    }
}
