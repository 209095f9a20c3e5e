using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Ioxide.AspNetCore;
using Ioxide.Files;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Tls.Tests;

/// <summary>
/// TLS on the ring and files stand behind a PROXY protocol header as if it had not been there: handshakes are the ring's, and bodies go
/// out by reference.
/// </summary>
public sealed class ProxyProtocolTests : IDisposable
{
    private const int BodyBytes = 1_000_000;

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);

    private readonly string _folder = Directory.CreateTempSubdirectory("ioxide-proxy-files-").FullName;

    public ProxyProtocolTests() => File.WriteAllBytes(Path.Join(_folder, "body.bin"), Payload.Of(BodyBytes));

    /// <summary>Who does TLS, if anybody.</summary>
    public enum Tls
    {
        None,
        EndPoint,
        AllEndPoints,
    }

    [Theory, AllValues]
    public async Task WhatFollowsTheHeaderIsServedAsWithoutIt(Tls tls)
    {
        await using HttpsServer server = await HttpsServer.StartAsync(
            listen => Configure(listen, tls),
            host =>
            {
                host.ConfigureServices(static services => services.AddIoxideFiles());
                if (tls == Tls.AllEndPoints)
                {
                    host.UseIoxideTlsForHttps();
                }
            },
            map: app =>
            {
                app.MapIoxideFiles("/files", _folder, static options => options.WatchForChanges = false);
                app.MapGet("/who", static (HttpContext context) => string.Create(
                    CultureInfo.InvariantCulture, $"{context.Connection.RemoteIpAddress} {context.Connection.RemotePort}"));
            });
        using HttpClient client = server.CreateClient(configure: handler => handler.ConnectCallback = async (_, cancellationToken) =>
        {
            Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            await socket.ConnectAsync(server.EndPoint, cancellationToken);
            await socket.SendAsync(Encoding.ASCII.GetBytes("PROXY TCP4 203.0.113.7 198.51.100.1 51000 443\r\n"), cancellationToken);
            return new NetworkStream(socket, ownsSocket: true);
        });
        client.BaseAddress = new Uri(tls == Tls.None ? "http://localhost/" : "https://localhost/");

        for (int count = 0; count < 3; count++)
        {
            Assert.Equal("203.0.113.7 51000", await client.GetStringAsync(new Uri("/who", UriKind.Relative)));
            Payload.AssertSame(Payload.Of(BodyBytes), await client.GetByteArrayAsync(new Uri("/files/body.bin", UriKind.Relative)));
        }

        IoxideFilesStatistics statistics = server.Services.GetRequiredService<IoxideFiles>().GetStatistics()[0];
        Assert.Equal(3, statistics.ByReference);
        Assert.Contains(
            tls == Tls.None ? "\"onRing\":\"False\"" : "\"onRing\":\"True\"",
            await client.GetStringAsync(new Uri("/tls", UriKind.Relative)),
            StringComparison.Ordinal);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private static void Configure(ListenOptions listen, Tls tls)
    {
        listen.Protocols = HttpProtocols.Http1;
        if (tls == Tls.EndPoint)
        {
            listen.UseIoxideTls(Configure);
        }
        else if (tls == Tls.AllEndPoints)
        {
            listen.UseHttps(Configure);
        }

        listen.UseProxyProtocol(static options => options.Timeout = s_patience);
    }

    private static void Configure(HttpsConnectionAdapterOptions https)
    {
        https.ServerCertificate = TestCertificates.Ecdsa;
        https.HandshakeTimeout = s_patience;
    }
}
