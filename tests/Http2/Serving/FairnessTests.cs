using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net.Sockets;
using System.Text;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2.Tests;

/// <summary>One busy connection beside others on its reactor, and its streams on several threads where the endpoint asks for it.</summary>
public class FairnessTests
{
    /// <summary>
    /// The first handler holds the reactor until the other connection's request lies in its socket. So much of the busy one as a turn may start, and
    /// a turn before the request is noticed, may come first.
    /// </summary>
    [Fact]
    public async Task AConnectionWithManyRequestsLetsOthersHaveTheirTurn()
    {
        const int Count = 3_000, MostBefore = 512;
        ConcurrentQueue<bool> order = new();
        TaskCompletionSource begun = Waits.Signal();
        using ManualResetEventSlim isThere = new();
        await using Http2Host host = await Http2Host.StartAsync(context =>
        {
            bool isBusy = context.Request.Path == "/";
            order.Enqueue(isBusy);
            if (isBusy && order.Count == 1)
            {
                begun.SetResult();
                while (!isThere.IsSet)
                {
                    // The runtime would turn the ring inside a wait.
                    Thread.SpinWait(100);
                }
            }

            return Task.CompletedTask;
        });
        using FrameClient busy = await host.ConnectAsync();
        using FrameClient other = await host.ConnectAsync();
        Assert.Equal(Http2FrameType.Settings, (await other.ReadAnyAsync())!.Type);
        Task sending = busy.SendAsync(Enumerable.Range(0, Count).SelectMany(static index => Request((index * 2) + 1)).ToArray());
        await begun.Task.Within(30.Seconds());
        await other.SendAsync(FrameClient.Request(1, "/other"));
        await Waits.Eventually(() => IsTaken(other.Socket), 30.Seconds());
        isThere.Set();
        _ = await other.ReadStreamAsync(1);
        await sending.Within(30.Seconds());
        _ = await busy.ReadStreamAsync((Count * 2) - 1);
        await Waits.Eventually(() => order.Count == Count + 1, 30.Seconds());
        Assert.InRange(order.TakeWhile(static isBusy => isBusy).Count(), 1, MostBefore);
    }

    /// <summary>As a large message whose bytes are decoded as they come: from some piece on, it is the thread pool's and delays no other stream.</summary>
    [Fact]
    public async Task ARunThatHasUsedItsTimeGoesOnOnTheThreadPool()
    {
        ConcurrentQueue<bool> places = new();
        await using Http2Host host = await StartReadingAsync(places, static () => SpinFor(Placement.QuickTicks));
        using FrameClient client = await host.ConnectAsync();
        await SendInPiecesAsync(client, 1, places, pieces: 4);

        // The second piece may be either's: a machine short of processors makes the first one longer than the time.
        Assert.Equal([true, false, false], places.Where(static (_, index) => index != 1));
    }

    /// <summary>The control. A machine short of processors makes a short piece a long one: some run has only short ones.</summary>
    [Fact]
    public async Task ARunOfShortPiecesStaysOnTheReactor()
    {
        const int MostRuns = 50;
        ConcurrentQueue<bool> places = new();
        await using Http2Host host = await StartReadingAsync(places, static () => { });
        using FrameClient client = await host.ConnectAsync();
        for (int run = 0; run < MostRuns; run++)
        {
            places.Clear();
            await SendInPiecesAsync(client, (2 * run) + 1, places, pieces: 10);
            if (places.All(static isOnReactor => isOnReactor))
            {
                return;
            }
        }

        Assert.Fail("Each run left the reactor.");
    }

    [Theory, AllValues]
    public async Task StreamsOfOneConnectionRunAtOnceOnTheThreadPool(bool isWholeHost)
    {
        using Barrier both = new(2);
        await using Http2Host host = await StartAsync(isWholeHost, app =>
        {
            IEndpointConventionBuilder blocking = app.MapGet("/blocks", () => both.SignalAndWait(60.Seconds()) ? "both" : "one");
            _ = isWholeHost ? blocking : blocking.RunOnThreadPool();
            app.MapGet("/quick", static () => "quick");
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync((byte[])[.. FrameClient.Request(1, "/blocks"), .. FrameClient.Request(3, "/quick")]);
        Assert.Equal("quick", Text(await client.ReadStreamAsync(3)));
        await client.SendAsync(FrameClient.Request(5, "/blocks"));
        Dictionary<int, string> answers = await ReadAllAsync(client, 2);
        Assert.Equal(("both", "both"), (answers[1], answers[5]));
    }

    /// <summary>Flushes from threads of the pool, many per stream, beside each other.</summary>
    [Theory, AllValues]
    public async Task AnswersFromTheThreadPoolAreWholeAndInOrder(bool isWholeHost)
    {
        const int Streams = 20, Lines = 100;
        await using Http2Host host = await StartAsync(isWholeHost, app =>
        {
            IEndpointConventionBuilder numbers = app.MapGet("/{stream}", static async (HttpContext context, string stream) =>
            {
                for (int line = 0; line < Lines; line++)
                {
                    await context.Response.WriteAsync($"{stream}.{line} ");
                    if (line % 10 == 0)
                    {
                        await Task.Yield();
                    }
                }

                context.Response.AppendTrailer("thread", $"{Thread.CurrentThread.IsThreadPoolThread}");
            });
            _ = isWholeHost ? numbers : numbers.RunOnThreadPool();
        });
        using FrameClient client = await host.ConnectAsync((4, 1_000_000));
        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 0, 1_000_000));
        await client.SendAsync(Enumerable.Range(0, Streams).SelectMany(static index => FrameClient.Request((index * 2) + 1, $"/{(index * 2) + 1}")).ToArray());
        foreach ((int stream, string text) in await ReadAllAsync(client, Streams, static trailers => Assert.Equal("True", trailers["thread"])))
        {
            Assert.Equal(string.Concat(Enumerable.Range(0, Lines).Select(line => $"{stream}.{line} ")), text);
        }
    }

    private static Task<Http2Host> StartAsync(bool isWholeHost, Action<WebApplication> map)
        => Http2Host.StartAsync(new Http2Setup
        {
            Transport = options => options.ApplicationScheduling = isWholeHost ? ApplicationScheduling.ThreadPool : ApplicationScheduling.Inline,
            Map = app =>
            {
                app.UseRouting();
                map(app);
            },
        });

    private static async Task<Dictionary<int, string>> ReadAllAsync(FrameClient client, int count, Action<Frame>? onTrailers = null)
    {
        Dictionary<int, StringBuilder> texts = [];
        while (count > 0)
        {
            Frame frame = (await client.ReadAsync())!;
            if (frame.Type == Http2FrameType.Data)
            {
                texts.TryAdd(frame.StreamId, new StringBuilder());
                texts[frame.StreamId].Append(Encoding.ASCII.GetString(frame.Payload));
            }

            if (frame.EndsStream)
            {
                count--;
                if (frame.Type == Http2FrameType.Headers)
                {
                    onTrailers?.Invoke(frame);
                }
            }
        }

        return texts.ToDictionary(static pair => pair.Key, static pair => pair.Value.ToString());
    }

    /// <summary>GET / in 15 bytes: the first one puts its authority into the table.</summary>
    private static byte[] Request(int stream)
        => FrameClient.Frame(
            Http2FrameType.Headers,
            Http2FrameFlags.EndHeaders | Http2FrameFlags.EndStream,
            stream,
            [0x82, 0x86, 0x84, .. stream == 1 ? [0x41, 9, .. "localhost"u8] : (byte[])[0xBE]]);

    /// <summary>Whether the peer's kernel has everything: no byte is unacknowledged. Source: struct tcp_info of linux/tcp.h.</summary>
    private static bool IsTaken(Socket socket)
    {
        const int Tcp = 6, TcpInfo = 11, Unacknowledged = 24;
        byte[] info = new byte[104];
        _ = socket.GetRawSocketOption(Tcp, TcpInfo, info);
        return BinaryPrimitives.ReadUInt32LittleEndian(info.AsSpan(Unacknowledged)) == 0;
    }

    private static Task<Http2Host> StartReadingAsync(ConcurrentQueue<bool> places, Action work)
        => Http2Host.StartAsync(async context =>
        {
            byte[] piece = new byte[1];
            while (await context.Request.Body.ReadAsync(piece) > 0)
            {
                places.Enqueue(Reactor.Current is not null);
                work();
            }
        });

    private static async Task SendInPiecesAsync(FrameClient client, int streamId, ConcurrentQueue<bool> places, int pieces)
    {
        await client.SendAsync(FrameClient.Request(streamId, ends: false, method: "POST"));
        for (int piece = 1; piece <= pieces; piece++)
        {
            await client.SendAsync(FrameClient.Data(streamId, "x"u8));
            await Waits.Eventually(() => places.Count == piece, 30.Seconds());
        }

        await client.SendAsync(FrameClient.Data(streamId, default, ends: true));
        _ = await client.ReadStreamAsync(streamId);
    }

    private static void SpinFor(long ticks)
    {
        long end = Stopwatch.GetTimestamp() + ticks;
        while (Stopwatch.GetTimestamp() < end)
        {
            Thread.SpinWait(100);
        }
    }

    private static string Text(IEnumerable<Frame> frames)
        => Encoding.UTF8.GetString(frames.Where(static frame => frame.Type == Http2FrameType.Data).SelectMany(static frame => frame.Payload).ToArray());
}
