using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Tls.Tests;

/// <summary>What an application, its clients and its operators see of TLS on a ring, beside stock Kestrel with the same options.</summary>
public class BesideStockTests
{
    [Theory, AllValues]
    public async Task WhatTheApplicationThrowsInAHandshakeIsLoggedWithItsStack(bool isRing)
    {
        await using HttpsServer selecting = await StartAsync(isRing, https => https.ServerCertificateSelector = static (_, _) => ThrowFromSelector());
        Assert.Null(await OptionsServer.SubjectAsync(selecting, TestCertificates.ServerName));
        await ExpectLineAsync(selecting, nameof(ThrowFromSelector));
        await using HttpsServer validating = await StartAsync(isRing, static https =>
        {
            https.ClientCertificateMode = ClientCertificateMode.RequireCertificate;
            https.ClientCertificateValidation = static (_, _, _) => ThrowFromValidation();
        });
        using (HttpClient client = validating.CreateClient(configure: static handler => handler.SslOptions.ClientCertificates = [TestCertificates.Client]))
        {
            await Assert.ThrowsAnyAsync<HttpRequestException>(() => client.GetAsync(new Uri("tls", UriKind.Relative)));
        }

        await ExpectLineAsync(validating, nameof(ThrowFromValidation));
    }

    [Fact]
    public async Task ASelectorGetsTheNamesThatStockGives()
    {
        List<string?>[] names = [[], []];
        foreach (bool isRing in (bool[])[true, false])
        {
            List<string?> seen = names[isRing ? 0 : 1];
            await using HttpsServer server = await StartAsync(isRing, https => https.ServerCertificateSelector = (_, name) =>
            {
                seen.Add(name);
                return TestCertificates.Ecdsa;
            });
            foreach (string? name in (string?[])[null, "localhost", "UPPER.test", "xn--bcher-kva.test"])
            {
                Assert.NotNull(await OptionsServer.SubjectAsync(server, name));
            }
        }

        Assert.Equal(names[1], names[0]);
        Assert.Equal("", names[0][0]);
    }

    /// <summary>HTTP/1.0 and 1.1 by the alert that ends a session; HTTP/2 by what a client makes of the body.</summary>
    [Theory]
    [InlineData("whole", "1.0", true)]
    [InlineData("whole", "1.1", true)]
    [InlineData("broken", "1.0", false)]
    [InlineData("broken", "1.1", false)]
    [InlineData("short", "1.0", false)]
    [InlineData("short", "1.1", false)]
    [InlineData("aborted", "1.1", false)]
    public async Task OnlyAWholeAnswerEndsWithCloseNotify(string path, string version, bool isClosed)
    {
        await using HttpsServer server = await StartAsync(true, map: MapAnswers);
        using RecordClient client = await RecordClient.ConnectAsync(server.EndPoint);
        await client.SendDataAsync(Encoding.ASCII.GetBytes($"GET /{path} HTTP/{version}\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
        bool hasAlert = false;
        bool hasData = false;
        try
        {
            while (true)
            {
                (RecordType type, byte[] content) = await client.ReadAsync();
                hasData |= type == RecordType.ApplicationData;
                hasAlert |= type == RecordType.Alert && content[1] == (byte)TlsAlert.CloseNotify;
            }
        }
        catch (Exception exception) when (exception is EndOfStreamException or SocketException)
        {
            // The end, or a reset where the application aborts.
        }

        Assert.Equal(isClosed, hasAlert);
        Assert.True(hasData || path == "aborted");
    }

    [Theory, AllValues]
    public async Task ABrokenAnswerOfHttp2IsNoAnswer(bool isRing)
    {
        await using HttpsServer server = await StartAsync(isRing, map: MapAnswers);
        using HttpClient client = server.CreateClient(HttpVersion.Version20);
        Assert.Equal("whole", await client.GetStringAsync(new Uri("whole", UriKind.Relative)));
        foreach (string path in (string[])["broken", "short", "aborted"])
        {
            await Assert.ThrowsAnyAsync<HttpRequestException>(() => client.GetStringAsync(new Uri(path, UriKind.Relative)));
        }
    }

    [Fact]
    public async Task TheInstrumentsOfKestrelAreFedAsByStock()
    {
        string[][] seen = [await MeasureAsync(isRing: true), await MeasureAsync(isRing: false)];
        Assert.Contains(seen[1], static line => line.StartsWith("kestrel.tls_handshake.duration", StringComparison.Ordinal));
        Assert.Contains(seen[1], static line => line.StartsWith("kestrel.active_tls_handshakes", StringComparison.Ordinal));
        Assert.Contains(seen[1], static line => line.StartsWith("kestrel.connection.duration", StringComparison.Ordinal)
            && line.Contains("tls.protocol.version=1.3", StringComparison.Ordinal));
        Assert.Equal(seen[1], seen[0]);
    }

    /// <summary>Nobody has authenticated yet who could name an address to be fetched.</summary>
    [Fact]
    public async Task WhatAClientsCertificateNamesIsNotFetchedInAHandshake()
    {
        using TcpListener issuer = new(IPAddress.Loopback, 0);
        issuer.Start();
        X509Certificate2 certificate = SignWithAddress(((IPEndPoint)issuer.LocalEndpoint).Port);
        await using HttpsServer server = await StartAsync(
            true, static https => https.ClientCertificateMode = ClientCertificateMode.RequireCertificate);
        using HttpClient client = server.CreateClient(configure: handler =>
            handler.SslOptions.ClientCertificateContext = SslStreamCertificateContext.Create(certificate, null, offline: true));
        await Assert.ThrowsAnyAsync<HttpRequestException>(() => client.GetAsync(new Uri("tls", UriKind.Relative)));
        Assert.False(issuer.Pending());
    }

    [Fact]
    public async Task AServerThatAReloadHasReplacedIsFreed()
    {
        string file = Path.GetTempFileName();
        await File.WriteAllBytesAsync(file, TestCertificates.Ecdsa.Export(X509ContentType.Pfx));
        try
        {
            await using HttpsServer server = await HttpsServer.StartAsync(
                host: static host => host.UseIoxideTlsForHttps(),
                configuration: new()
                {
                    ["Kestrel:Endpoints:Https:Url"] = "https://127.0.0.1:0",
                    ["Kestrel:Endpoints:Https:Certificate:Path"] = file,
                });
            IConfiguration configuration = server.Services.GetRequiredService<IConfiguration>();
            int before = LiveSecrets();
            for (int round = 0; round < 4; round++)
            {
                int starts = Starts(server);
                configuration["Kestrel:Endpoints:Https:Protocols"] = round % 2 == 0 ? "Http1" : "Http1AndHttp2";
                ((IConfigurationRoot)configuration).Reload();
                await Waits.Eventually(() => Starts(server) == starts + 1, Patience.Limit, "the endpoint is bound anew");
            }

            // The keys of tickets are each server's own.
            await Waits.Eventually(() => LiveSecrets() <= before, Patience.Limit, "the servers are collected");
        }
        finally
        {
            File.Delete(file);
        }
    }

    /// <summary>Stock resumes no session beside a selector; a ring does for as long as the certificate is the same.</summary>
    [Fact]
    public async Task ASessionIsNotResumedWithAnotherCertificateThanItsOwn()
    {
        X509Certificate2 selected = TestCertificates.Ecdsa;
        await using HttpsServer server = await StartAsync(true, https => https.ServerCertificateSelector = (_, _) => Volatile.Read(ref selected));
        Assert.True(await OptionsServer.IsResumedAsync(server));
        Assert.False(await OptionsServer.IsResumedAsync(server, () => Volatile.Write(ref selected, TestCertificates.Rsa)));
        await using HttpsServer stock = await StartAsync(false, https => https.ServerCertificateSelector = (_, _) => Volatile.Read(ref selected));
        Assert.False(await OptionsServer.IsResumedAsync(stock, () => Volatile.Write(ref selected, TestCertificates.Ecdsa)));
    }

    [Theory, AllValues]
    public async Task AHandshakeThatTakesTooLongEndsInOrder(bool isRing)
    {
        await using HttpsServer server = await StartAsync(isRing, static https => https.HandshakeTimeout = 200.Milliseconds());
        using Socket socket = await RawSocket.ConnectAsync(server.EndPoint);
        Assert.Equal(0, await socket.ReceiveAsync(new byte[16]).Within(Patience.Limit, "the server ends"));
    }

    private static int Starts(HttpsServer server) => server.Lines.Count(static line => line.Contains("TLS on the ring", StringComparison.Ordinal));

    private static int LiveSecrets()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return SecretMemory.LiveCount;
    }

    private static X509Certificate2 ThrowFromSelector() => throw new InvalidOperationException("what the application threw");

    private static bool ThrowFromValidation() => throw new InvalidOperationException("what the application threw");

    private static Task<HttpsServer> StartAsync(
        bool isRing, Action<HttpsConnectionAdapterOptions>? configure = null, Action<WebApplication>? map = null)
        => HttpsServer.StartAsync(
            listen =>
            {
                void Configure(HttpsConnectionAdapterOptions https)
                {
                    https.ServerCertificate = TestCertificates.Ecdsa;
                    https.HandshakeTimeout = Patience.Limit;
                    configure?.Invoke(https);
                }

                _ = isRing ? listen.UseIoxideTls(Configure) : listen.UseHttps(Configure);
            },
            hasRings: isRing, map: map);

    private static Task ExpectLineAsync(HttpsServer server, string stackLine)
        => Waits.Eventually(
            () => server.Lines.Any(line => line.StartsWith("Error", StringComparison.Ordinal)
                && line.Contains("what the application threw", StringComparison.Ordinal) && line.Contains(stackLine, StringComparison.Ordinal)),
            Patience.Limit, "the exception is logged");

    private static void MapAnswers(WebApplication app)
    {
        app.MapGet("/whole", static (HttpContext context) => context.Response.WriteAsync("whole"));
        app.MapGet("/short", static (HttpContext context) =>
        {
            context.Response.ContentLength = 100;
            return context.Response.WriteAsync("short");
        });
        app.MapGet("/broken", static async (HttpContext context) =>
        {
            await context.Response.WriteAsync("half");
            await context.Response.Body.FlushAsync();
            throw new InvalidOperationException("in the middle");
        });
        app.MapGet("/aborted", static async (HttpContext context) =>
        {
            await context.Response.WriteAsync("half");
            await context.Response.Body.FlushAsync();
            context.Abort();
        });
    }

    /// <summary>What Kestrel's instruments of TLS say of one client that is served and one that is refused, without its port.</summary>
    private static async Task<string[]> MeasureAsync(bool isRing)
    {
        ConcurrentQueue<string> seen = [];
        using MeterListener listener = new();
        listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Name is "kestrel.tls_handshake.duration" or "kestrel.active_tls_handshakes" or "kestrel.connection.duration")
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<double>((instrument, _, tags, _) => Take(instrument, "", tags));
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Take(instrument, value > 0 ? "+" : "-", tags));
        listener.Start();
        await using (HttpsServer server = await StartAsync(isRing))
        {
            using (HttpClient client = server.CreateClient())
            {
                await client.GetAsync(new Uri("tls", UriKind.Relative));
            }

            await Waits.Eventually(() => Count("kestrel.connection.duration") == 1, Patience.Limit, "the first connection has ended");
            await Assert.ThrowsAsync<AuthenticationException>(() => SslClient.ConnectAsync(server.EndPoint, SslClient.Options(
                static options => options.CipherSuitesPolicy = new CipherSuitesPolicy([TlsCipherSuite.TLS_AES_128_CCM_SHA256]))));
            await Waits.Eventually(() => Count("kestrel.connection.duration") == 2, Patience.Limit, "the second connection has ended");
        }

        return [.. seen.Order(StringComparer.Ordinal)];

        int Count(string name) => seen.Count(line => line.StartsWith(name, StringComparison.Ordinal));

        void Take(Instrument instrument, string value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
            => seen.Enqueue($"{instrument.Name}{value} {string.Join(
                ' ', tags.ToArray().Where(static tag => tag.Key is not "server.port").OrderBy(static tag => tag.Key, StringComparer.Ordinal)
                    .Select(static tag => tag is { Key: "error.type", Value: not "tls_handshake_failed" } ? "error.type" : $"{tag.Key}={tag.Value}"))}");
    }

    private static X509Certificate2 SignWithAddress(int port)
    {
        using X509Certificate2 issuer = CertificateMaker.SelfSigned("CN=an issuer nobody knows");
        return CertificateMaker.Make(
            "CN=client of an issuer nobody knows", issuer, CertificateMaker.ClientUsage,
            more: new X509AuthorityInformationAccessExtension([], [$"http://127.0.0.1:{port}/issuer.cer"]));
    }
}
