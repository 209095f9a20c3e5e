using System.Net;
using System.Net.WebSockets;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Http2.Tests;

/// <summary>Extended CONNECT (RFC 8441): WebSockets over a stream, on the engine and on stock Kestrel.</summary>
public class ConnectTests
{
    private static readonly (string Name, string Value)[] s_connect =
        [(":method", "CONNECT"), (":protocol", "echo"), (":scheme", "http"), (":path", "/tunnel"), (":authority", "localhost")];

    [Theory]
    [InlineData(true, 0)]
    [InlineData(true, 1)]
    [InlineData(true, 16_384)]
    [InlineData(true, 300_000)]
    [InlineData(false, 300_000)]
    public async Task AWebSocketSpeaksOverAStream(bool isEngine, int length)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            Map = static app => app.UseWebSockets(),
            Handler = EchoMessagesAsync,
        });
        using HttpMessageInvoker invoker = new(new SocketsHttpHandler { UseProxy = false });
        using ClientWebSocket socket = new() { Options = { HttpVersion = HttpVersion.Version20, HttpVersionPolicy = HttpVersionPolicy.RequestVersionExact } };
        await socket.ConnectAsync(new Uri($"ws://127.0.0.1:{host.EndPoint.Port}/"), invoker, default).Within(30.Seconds());
        byte[] message = RandomNumberGenerator.GetBytes(length);
        for (int round = 0; round < 3; round++)
        {
            Task sent = socket.SendAsync(message, WebSocketMessageType.Binary, endOfMessage: true, default);
            Assert.Equal(message, await socket.ReceiveWholeAsync().Within(30.Seconds()));
            await sent.Within(30.Seconds());
        }

        await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "done", default).Within(30.Seconds());
        Assert.Equal((WebSocketState.Closed, "done"), (socket.State, socket.CloseStatusDescription));
    }

    [Theory, AllValues]
    public async Task ATunnelIsEmptyUntilItIsAcceptedAndEndsWithItsClient(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup { IsEngine = isEngine, Handler = EchoTunnelAsync });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Headers(1, false, s_connect));
        await client.SendAsync(FrameClient.Data(1, "first"u8));
        Assert.Equal("200", (await client.ReadAsync())![":status"]);
        Assert.Equal("echo,0,first", await ReadTextAsync(client, 12));
        await client.SendAsync(FrameClient.Data(1, "second"u8, ends: true));
        Assert.Equal("second", AnswerTests.Text(await client.ReadStreamAsync(1)));
    }

    /// <summary>Nobody may take an idle WebSocket for a slow body.</summary>
    [Theory, AllValues]
    public async Task AnIdleTunnelHasNoRate(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            Kestrel = static kestrel =>
            {
                kestrel.Limits.MinRequestBodyDataRate = new MinDataRate(1_000_000, 1100.Milliseconds());
                kestrel.Limits.MaxRequestBodySize = 8;
            },
            Handler = EchoTunnelAsync,
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Headers(1, false, s_connect));
        Assert.Equal("200", (await client.ReadAsync())![":status"]);
        Assert.Equal("echo,0,", await ReadTextAsync(client, 7));
        await Task.Delay(4.Seconds(), TestContext.Current.CancellationToken);
        await client.SendAsync(FrameClient.Data(1, "longer than eight"u8, ends: true));
        Assert.Equal("longer than eight", AnswerTests.Text(await client.ReadStreamAsync(1)));
    }

    [Theory, AllValues]
    public async Task ATunnelThatNobodyAcceptsIsAnswered(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(isEngine, static async context =>
        {
            IHttpExtendedConnectFeature feature = context.Features.Get<IHttpExtendedConnectFeature>()!;
            Assert.True(feature.IsExtendedConnect);
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            await AssertRefusedAsync(feature);
            await context.Response.WriteAsync("no such tunnel");
        });
        using FrameClient client = await host.ConnectAsync();
        List<Frame> answer = await client.AskAsync(FrameClient.Headers(1, true, s_connect));
        Assert.Equal("404", answer[0][":status"]);
        Assert.Equal("no such tunnel", AnswerTests.Text(answer));
    }

    [Theory, AllValues]
    public async Task AnotherRequestCannotBeAccepted(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(isEngine, static async context =>
        {
            IHttpExtendedConnectFeature feature = context.Features.Get<IHttpExtendedConnectFeature>()!;
            Assert.False(feature.IsExtendedConnect);
            Assert.Null(feature.Protocol);
            await AssertRefusedAsync(feature);
            await context.Response.WriteAsync("refused");
        });
        using FrameClient client = await host.ConnectAsync();
        Assert.Equal("refused", AnswerTests.Text(await client.AskAsync(FrameClient.Request(1))));
    }

    /// <summary>Filters that set a limit look first, and would limit what the tunnel carries.</summary>
    [Theory, AllValues]
    public async Task TheLimitOfABodyIsFixedForATunnel(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(isEngine, static context =>
        {
            IHttpMaxRequestBodySizeFeature limit = context.Features.GetRequiredFeature<IHttpMaxRequestBodySizeFeature>();
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return context.Response.WriteAsync($"{limit.IsReadOnly}");
        });
        using FrameClient client = await host.ConnectAsync();
        Assert.Equal("True", AnswerTests.Text(await client.AskAsync(FrameClient.Headers(1, true, s_connect))));
    }

    /// <summary>RFC 8441, section 4.</summary>
    [Fact]
    public async Task AProtocolBelongsToAConnectWithASchemeAndAPath()
    {
        await using Http2Host host = await Http2Host.StartAsync(static context => Task.CompletedTask);
        using FrameClient client = await host.ConnectAsync();
        (string, string)[][] requests =
        [
            [(":method", "GET"), (":protocol", "echo"), (":scheme", "http"), (":path", "/"), (":authority", "localhost")],
            [(":method", "CONNECT"), (":protocol", "echo"), (":authority", "localhost")],
            [(":method", "CONNECT"), (":protocol", "echo"), (":path", "/"), (":authority", "localhost")],
        ];
        for (int index = 0; index < requests.Length; index++)
        {
            int streamId = (index * 2) + 1;
            await client.SendAsync(FrameClient.Headers(streamId, false, requests[index]));
            Assert.Equal((Http2FrameType.RstStream, Http2ErrorCode.ProtocolError), await ReadEndAsync(client, streamId));
        }
    }

    private static async Task AssertRefusedAsync(IHttpExtendedConnectFeature feature)
        => await Assert.ThrowsAsync<InvalidOperationException>(() => feature.AcceptAsync().AsTask());

    private static async Task<(Http2FrameType Type, Http2ErrorCode Code)> ReadEndAsync(FrameClient client, int streamId)
    {
        Frame last = (await client.ReadStreamAsync(streamId))[^1];
        return (last.Type, last.Code);
    }

    private static async Task EchoTunnelAsync(HttpContext context)
    {
        IHttpExtendedConnectFeature feature = context.Features.Get<IHttpExtendedConnectFeature>()!;
        using MemoryStream before = new();
        await context.Request.Body.CopyToAsync(before);
        Stream tunnel = await feature.AcceptAsync();
        await tunnel.WriteAsync(System.Text.Encoding.ASCII.GetBytes($"{feature.Protocol},{before.Length},"));
        await tunnel.CopyToAsync(tunnel);
    }

    private static async Task EchoMessagesAsync(HttpContext context)
    {
        using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync();
        byte[] buffer = new byte[10_000];
        while (true)
        {
            ValueWebSocketReceiveResult received = await socket.ReceiveAsync(buffer.AsMemory(), default);
            if (received.MessageType == WebSocketMessageType.Close)
            {
                await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, socket.CloseStatusDescription, default);
                return;
            }

            await socket.SendAsync(buffer.AsMemory(0, received.Count), received.MessageType, received.EndOfMessage, default);
        }
    }

    private static async Task<string> ReadTextAsync(FrameClient client, int length)
    {
        string text = "";
        while (text.Length < length)
        {
            text += (await client.ReadAsync())!.Text;
        }

        return text;
    }
}
