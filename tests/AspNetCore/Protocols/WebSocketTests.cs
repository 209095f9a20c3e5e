using System.Net.WebSockets;
using Microsoft.AspNetCore.Builder;

namespace Ioxide.AspNetCore.Tests;

/// <summary>WebSockets take a connection over from HTTP/1.1 and go on in both directions.</summary>
public class WebSocketTests
{
    [Theory, OverTransports(0, 1, 125, 126, 4096, 65_535, 65_536, 200_000)]
    public async Task EchoesABinaryMessage(TransportKind transport, EndPointKind endPoint, int lengthBytes)
        => await EchoAsync(transport, endPoint, WebSocketMessageType.Binary, Payload.Of(lengthBytes));

    [Theory, OverTransports(0, 1, 4097, 200_000)]
    public async Task EchoesATextMessage(TransportKind transport, EndPointKind endPoint, int lengthBytes)
    {
        byte[] text = new byte[lengthBytes];
        text.AsSpan().Fill((byte)'t');
        await EchoAsync(transport, endPoint, WebSocketMessageType.Text, text);
    }

    [Theory, OverTransports]
    public async Task TheServerSendsWithoutBeingAsked(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint, async socket =>
        {
            for (byte i = 0; i < 100; i++)
            {
                await socket.SendAsync(new[] { i }, WebSocketMessageType.Binary, endOfMessage: true, CancellationToken.None);
            }

            await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "done", CancellationToken.None);
        });
        using ClientWebSocket client = await ConnectAsync(server);
        for (byte i = 0; i < 100; i++)
        {
            Assert.Equal([i], await ReceiveAsync(client, WebSocketMessageType.Binary));
        }

        Assert.Empty(await ReceiveAsync(client, WebSocketMessageType.Close));
        Assert.Equal("done", client.CloseStatusDescription);
        await client.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None)
            .Within(20.Seconds());
    }

    private static async Task EchoAsync(TransportKind transport, EndPointKind endPoint, WebSocketMessageType type, byte[] message)
    {
        await using TestServer server = await StartAsync(transport, endPoint, EchoUntilClosedAsync);
        using ClientWebSocket client = await ConnectAsync(server);
        for (int i = 0; i < 3; i++)
        {
            Task sending = client.SendAsync(message, type, endOfMessage: true, CancellationToken.None);
            byte[] echo = await ReceiveAsync(client, type);
            await sending.Within(20.Seconds());
            Payload.AssertSame(message, echo);
        }

        await client.CloseAsync(WebSocketCloseStatus.NormalClosure, "bye", CancellationToken.None)
            .Within(20.Seconds());
        Assert.Equal(WebSocketState.Closed, client.State);
    }

    private static Task<TestServer> StartAsync(TransportKind transport, EndPointKind endPoint, Func<WebSocket, Task> serve)
        => TestServer.StartAsync(new(transport, endPoint)
        {
            Map = app => app.UseWebSockets(),
            Handler = async context =>
            {
                using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync();
                await serve(socket);
            },
        });

    internal static async Task<ClientWebSocket> ConnectAsync(TestServer server, string path = "/")
    {
        ClientWebSocket client = new();
        using HttpMessageInvoker invoker = new(server.CreateHandler(), disposeHandler: false);
        await client.ConnectAsync(new Uri($"ws://localhost{path}"), invoker, CancellationToken.None).Within(20.Seconds());
        return client;
    }

    private static async Task EchoUntilClosedAsync(WebSocket socket)
    {
        byte[] buffer = new byte[10_000];
        while (true)
        {
            ValueWebSocketReceiveResult part = await socket.ReceiveAsync(buffer.AsMemory(), CancellationToken.None);
            if (part.MessageType == WebSocketMessageType.Close)
            {
                await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, "bye", CancellationToken.None);
                return;
            }

            await socket.SendAsync(buffer.AsMemory(0, part.Count), part.MessageType, part.EndOfMessage, CancellationToken.None);
        }
    }

    private static async Task<byte[]> ReceiveAsync(WebSocket socket, WebSocketMessageType expected)
    {
        using MemoryStream message = new();
        byte[] buffer = new byte[16 * 1024];
        while (true)
        {
            ValueWebSocketReceiveResult part = await socket.ReceiveAsync(buffer.AsMemory(), CancellationToken.None).Within(20.Seconds());
            Assert.Equal(expected, part.MessageType);
            message.Write(buffer, 0, part.Count);
            if (part.EndOfMessage)
            {
                return message.ToArray();
            }
        }
    }
}
