using System.IO.Pipelines;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Http2.Tests;

/// <summary>Windows in both directions, input in pieces of any size, and what waits meanwhile.</summary>
public class FlowTests
{
    [Theory]
    [InlineData(1u, 300)]
    [InlineData(16u, 5_000)]
    [InlineData(16_375u, 100_000)]
    [InlineData(65_535u, 1_000_000)]
    [InlineData((uint)int.MaxValue, 1_000_000)]
    public async Task AnAnswerKeepsWithinTheStreamsWindow(uint window, int length)
    {
        byte[] body = RandomNumberGenerator.GetBytes(length);
        await using Http2Host host = await Http2Host.StartAsync(context => context.Response.Body.WriteAsync(body).AsTask());
        using FrameClient client = await host.ConnectAsync((4, window));
        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 0, int.MaxValue - 65_535));
        await client.SendAsync(FrameClient.Request(1));
        await AssertBodyAsync(client, 1, window, body);
    }

    [Fact]
    public async Task AWindowThatTheSettingsTakeBackIsWaitedFor()
    {
        byte[] body = RandomNumberGenerator.GetBytes(50);
        await using Http2Host host = await Http2Host.StartAsync(context => context.Response.Body.WriteAsync(body).AsTask());
        using FrameClient client = await host.ConnectAsync((4, 20u));
        await client.SendAsync(FrameClient.Request(1));
        Assert.Equal(Http2FrameType.Headers, (await client.ReadAsync())!.Type);
        Assert.Equal(20, (await client.ReadAsync())!.Payload.Length);

        // 20 were sent, so that the window is 10 below nothing.
        await client.SendAsync(FrameClient.Settings((4, 10u)));
        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 1, 10));
        await client.SendAsync(FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.None, 0, new byte[8]));
        Assert.Equal(Http2FrameType.Ping, (await client.ReadAsync())!.Type);
        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 1, 30));
        List<Frame> rest = await client.ReadStreamAsync(1);
        Assert.Equal(body[20..], rest.SelectMany(frame => frame.Payload));
    }

    [Theory, AllValues]
    public async Task TheTokenOfAFlushThatNobodyAwaitedEndsNoLaterOne(bool isSameRequest)
    {
        using CancellationTokenSource source = new();
        TaskCompletionSource waits = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(
            static kestrel => kestrel.Limits.MaxResponseBufferSize = 100,
            async context =>
            {
                if (context.Request.Path == "/first")
                {
                    ValueTask<FlushResult> flush = context.Response.BodyWriter.WriteAsync(new byte[200], source.Token);
                    Assert.False(flush.IsCompleted);
                    if (!isSameRequest)
                    {
                        return;
                    }

                    await Waits.Eventually(() => flush.IsCompleted, 20.Seconds());
                }

                ValueTask<FlushResult> last = context.Response.BodyWriter.WriteAsync(new byte[200]);
                waits.SetResult();
                _ = await last;
            });
        using FrameClient client = await host.ConnectAsync((4, 10u));
        await client.SendAsync(FrameClient.Request(1, "/first"));
        Assert.Equal(Http2FrameType.Headers, (await client.ReadAsync())!.Type);
        Assert.Equal(10, (await client.ReadAsync())!.Payload.Length);
        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 1, 190));
        Frame second = (await client.ReadAsync())!;
        Assert.Equal((190, !isSameRequest), (second.Payload.Length, second.EndsStream));
        if (!isSameRequest)
        {
            await client.SendAsync(FrameClient.Request(3));
            Assert.Equal(Http2FrameType.Headers, (await client.ReadAsync())!.Type);
            Assert.Equal(10, (await client.ReadAsync())!.Payload.Length);
        }

        await waits.Task.Within(20.Seconds());
        source.Cancel();
        int streamId = isSameRequest ? 1 : 3;
        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, streamId, 200));
        List<Frame> rest = await client.ReadStreamAsync(streamId);
        Assert.Equal((isSameRequest ? 200 : 190, Http2FrameType.Data), (AnswerTests.Text(rest).Length, rest[^1].Type));
    }

    [Fact]
    public async Task StreamsShareTheConnectionsWindow()
    {
        byte[] body = new byte[100_000];
        await using Http2Host host = await Http2Host.StartAsync(context => context.Response.Body.WriteAsync(body).AsTask());
        using FrameClient client = await host.ConnectAsync((4, (uint)int.MaxValue));
        await client.SendAsync(FrameClient.Request(1));
        await client.SendAsync(FrameClient.Request(3));
        Dictionary<int, int> received = new() { [1] = 0, [3] = 0 };
        for (int left = 65_535; left > 0;)
        {
            Frame frame = (await client.ReadAsync())!;
            left -= frame.Type == Http2FrameType.Data ? frame.Payload.Length : 0;
            received[frame.StreamId] += frame.Type == Http2FrameType.Data ? frame.Payload.Length : 0;
        }

        for (int round = 0; round < 8; round++)
        {
            await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 0, 10_000));
            for (int left = 10_000; left > 0;)
            {
                Frame frame = (await client.ReadAsync())!;
                left -= frame.Type == Http2FrameType.Data ? frame.Payload.Length : 0;
                received[frame.StreamId] += frame.Type == Http2FrameType.Data ? frame.Payload.Length : 0;
            }
        }

        Assert.True(received[1] > 20_000 && received[3] > 20_000, $"{received[1]} and {received[3]}");
    }

    [Fact]
    public async Task AStreamThatIsResetWhileItWaitsIsLeftOutAndTheNextOneIsServed()
    {
        await using Http2Host host = await Http2Host.StartAsync(context => context.Response.Body.WriteAsync(new byte[70_000]).AsTask());
        using FrameClient client = await host.ConnectAsync((4, 10u));
        for (int stream = 1; stream < 101; stream += 2)
        {
            await client.SendAsync(FrameClient.Request(stream));
            await client.SendAsync(FrameClient.Number(Http2FrameType.RstStream, stream, 8));
        }

        await client.SendAsync(FrameClient.Request(101));
        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 101, 1_000_000));
        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 0, 1_000_000));
        Assert.Equal(70_000, (await client.ReadStreamAsync(101)).Sum(frame => frame.Type == Http2FrameType.Data ? frame.Payload.Length : 0));
    }

    [Theory, Each(1, 2, 7, 9, 10)]
    public async Task ARequestInPiecesOfAnySizeIsRead(int pieceBytes)
    {
        await using Http2Host host = await Http2Host.StartAsync(static context => context.Request.Body.CopyToAsync(context.Response.Body));
        using FrameClient client = await FrameClient.ConnectAsync(host.EndPoint, null);
        byte[] block = FrameClient.Block((":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "localhost"));
        byte[] bytes =
        [
            .. Http2Connection.Preface, .. FrameClient.Settings((4, 1000u)),
            .. FrameClient.Frame(Http2FrameType.Headers, Http2FrameFlags.None, 1, block.AsSpan(0, 5)),
            .. FrameClient.Frame(Http2FrameType.Continuation, Http2FrameFlags.None, 1),
            .. FrameClient.Frame(Http2FrameType.Continuation, Http2FrameFlags.EndHeaders, 1, block.AsSpan(5)),
            .. FrameClient.Data(1, "first "u8),
            .. FrameClient.Frame(Http2FrameType.Data, Http2FrameFlags.Padded, 1, [3, .. "second"u8, 0, 0, 0]),
            .. FrameClient.Data(1, [], ends: true),
        ];
        for (int start = 0; start < bytes.Length; start += pieceBytes)
        {
            await client.SendAsync(bytes.AsMemory(start, Math.Min(pieceBytes, bytes.Length - start)));

            // The server has received the piece when nothing of it waits in the socket: it answers pings in between no sooner.
            await Task.Yield();
        }

        List<Frame> answer = await client.ReadStreamAsync(1);
        Assert.Equal("first second", string.Concat(answer.Where(frame => frame.Type == Http2FrameType.Data).Select(frame => frame.Text)));
    }

    /// <summary>What the border cuts, or stands behind, is read without further input: the ping at the end is answered.</summary>
    [Fact]
    public async Task ABorderOfSegmentsMayBeAnywhere()
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Listen = static listen => listen.Use(CutTransport.BorderMiddleware()),
            Handler = static context => context.Request.Body.CopyToAsync(context.Response.Body),
        });
        byte[] block = FrameClient.Block((":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "localhost"));
        byte[] bytes =
        [
            .. Http2Connection.Preface, .. FrameClient.Settings((4, 1000u)),
            .. FrameClient.Frame(Http2FrameType.Headers, Http2FrameFlags.None, 1, block.AsSpan(0, 30)),
            .. FrameClient.Frame(Http2FrameType.Continuation, Http2FrameFlags.EndHeaders, 1, block.AsSpan(30)),
            .. FrameClient.Frame(Http2FrameType.Data, Http2FrameFlags.Padded, 1, [3, .. "body"u8, 0, 0, 0]),
            .. FrameClient.Headers(1, true, ("sum", "1")),
            .. FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.None, 0, new byte[8]),
        ];
        for (int border = 0; border <= bytes.Length; border++)
        {
            using FrameClient client = await FrameClient.ConnectAsync(host.EndPoint, null);
            await client.SendAsync(bytes);
            string body = "";
            bool isAnswered = false;
            bool isOver = false;
            while (!isAnswered || !isOver)
            {
                Frame? frame = await client.ReadAsync();
                Assert.True(frame is { Type: Http2FrameType.Headers or Http2FrameType.Data or Http2FrameType.Ping }, $"border {border}: {frame}");
                isAnswered |= frame.Type == Http2FrameType.Ping;
                isOver |= frame.Type != Http2FrameType.Ping && frame.EndsStream;
                body += frame.Type == Http2FrameType.Data ? frame.Text : "";
            }

            Assert.Equal("body", body);
        }
    }

    [Fact]
    public async Task ABodyOfManyWindowsIsCreditedAsItIsRead()
    {
        const int Window = 1_000;
        byte[] body = RandomNumberGenerator.GetBytes(200 * Window);
        byte[]? read = null;
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Kestrel = static kestrel => kestrel.Limits.Http2.InitialStreamWindowSize = 65_535,
            Handler = async context =>
            {
                using MemoryStream copy = new();
                await context.Request.Body.CopyToAsync(copy);
                read = copy.ToArray();
            },
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        int left = 65_535;
        for (int start = 0; start < body.Length; start += Window)
        {
            while (left < Window)
            {
                Frame frame = (await client.ReadAnyAsync())!;
                left += frame is { Type: Http2FrameType.WindowUpdate, StreamId: 1 } ? frame.Number : 0;
            }

            left -= Window;
            await client.SendAsync(FrameClient.Data(1, body.AsSpan(start, Window), ends: start + Window == body.Length));
        }

        _ = await client.ReadStreamAsync(1);
        Assert.Equal(body, read);
    }

    [Fact]
    public async Task MoreThanTheWindowEndsTheStream()
    {
        TaskCompletionSource<Exception> failure = Waits.Signal<Exception>();
        TaskCompletionSource begun = Waits.Signal();
        TaskCompletionSource start = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Kestrel = static kestrel => kestrel.Limits.Http2.InitialStreamWindowSize = 65_535,
            Handler = async context =>
            {
                begun.SetResult();
                await start.Task;
                failure.SetResult(await Assert.ThrowsAnyAsync<IOException>(() => context.Request.Body.CopyToAsync(Stream.Null)));
            },
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        await begun.Task.Within(30.Seconds());
        for (int sent = 0; sent <= 65_535; sent += 16_000)
        {
            await client.SendAsync(FrameClient.Data(1, new byte[16_000]));
        }

        Frame reset = (await client.ReadStreamAsync(1))[0];
        Assert.Equal((Http2FrameType.RstStream, Http2ErrorCode.FlowControlError), (reset.Type, reset.Code));
        start.SetResult();
        _ = await failure.Task.Within(30.Seconds());
    }

    [Fact]
    public async Task ABodyThatNobodyReadsGivesItsPartOfTheConnectionsWindowBack()
    {
        await using Http2Host host = await Http2Host.StartAsync(static context =>
        {
            // Answered without a look at the body.
            context.Features.Get<IHttpMaxRequestBodySizeFeature>()!.MaxRequestBodySize = null;
            return context.Response.WriteAsync("no");
        });
        using FrameClient client = await host.ConnectAsync();
        for (int stream = 1; stream < 200; stream += 2)
        {
            await client.SendAsync(FrameClient.Request(stream, ends: false, method: "POST"));
            await client.SendAsync(FrameClient.Data(stream, new byte[16_000]));
            List<Frame> frames = await client.ReadStreamAsync(stream);
            Assert.Equal("200", frames[0][":status"]);
        }
    }

    private static async Task AssertBodyAsync(FrameClient client, int streamId, uint window, byte[] body)
    {
        long left = window;
        int offset = 0;
        while (true)
        {
            Frame frame = (await client.ReadAsync())!;
            if (frame.Type == Http2FrameType.Headers)
            {
                continue;
            }

            Assert.Equal(Http2FrameType.Data, frame.Type);
            Assert.True(body.AsSpan(offset).StartsWith(frame.Payload));
            offset += frame.Payload.Length;
            left -= frame.Payload.Length;
            Assert.True(left >= 0);
            if (frame.EndsStream)
            {
                break;
            }

            if (left == 0)
            {
                left = window;
                await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, streamId, window));
            }
        }

        Assert.Equal(body.Length, offset);
    }

    /// <summary>Clients with large windows that return credit with each read of theirs send many updates per frame; they are served as by stock Kestrel.</summary>
    [Theory]
    [InlineData(4096, 8)]
    [InlineData(256, 1)]
    public async Task AClientMayReturnCreditInSmallPortions(int portion, int megabytes)
    {
        int length = megabytes << 20;
        await using Http2Host host = await Http2Host.StartAsync(context => context.Response.Body.WriteAsync(new byte[length]).AsTask());
        using FrameClient client = await host.ConnectAsync((4, 4 << 20));
        await client.SendAsync((byte[])[.. FrameClient.Number(Http2FrameType.WindowUpdate, 0, 1 << 30), .. FrameClient.Request(1)]);
        int received = 0;
        int owed = 0;
        while (received < length)
        {
            Frame frame = await client.ReadAsync() ?? throw new EndOfStreamException();
            Assert.NotEqual(Http2FrameType.GoAway, frame.Type);
            if (frame.Type != Http2FrameType.Data)
            {
                continue;
            }

            received += frame.Payload.Length;
            owed += frame.Payload.Length;
            List<byte> credit = [];
            for (; owed >= portion; owed -= portion)
            {
                credit.AddRange(FrameClient.Number(Http2FrameType.WindowUpdate, 1, (uint)portion));
                credit.AddRange(FrameClient.Number(Http2FrameType.WindowUpdate, 0, (uint)portion));
            }

            await client.SendAsync(credit.ToArray());
        }

        Assert.Equal(length, received);
    }
}
