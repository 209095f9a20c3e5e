using System.Collections.Concurrent;
using System.Net;
using System.Net.Http.Json;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Ioxide.Tls.Tests;

/// <summary>HTTPS endpoints of Kestrel's on the ring: bodies, HTTP/2, features, certificates from everywhere, and when SslStream serves.</summary>
public class KestrelTests
{
    public static TheoryData<string, int> Bodies
    {
        get
        {
            TheoryData<string, int> bodies = [];
            foreach (string version in (string[])["1.1", "2.0"])
            {
                foreach (int lengthBytes in (int[])[0, 1, 16383, 16384, 16385, 8 * 1024 * 1024])
                {
                    bodies.Add(version, lengthBytes);
                }
            }

            return bodies;
        }
    }

    [Theory, MemberData(nameof(Bodies))]
    public async Task BodiesGoBothWays(string version, int lengthBytes)
    {
        await using HttpsServer server = await HttpsServer.StartAsync(Unlimited);
        using HttpClient client = server.CreateClient(new Version(version));
        byte[] sent = Payload.Of(lengthBytes);
        for (int count = 0; count < 2; count++)
        {
            using HttpResponseMessage response = await client.PostAsync("/echo", new ByteArrayContent(sent));
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
            Payload.AssertSame(sent, await response.Content.ReadAsByteArrayAsync());
            Payload.AssertSame(sent, await client.GetByteArrayAsync(new Uri($"/bytes/{lengthBytes}", UriKind.Relative)));
        }

        static void Unlimited(ListenOptions listen)
        {
            listen.KestrelServerOptions.Limits.MaxRequestBodySize = null;
            listen.UseIoxideTls(TestCertificates.Ecdsa);
        }
    }

    /// <summary>A body that lies in memory is encrypted from there; the next answer on the connection comes behind it.</summary>
    [Theory, Each(1, 20_000, 1_000_000)]
    public async Task BodiesAreHandedOverWithoutACopy(int lengthBytes)
    {
        await using HttpsServer server = await HttpsServer.StartAsync(listen => listen.UseIoxideTls(TestCertificates.Ecdsa));
        using HttpClient client = server.CreateClient();
        for (int count = 0; count < 3; count++)
        {
            Payload.AssertSame(Payload.Of(lengthBytes), await client.GetByteArrayAsync(new Uri($"/referenced/{lengthBytes}", UriKind.Relative)));
            Payload.AssertSame(Payload.Of(10), await client.GetByteArrayAsync(new Uri("/bytes/10", UriKind.Relative)));
        }

        Assert.Equal(3, server.ReferencedBodies);
    }

    /// <summary>Kestrel starts connections on the thread pool; only where the application runs there too does the handshake stay.</summary>
    [Theory]
    [InlineData(ApplicationScheduling.Inline, true)]
    [InlineData(ApplicationScheduling.ThreadPool, false)]
    public async Task AHandshakeAndWhatFollowsRunWhereTheApplicationRuns(ApplicationScheduling scheduling, bool isOnReactor)
    {
        ConcurrentQueue<(string Place, bool IsOnReactor)> seen = [];
        await using HttpsServer server = await HttpsServer.StartAsync(
            listen => listen.UseIoxideTls(https => https.ServerCertificateSelector = (_, _) =>
            {
                seen.Enqueue(("handshake", Reactor.Current is not null));
                return TestCertificates.Ecdsa;
            }).Use(next => connection =>
            {
                seen.Enqueue(("behind it", Reactor.Current is not null));
                return next(connection);
            }),
            host => host.UseIoxide(options => options.ApplicationScheduling = scheduling));
        using HttpClient client = server.CreateClient();
        await client.GetByteArrayAsync(new Uri("/bytes/10", UriKind.Relative));

        Assert.Equal([("handshake", isOnReactor), ("behind it", isOnReactor)], seen);
    }

    [Theory]
    [InlineData("1.1", "HTTP/1.1")]
    [InlineData("2.0", "HTTP/2")]
    public async Task ApplicationsSeeWhatWasAgreedOn(string version, string protocol)
    {
        await using HttpsServer server = await HttpsServer.StartAsync(listen => listen.UseIoxideTls(TestCertificates.Ecdsa));
        using HttpClient client = server.CreateClient(new Version(version));
        Dictionary<string, string?> seen = await DescribeAsync(client);
        Assert.Equal("https", seen["scheme"]);
        Assert.Equal(protocol, seen["protocol"]);
        Assert.Equal(("Tls13", "TLS_AES_128_GCM_SHA256", "localhost", "True"), (seen["version"], seen["suite"], seen["host"], seen["onRing"]));
        Assert.Null(seen["client"]);
        Assert.Contains(server.Lines, line => line.Contains("TLS on the ring", StringComparison.Ordinal));
    }

    [Fact]
    public async Task AClientOfHttp2MayStillAcknowledgeAfterTheLastAnswerOfAStop()
    {
        TaskCompletionSource entered = Waits.Signal();
        await using HttpsServer server = await HttpsServer.StartAsync(
            listen => listen.UseIoxideTls(TestCertificates.Ecdsa),
            host => host.UseIoxide(options => options.LingerTimeout = TimeSpan.FromMinutes(10)),
            map: app => app.MapGet("/", entered.SetResult));
        await using SslClient client = await SslClient.ConnectAsync(
            server.EndPoint, SslClient.Options(options => options.ApplicationProtocols = [SslApplicationProtocol.Http2]));
        await client.Stream.WriteAsync(Http2Bytes.Opening(isHttps: true));
        await entered.Task.Within(Patience.Limit, "the request arrives");

        // Kestrel looks whether it has answered everything when a frame comes.
        Task stopping = server.StopAsync();
        await Http2Bytes.PingUntilEndAsync(client.Stream).Within(Patience.Limit, "the server ends");

        // The first that meets a closed socket is answered by a reset, the second fails.
        await client.Stream.WriteAsync(Http2Bytes.SettingsAcknowledged);
        await client.Stream.WriteAsync(Http2Bytes.SettingsAcknowledged);
        client.Socket.Shutdown(SocketShutdown.Send);
        await stopping;
    }

    [Fact]
    public async Task OnlyTheEndPointsProtocolsAreOffered()
    {
        await using HttpsServer server = await HttpsServer.StartAsync(listen =>
        {
            listen.Protocols = HttpProtocols.Http1;
            listen.UseIoxideTls(TestCertificates.Ecdsa);
        });
        using HttpClient http1 = server.CreateClient();
        Assert.Equal("HTTP/1.1", (await DescribeAsync(http1))["protocol"]);
        using HttpClient http2 = server.CreateClient(HttpVersion.Version20);
        await Assert.ThrowsAsync<HttpRequestException>(() => http2.GetAsync(new Uri("/tls", UriKind.Relative)));
    }

    [Fact]
    public async Task ClientCertificatesReachTheApplication()
    {
        await using HttpsServer server = await HttpsServer.StartAsync(static listen => listen.UseIoxideTls(static https =>
        {
            https.ServerCertificate = TestCertificates.Ecdsa;
            https.ClientCertificateMode = ClientCertificateMode.RequireCertificate;
            OptionsServer.Trust(https, TestCertificates.Roots);
        }));
        using HttpClient known = server.CreateClient(null, handler =>
            handler.SslOptions.LocalCertificateSelectionCallback = (_, _, _, _, _) => TestCertificates.Client);
        Assert.Equal("CN=client", (await DescribeAsync(known))["client"]);
        using HttpClient unknown = server.CreateClient();
        await Assert.ThrowsAsync<HttpRequestException>(() => unknown.GetAsync(new Uri("/tls", UriKind.Relative)));
    }

    [Fact]
    public async Task ASelectorOfKestrelsIsAskedWithTheConnection()
    {
        ConnectionContext? seen = null;
        await using HttpsServer server = await HttpsServer.StartAsync(listen => listen.UseIoxideTls(https =>
            https.ServerCertificateSelector = (connection, name) =>
            {
                seen = connection;
                return name == TestCertificates.ServerName ? TestCertificates.Ecdsa : null;
            }));
        using HttpClient client = server.CreateClient();
        Assert.Equal("True", (await DescribeAsync(client))["onRing"]);
        Assert.NotNull(seen);
    }

    [Theory, Each("pem", "pfx")]
    public async Task EndPointsFromConfigurationAreTakenOver(string kind)
    {
        string folder = Directory.CreateTempSubdirectory("ioxide-tls-").FullName;
        try
        {
            Dictionary<string, string?> configuration = new() { ["Kestrel:Endpoints:Https:Url"] = "https://127.0.0.1:0" };
            X509Certificate2 certificate = TestCertificates.Rsa;
            if (kind == "pem")
            {
                await File.WriteAllTextAsync($"{folder}/a.pem", certificate.ExportCertificatePem());
                await File.WriteAllTextAsync($"{folder}/a.key", certificate.GetRSAPrivateKey()!.ExportPkcs8PrivateKeyPem());
                configuration["Kestrel:Endpoints:Https:Certificate:Path"] = $"{folder}/a.pem";
                configuration["Kestrel:Endpoints:Https:Certificate:KeyPath"] = $"{folder}/a.key";
            }
            else
            {
                await File.WriteAllBytesAsync($"{folder}/a.pfx", certificate.Export(X509ContentType.Pfx, "secret"));
                configuration["Kestrel:Endpoints:Https:Certificate:Path"] = $"{folder}/a.pfx";
                configuration["Kestrel:Endpoints:Https:Certificate:Password"] = "secret";
            }

            await using HttpsServer server = await HttpsServer.StartAsync(
                host: static host => host.UseIoxideTlsForHttps(), configuration: configuration);
            using HttpClient client = server.CreateClient(HttpVersion.Version20);
            Dictionary<string, string?> seen = await DescribeAsync(client);
            Assert.Equal(("True", "HTTP/2"), (seen["onRing"], seen["protocol"]));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task EndPointsOfUseHttpsAreTakenOver()
    {
        await using HttpsServer server = await HttpsServer.StartAsync(
            static listen => listen.UseHttps(TestCertificates.Ecdsa), static host => host.UseIoxideTlsForHttps());
        using HttpClient client = server.CreateClient();
        Assert.Equal("True", (await DescribeAsync(client))["onRing"]);
    }

    [Fact]
    public async Task OptionsThatOnlySslStreamKnowsAreServedByIt()
    {
        bool wasAsked = false;
        await using HttpsServer server = await HttpsServer.StartAsync(listen => listen.UseIoxideTls(https =>
        {
            https.ServerCertificate = TestCertificates.Ecdsa;
            https.TlsClientHelloBytesCallback = (_, _) => wasAsked = true;
        }));
        using HttpClient client = server.CreateClient();
        Assert.Equal("False", (await DescribeAsync(client))["onRing"]);
        Assert.True(wasAsked);
        Assert.Contains(server.Lines, line => line.Contains("TLS by SslStream", StringComparison.Ordinal));
    }

    [Fact]
    public async Task ConnectionsThatAreNotOnARingAreServedBySslStream()
    {
        await using HttpsServer server = await HttpsServer.StartAsync(static listen => listen.UseIoxideTls(TestCertificates.Ecdsa), hasRings: false);
        using HttpClient client = server.CreateClient();
        Dictionary<string, string?> seen = await DescribeAsync(client);
        Assert.Equal(("False", "https"), (seen["onRing"], seen["scheme"]));
    }

    [Fact]
    public void WithoutACertificateTheHostDoesNotStart()
        => Assert.ThrowsAny<Exception>(() => new TlsServer(new System.Net.Security.SslServerAuthenticationOptions()));

    private static async Task<Dictionary<string, string?>> DescribeAsync(HttpClient client)
        => (await client.GetFromJsonAsync<Dictionary<string, string?>>(new Uri("/tls", UriKind.Relative)))!;
}
