using System.Net;
using System.Net.WebSockets;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2.Tests;

/// <summary>.NET's WebSocket over a stream of HTTP/2 (RFC 8441), whose messages are compressed (RFC 7692).</summary>
public class WebSocketTests
{
    [Theory, MemberData(nameof(Sides.All), MemberType = typeof(Sides))]
    public async Task CompressedMessagesComeBack(bool isEngine, bool isTls)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Map = static app => app.UseWebSockets(new WebSocketOptions { KeepAliveInterval = 50.Milliseconds() }),
            Handler = EchoAsync,
        }.On(isEngine, isTls));
        using HttpMessageInvoker invoker = new(Sides.Handler());
        using ClientWebSocket socket = new()
        {
            Options =
            {
                HttpVersion = HttpVersion.Version20,
                HttpVersionPolicy = HttpVersionPolicy.RequestVersionExact,
                DangerousDeflateOptions = new WebSocketDeflateOptions(),
                CollectHttpResponseDetails = true,
            },
        };
        socket.Options.AddSubProtocol("second");
        await socket.ConnectAsync(new Uri(host.Address(isTls, "ws")), invoker, default).Within(30.Seconds());
        Assert.Equal("second", socket.SubProtocol);
        Assert.StartsWith("permessage-deflate", Assert.Single(socket.HttpResponseHeaders!["sec-websocket-extensions"]), StringComparison.Ordinal);
        foreach (int length in (IEnumerable<int>)[0, 1, 100, 16_384, 300_000, 1_000_000])
        {
            byte[] message = [.. RandomNumberGenerator.GetBytes(length / 10), .. new byte[length - (length / 10)]];
            Task sent = socket.SendAsync(message, WebSocketMessageType.Binary, endOfMessage: true, default);
            Assert.Equal(message, await socket.ReceiveWholeAsync().Within(30.Seconds()));
            await sent.Within(30.Seconds());
        }

        // The server pings meanwhile.
        await Task.Delay(200.Milliseconds(), TestContext.Current.CancellationToken);
        await socket.SendAsync("last"u8.ToArray(), WebSocketMessageType.Text, endOfMessage: true, default).Within(30.Seconds());
        Assert.Equal("last"u8.ToArray(), await socket.ReceiveWholeAsync().Within(30.Seconds()));
        await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "done", default).Within(30.Seconds());
        Assert.Equal((WebSocketState.Closed, "done"), (socket.State, socket.CloseStatusDescription));
    }

    /// <summary>Sends back each message, whole.</summary>
    private static async Task EchoAsync(HttpContext context)
    {
        using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync(
            new WebSocketAcceptContext { DangerousEnableCompression = true, SubProtocol = context.WebSockets.WebSocketRequestedProtocols[0] });
        while (true)
        {
            byte[] message = await socket.ReceiveWholeAsync();
            if (socket.State == WebSocketState.CloseReceived)
            {
                await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, socket.CloseStatusDescription, default);
                return;
            }

            await socket.SendAsync(message, WebSocketMessageType.Binary, endOfMessage: true, default);
        }
    }
}
