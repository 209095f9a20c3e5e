using System.Net;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.AspNetCore.Tests;

/// <summary>The framework's own TLS, <c>UseHttps</c>, works over each transport.</summary>
public sealed class HttpsTests : IDisposable
{
    internal const string Subject = "CN=localhost";

    private readonly X509Certificate2 _certificate = CertificateMaker.SelfSigned(Subject);

    [Theory, OverTransports(0, 1, 16_384, 16_385, 1_000_000)]
    public async Task EchoesOverHttp11(TransportKind transport, EndPointKind endPoint, int lengthBytes)
        => await EchoAsync(transport, endPoint, HttpVersion.Version11, lengthBytes);

    [Theory, OverTransports(0, 1, 16_384, 16_385, 1_000_000)]
    public async Task EchoesOverHttp2WhichWasNegotiated(TransportKind transport, EndPointKind endPoint, int lengthBytes)
        => await EchoAsync(transport, endPoint, HttpVersion.Version20, lengthBytes);

    [Theory, OverTransports]
    public async Task APlainRequestToATlsEndPointEndsTheConnection(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint);
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/"));

        Assert.DoesNotContain("200 OK", System.Text.Encoding.Latin1.GetString((await client.ReadToEndAsync()).Bytes));
    }

    [Theory, OverTransports]
    public async Task AClosedConnectionEndsTheTlsStream(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint);
        using RawClient client = await RawClient.ConnectAsync(server.EndPoint, isTls: true);
        await client.SendAsync(RawClient.Get("/last", "Connection: close\r\n"));

        Ended ended = await client.ReadToEndAsync();

        Assert.Equal(TestKit.Ending.Fin, ended.Ending);
        Assert.EndsWith("\r\n\r\n/last", System.Text.Encoding.Latin1.GetString(ended.Bytes), StringComparison.Ordinal);
    }

    [Theory, OverTransports]
    public async Task ManyHandshakesAtOnceSucceed(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint);
        await Task.WhenAll(Enumerable.Range(0, 30).Select(async i =>
        {
            using HttpClient client = server.CreateClient(isHttps: true);
            Assert.Equal($"/{i}", await client.GetStringAsync(new Uri($"/{i}", UriKind.Relative)));
        }));
    }

    public void Dispose() => _certificate.Dispose();

    private async Task EchoAsync(TransportKind transport, EndPointKind endPoint, Version version, int lengthBytes)
    {
        await using TestServer server = await StartAsync(transport, endPoint);
        using HttpClient client = server.CreateClient(version, isHttps: true);
        byte[] sent = Payload.Of(lengthBytes);
        for (int i = 0; i < 2; i++)
        {
            using HttpResponseMessage response = await client.PostAsync("/echo", new ByteArrayContent(sent));
            Assert.Equal(version, response.Version);
            Payload.AssertSame(sent, await response.Content.ReadAsByteArrayAsync());
        }

        Assert.Single(server.Connections);
    }

    private Task<TestServer> StartAsync(TransportKind transport, EndPointKind endPoint)
        => TestServer.StartAsync(new(transport, endPoint)
        {
            Listen = listen =>
            {
                listen.Protocols = HttpProtocols.Http1AndHttp2;
                listen.UseHttps(_certificate);
            },
            Handler = context => context.Request.Path == "/echo" ? Handlers.EchoAsync(context) : Handlers.PathAsync(context),
        });
}
