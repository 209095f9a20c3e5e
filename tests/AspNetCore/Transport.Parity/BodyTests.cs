using System.Net;
using Microsoft.AspNetCore.Http;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// No byte of a body is lost, repeated or reordered, whatever its size and framing. Sizes stand around the receive
/// buffer, and one is far above every buffer.
/// </summary>
public class BodyTests
{
    private const int OneMebibyte = 1024 * 1024;

    [Theory, OverTransports(0, 1, 4095, 4096, 4097, 32769, 8 * OneMebibyte)]
    public async Task EchoesABodyWithALength(TransportKind transport, EndPointKind endPoint, int lengthBytes)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, Handlers.EchoAsync);
        using HttpClient client = server.CreateClient();
        byte[] sent = Payload.Of(lengthBytes);

        using HttpResponseMessage response = await client.PostAsync("/", new ByteArrayContent(sent));

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Payload.AssertSame(sent, await response.Content.ReadAsByteArrayAsync());
    }

    [Theory, OverTransports(0, 1, 4095, 4096, 4097, 32769, 8 * OneMebibyte)]
    public async Task EchoesAChunkedBody(TransportKind transport, EndPointKind endPoint, int lengthBytes)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, Handlers.EchoAsync);
        using HttpClient client = server.CreateClient();
        byte[] sent = Payload.Of(lengthBytes);
        using HttpRequestMessage request = new(HttpMethod.Post, "/") { Content = new ByteArrayContent(sent) };
        request.Headers.TransferEncodingChunked = true;

        using HttpResponseMessage response = await client.SendAsync(request);

        Payload.AssertSame(sent, await response.Content.ReadAsByteArrayAsync());
    }

    [Theory, OverTransports(1, 7, 4096, 100_000)]
    public async Task StreamsAResponseInFlushedPieces(TransportKind transport, EndPointKind endPoint, int pieceBytes)
    {
        const int PieceCount = 20;
        byte[] piece = Payload.Of(pieceBytes);
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, async context =>
        {
            for (int i = 0; i < PieceCount; i++)
            {
                await context.Response.Body.WriteAsync(piece);
                await context.Response.Body.FlushAsync();
            }
        });
        using HttpClient client = server.CreateClient();

        byte[] received = await client.GetByteArrayAsync(new Uri("/", UriKind.Relative));

        Payload.AssertSame(Enumerable.Repeat(piece, PieceCount).SelectMany(bytes => bytes).ToArray(), received);
    }

    [Theory, OverTransports(1, 4096, 4097, 100_000, OneMebibyte)]
    public async Task SendsWhatWasWrittenIntoOneMemoryOfThatSize(TransportKind transport, EndPointKind endPoint, int lengthBytes)
    {
        byte[] content = Payload.Of(lengthBytes);
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, async context =>
        {
            Memory<byte> memory = context.Response.BodyWriter.GetMemory(lengthBytes);
            Assert.True(memory.Length >= lengthBytes);
            content.CopyTo(memory);
            context.Response.BodyWriter.Advance(lengthBytes);
            await context.Response.BodyWriter.FlushAsync();
        });
        using HttpClient client = server.CreateClient();

        Payload.AssertSame(content, await client.GetByteArrayAsync(new Uri("/", UriKind.Relative)));
    }

    [Theory, OverTransports]
    public async Task SendsManyUnflushedWritesOfGrowingSize(TransportKind transport, EndPointKind endPoint)
    {
        byte[] content = Payload.Of(3000);
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, context =>
        {
            for (int length = 0; length <= content.Length; length += 61)
            {
                Span<byte> span = context.Response.BodyWriter.GetSpan(length);
                content.AsSpan(0, length).CopyTo(span);
                context.Response.BodyWriter.Advance(length);
            }

            return Task.CompletedTask;
        });
        using HttpClient client = server.CreateClient();
        using MemoryStream expected = new();
        for (int length = 0; length <= content.Length; length += 61)
        {
            expected.Write(content, 0, length);
        }

        Payload.AssertSame(expected.ToArray(), await client.GetByteArrayAsync(new Uri("/", UriKind.Relative)));
    }

    [Theory, OverTransports]
    public async Task TheHandlerReadsEachPieceAsItArrives(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, async context =>
        {
            byte[] buffer = new byte[100];
            for (int count; (count = await context.Request.Body.ReadAsync(buffer)) > 0;)
            {
                await context.Response.Body.WriteAsync(buffer.AsMemory(0, count));
                await context.Response.Body.FlushAsync();
            }
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30\r\n\r\n");
        for (int i = 0; i < 10; i++)
        {
            string piece = $"[{i}]";
            await client.SendAsync(piece);
            while (i == 0 && (await client.ReadLineAsync()).Length > 0)
            {
            }

            // One chunk, unless an injected fault splits what the server receives.
            string arrived = "";
            do
            {
                string length = await client.ReadLineAsync();
                string chunk = await client.ReadLineAsync();
                Assert.Equal(length, $"{chunk.Length}");
                arrived += chunk;
            }
            while (FaultSetup.IsOn && arrived.Length < piece.Length);
            Assert.Equal(piece, arrived);
        }

        Assert.Equal("0", await client.ReadLineAsync());
    }

    [Theory, OverTransports]
    public async Task AnswersHeadWithALengthAndNoBody(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint);
        using RawClient client = await server.ConnectAsync();

        RawResponse head = await client.AskAsync(RawClient.Request("HEAD /twelve-bytes"));

        Assert.Equal("13", head.Headers["Content-Length"]);
        Assert.Equal("/next", (await client.GetAsync("/next")).Text);
    }

    [Theory, OverTransports]
    public async Task DrainsABodyThatTheHandlerDoesNotRead(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint);
        using RawClient client = await server.ConnectAsync();

        await client.SendAsync("POST /unread HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n");
        await client.SendAsync(Payload.Of(200_000));

        Assert.Equal("/unread", (await client.ReadResponseAsync()).Text);
        Assert.Equal("/next", (await client.GetAsync("/next")).Text);
    }

    [Theory, OverTransports]
    public async Task RefusesABodyAboveTheLimit(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(new(transport, endPoint)
        {
            ExpectsErrors = true,
            Handler = Handlers.EchoAsync,
            Kestrel = kestrel => kestrel.Limits.MaxRequestBodySize = 1000,
        });
        using HttpClient client = server.CreateClient();
        client.DefaultRequestHeaders.Connection.Add("close");

        using HttpResponseMessage allowed = await client.PostAsync("/", new ByteArrayContent(Payload.Of(1000)));
        using HttpResponseMessage refused = await client.PostAsync("/", new ByteArrayContent(Payload.Of(1001)));

        Assert.Equal(HttpStatusCode.OK, allowed.StatusCode);
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, refused.StatusCode);
    }

    [Theory, OverTransports]
    public async Task SendsAFileFromThePath(TransportKind transport, EndPointKind endPoint)
    {
        byte[] content = Payload.Of(300_001);
        string path = Path.GetTempFileName();
        try
        {
            await File.WriteAllBytesAsync(path, content);
            await using TestServer server = await TestServer.StartAsync(transport, endPoint, context => context.Response.SendFileAsync(path));
            using HttpClient client = server.CreateClient();

            Payload.AssertSame(content, await client.GetByteArrayAsync(new Uri("/", UriKind.Relative)));
        }
        finally
        {
            File.Delete(path);
        }
    }
}
