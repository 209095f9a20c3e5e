using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2.Tests;

/// <summary>Floods are ended with ENHANCE_YOUR_CALM, limits are kept, and another connection is served meanwhile.</summary>
public class AbuseTests
{
    private const int Frames = 20_000;

    [Theory, Each(
        "ping", "settings", "priority", "unknown", "window", "empty data", "rapid reset", "continuation", "refused", "malformed",
        "window of a closed stream", "empty continuation")]
    public async Task AFloodEndsItsConnectionAlone(string kind)
    {
        int begun = 0;
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Handler = context =>
            {
                if (context.Request.Path != "/wait")
                {
                    return context.Response.WriteAsync("fine");
                }

                Interlocked.Increment(ref begun);
                return Task.Delay(Timeout.Infinite, context.RequestAborted).ContinueWith(static _ => { }, TaskScheduler.Default);
            },
        });
        using FrameClient client = await host.ConnectAsync();
        using FrameClient other = await host.ConnectAsync();
        Task<(Frame? GoAway, int Answers)> end = CountAnswersAsync(client);
        try
        {
            await client.SendAsync(Flood(kind));
        }
        catch (System.Net.Sockets.SocketException)
        {
            // The server has ended the connection before all was sent.
        }

        Assert.Equal("200", (await other.AskAsync(FrameClient.Request(1)))[0][":status"]);
        (Frame? goAway, int answers) = await end;
        Assert.True(goAway is null or { Code: Http2ErrorCode.EnhanceYourCalm }, $"{goAway}");
        Assert.InRange(answers, 0, Frames / 2);
        Assert.InRange(begun, 0, Frames / 2);
    }

    private static async Task<(Frame? GoAway, int Answers)> CountAnswersAsync(FrameClient client)
    {
        Frame? goAway = null;
        int answers = 0;
        while (await client.ReadAnyAsync() is { } frame)
        {
            answers++;
            goAway = frame.Type == Http2FrameType.GoAway ? frame : goAway;
        }

        return (goAway, answers);
    }

    [Fact]
    public async Task StreamsAboveTheLimitAreRefusedAndServedLater()
    {
        TaskCompletionSource release = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(static kestrel => kestrel.Limits.Http2.MaxStreamsPerConnection = 2, async context =>
        {
            await release.Task;
            await context.Response.WriteAsync("fine");
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1));
        await client.SendAsync(FrameClient.Request(3));
        Frame refused = (await client.AskAsync(FrameClient.Request(5)))[0];
        Assert.Equal((Http2FrameType.RstStream, Http2ErrorCode.RefusedStream), (refused.Type, refused.Code));
        release.SetResult();
        HashSet<int> answered = [];
        while (answered.Count < 2)
        {
            Frame frame = (await client.ReadAsync())!;
            if (frame is { Type: Http2FrameType.Data, EndsStream: true })
            {
                answered.Add(frame.StreamId);
            }
        }

        Assert.Equal("200", (await client.AskAsync(FrameClient.Request(7)))[0][":status"]);
    }

    [Fact]
    public async Task HandlersOfStreamsThatWereResetCountUntilTheyEnd()
    {
        int running = 0;
        int most = 0;
        TaskCompletionSource release = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(static kestrel => kestrel.Limits.Http2.MaxStreamsPerConnection = 10, async context =>
        {
            most = Math.Max(most, Interlocked.Increment(ref running));
            await release.Task;
            Interlocked.Decrement(ref running);
        });
        using FrameClient client = await host.ConnectAsync();
        for (int stream = 1; stream < 201; stream += 2)
        {
            await client.SendAsync(FrameClient.Request(stream));
            await client.SendAsync(FrameClient.Number(Http2FrameType.RstStream, stream, 8));
        }

        await client.SendAsync(FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.None, 0, new byte[8]));
        while ((await client.ReadAsync())!.Type != Http2FrameType.Ping)
        {
        }

        Assert.Equal(20, most);
        release.SetResult();
        await Waits.Eventually(() => Volatile.Read(ref running) == 0, 30.Seconds());
    }

    /// <summary>A peer that makes the server reset streams pays as for resets of its own: each may have begun a handler's work.</summary>
    [Theory, Each("a body that is too long", "a window that is too large", "malformed")]
    public async Task APeerThatMakesTheServerResetStreamsIsEnded(string kind)
    {
        const int Batches = 100;
        const int BatchSize = 50;
        await using Http2Host host = await Http2Host.StartAsync(static context
            => Task.Delay(Timeout.Infinite, context.RequestAborted).ContinueWith(static _ => { }, TaskScheduler.Default));
        using FrameClient client = await host.ConnectAsync();
        Frame? last = null;
        int stream = -1;
        for (int batch = 0; batch < Batches && last?.Type != Http2FrameType.GoAway; batch++)
        {
            List<byte> bytes = [];
            for (int count = 0; count < BatchSize; count++)
            {
                stream += 2;
                bytes.AddRange(kind switch
                {
                    "malformed" => FrameClient.Request(stream, "relative"),
                    "a window that is too large" => [.. FrameClient.Request(stream), .. FrameClient.Number(Http2FrameType.WindowUpdate, stream, int.MaxValue)],
                    _ => [.. FrameClient.Request(stream, ends: false, method: "POST", others: ("content-length", "1")), .. FrameClient.Data(stream, "ab"u8)],
                });
            }

            await client.SendAsync(bytes.ToArray());

            // All are reset before the next batch, so that the server never waits for this side to read.
            do
            {
                last = await client.ReadAsync();
            }
            while (last is not null && last.Type != Http2FrameType.GoAway && last.StreamId != stream);
        }

        Assert.Equal((Http2FrameType.GoAway, Http2ErrorCode.EnhanceYourCalm), (last?.Type, last?.Code));
    }

    /// <summary>Answers without a body are held back too, so that streams stay open and further ones are refused.</summary>
    [Fact]
    public async Task APeerThatReadsNoAnswerIsNotAnsweredWithoutEnd()
    {
        const int MostAnswered = 6_000;
        int answered = 0;
        await using Http2Host host = await Http2Host.StartAsync(static kestrel => kestrel.Limits.MinResponseDataRate = null, context =>
        {
            // The number is in front, so that no table shortens it.
            context.Response.Headers["X-Long"] = $"{Interlocked.Increment(ref answered)} {new string('x', 4_000)}";
            context.Response.StatusCode = StatusCodes.Status204NoContent;
            return Task.CompletedTask;
        });
        using FrameClient client = await host.ConnectAsync((1, 0u));
        using FrameClient other = await host.ConnectAsync();
        await Assert.ThrowsAsync<System.Net.Sockets.SocketException>(async () =>
        {
            for (int stream = 1; Volatile.Read(ref answered) < MostAnswered; stream += 2)
            {
                await client.SendAsync(FrameClient.Request(stream));
                await Task.Yield();
            }
        }).Within(60.Seconds());
        Assert.Equal("204", (await other.AskAsync(FrameClient.Request(1)))[0][":status"]);
    }

    /// <summary>A peer that stops reading and continues later loses none of its answers.</summary>
    [Fact]
    public async Task APeerThatReadsLateGetsEachAnswer()
    {
        const int Requests = 100;
        await using Http2Host host = await Http2Host.StartAsync(static context =>
        {
            context.Response.Headers["X-Long"] = $"{context.Request.Path}{new string('x', 100_000)}";
            context.Response.StatusCode = StatusCodes.Status204NoContent;
            return Task.CompletedTask;
        });
        using FrameClient client = await host.ConnectAsync((1, 0u));
        for (int index = 0; index < Requests; index++)
        {
            await client.SendAsync(FrameClient.Request((index * 2) + 1, $"/{index}-"));
        }

        HashSet<int> seen = [];
        while (seen.Count < Requests)
        {
            Frame frame = (await client.ReadAsync())!;
            Assert.Equal(Http2FrameType.Headers, frame.Type);
            Assert.StartsWith($"/{(frame.StreamId - 1) / 2}-", frame["x-long"], StringComparison.Ordinal);
            Assert.True(seen.Add(frame.StreamId));
        }
    }

    /// <summary>A block of a few bytes that says much: an entry of the table, named thousands of times.</summary>
    [Fact]
    public async Task ABlockThatNamesALongEntryThousandsOfTimesEndsItsConnection()
    {
        await using Http2Host host = await Http2Host.StartAsync(static context => context.Response.WriteAsync("fine"));
        using FrameClient client = await host.ConnectAsync();
        using FrameClient other = await host.ConnectAsync();
        byte[] block = Bomb(16_000);
        await client.SendAsync(FrameClient.Frame(Http2FrameType.Headers, Http2FrameFlags.EndHeaders | Http2FrameFlags.EndStream, 1, block));
        Assert.Equal(Http2ErrorCode.EnhanceYourCalm, (await client.ReadGoAwayAsync())!.Code);
        Assert.Equal("200", (await other.AskAsync(FrameClient.Request(1)))[0][":status"]);
    }

    [Fact]
    public void ABlockThatNamesALongEntryThousandsOfTimesTakesNoMemoryForEach()
    {
        HpackDecoder decoder = new(4096, 8192);
        CountedFields fields = new();
        byte[] block = Bomb(16_000);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Equal(HpackError.None, decoder.Decode(block, fields));
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 64 * 1024);
        Assert.InRange(fields.Bytes, 12_000L * 3_000, long.MaxValue);
    }

    /// <summary>A literal of 3,000 bytes that is added to the table, and its index again and again.</summary>
    private static byte[] Bomb(int count)
    {
        const byte Added = 0x40;
        const byte NewestEntry = 0x80 | 62;
        byte[] length = new byte[HpackInteger.MaxBytes];
        int lengthBytes = HpackInteger.Write(length, 7, 3_000, 0);
        byte[] literal = [Added, 1, (byte)'a', .. length[..lengthBytes], .. Enumerable.Repeat((byte)'x', 3_000)];
        return [.. literal, .. Enumerable.Repeat(NewestEntry, count - literal.Length)];
    }

    private sealed class CountedFields : IHpackFields
    {
        internal long Bytes { get; private set; }

        public void OnField(HpackField field) => Bytes += field.Name.Length + field.Value.Length;

        public void OnLiteral(HpackField? tableName, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, bool isNeverIndexed)
            => Bytes += name.Length + value.Length;
    }

    /// <summary>Answers to pings are held for a peer that does not read them, and not without end.</summary>
    [Fact]
    public async Task APeerThatDoesNotReadIsDropped()
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Handler = static async context =>
            {
                try
                {
                    while (true)
                    {
                        await context.Response.Body.WriteAsync(new byte[60_000], context.RequestAborted);
                    }
                }
                catch (OperationCanceledException)
                {
                    // The connection was dropped.
                }
            },
        });
        using FrameClient client = await host.ConnectAsync((4, (uint)int.MaxValue));
        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 0, int.MaxValue - 65_535));
        await client.SendAsync(FrameClient.Request(1));
        byte[] ping = FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.None, 0, new byte[8]);
        await Assert.ThrowsAsync<System.Net.Sockets.SocketException>(async () =>
        {
            while (true)
            {
                await client.SendAsync(ping);
                await Task.Yield();
            }
        }).Within(60.Seconds());
    }

    private static byte[] Flood(string kind)
    {
        List<byte> bytes = [];
        switch (kind)
        {
            case "empty data":
                bytes.AddRange(FrameClient.Request(1, "/wait", ends: false, method: "POST"));
                break;
            case "continuation" or "empty continuation":
                bytes.AddRange(FrameClient.Frame(Http2FrameType.Headers, Http2FrameFlags.EndStream, 1, 0x82));
                break;
        }

        for (int index = 0; index < Frames; index++)
        {
            int stream = (index * 2) + 1;
            bytes.AddRange(kind switch
            {
                "ping" => FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.None, 0, new byte[8]),
                "settings" => FrameClient.Settings(),
                "priority" => FrameClient.Frame(Http2FrameType.Priority, Http2FrameFlags.None, 1, 0, 0, 0, 3, 1),
                "unknown" => FrameClient.Frame((Http2FrameType)0xBE, Http2FrameFlags.None, 0),
                "window" => FrameClient.Number(Http2FrameType.WindowUpdate, 0, 1),
                "empty data" => FrameClient.Data(1, []),
                "continuation" => FrameClient.Frame(Http2FrameType.Continuation, Http2FrameFlags.None, 1, new byte[1_000]),
                "empty continuation" => FrameClient.Frame(Http2FrameType.Continuation, Http2FrameFlags.None, 1),
                "malformed" => FrameClient.Request(stream, "relative"),
                "window of a closed stream" => index == 0
                    ? [.. FrameClient.Request(1), .. FrameClient.Number(Http2FrameType.RstStream, 1, 8)]
                    : FrameClient.Number(Http2FrameType.WindowUpdate, 1, 1),
                "rapid reset" => [.. FrameClient.Request(stream, "/wait"), .. FrameClient.Number(Http2FrameType.RstStream, stream, 8)],
                _ => FrameClient.Request(stream, "/wait"),
            });
        }

        return [.. bytes];
    }
}
