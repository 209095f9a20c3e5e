using System.IO.Pipelines;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>
/// What a burst took comes back: a reactor that needs less memory than it once did gives the rest to the collector, also where nothing happens
/// on it any more, and what is still in use keeps its bytes. The looks are made often here.
/// </summary>
public class TrimTests
{
    private const int SmallBytes = ReactorMemory.SmallBlockBytes;

    [Fact]
    public async Task BlocksOfABurstGoAndThoseInUseStay()
    {
        const int BurstCount = 1000;
        await using ReactorFixture fixture = Start(static _ => { });
        Reactor reactor = fixture[0];
        int kept = fixture.Group.Options.KeptPoolBytes / SmallBytes;
        MemoryBlock[] local = await reactor.RunAsync(() => Rent(reactor, BurstCount)).Within(20.Seconds());
        MemoryBlock[] shared = Rent(reactor, BurstCount);
        long atPeak = reactor.Snapshot().PooledBytes;
        MemoryBlock held = local[BurstCount / 2];
        held.FreeSpan.Fill(0xA5);

        await reactor.RunAsync(() =>
        {
            foreach (MemoryBlock block in local.Concat(shared).Where(block => block != held))
            {
                reactor.Memory.SmallBlocks.Return(block);
            }
        }).Within(20.Seconds());

        await Waits.Eventually(() => reactor.Memory.SmallBlocks.CreatedCount == kept, 20.Seconds());
        Assert.Equal(kept - 1, await reactor.RunAsync(() => reactor.Memory.SmallBlocks.HomeCount).Within(20.Seconds()));
        Assert.Equal(atPeak - ((2L * BurstCount - kept) * SmallBytes), reactor.Snapshot().PooledBytes);
        Assert.Equal(-1, held.FreeSpan.IndexOfAnyExcept((byte)0xA5));
        await reactor.RunAsync(() => reactor.Memory.SmallBlocks.Return(held)).Within(20.Seconds());
    }

    [Fact]
    public async Task BlocksThatAreNeededAllTheTimeStay()
    {
        const int Needed = 500;
        await using ReactorFixture fixture = Start(static _ => { });
        Reactor reactor = fixture[0];
        MemoryBlock[] held = await reactor.RunAsync(() => Rent(reactor, Needed)).Within(20.Seconds());
        long looks = reactor.Trimmer.Looks;
        await Waits.Eventually(() => reactor.Trimmer.Looks >= looks + 10, 20.Seconds());
        Assert.Equal(Needed, reactor.Memory.SmallBlocks.CreatedCount);
        await reactor.RunAsync(() => Array.ForEach(held, reactor.Memory.SmallBlocks.Return)).Within(20.Seconds());
    }

    [Fact]
    public async Task ReceiveBuffersOfABurstGoWhereNothingHappensAnyMore()
    {
        const int BurstCount = 200;
        await using ReactorFixture fixture = Start(options => options.ReceiveBufferCount = 16);
        Reactor reactor = fixture[0];
        TaskCompletionSource mayRead = Waits.Signal();
        await using RingListener listener = await fixture.ListenAsync(async connection =>
        {
            await mayRead.Task;
            await EchoHandler.RunAsync(connection);
        });
        long atStart = reactor.Snapshot().PooledBytes;
        using Socket idle = await RawSocket.ConnectAsync(listener.EndPoint);
        Socket[] burst = await Task.WhenAll(Enumerable.Range(0, BurstCount).Select(_ => RawSocket.ConnectAsync(listener.EndPoint)));
        foreach (Socket client in burst)
        {
            await client.SendAllAsync(new byte[100]);
        }

        await Waits.Eventually(() => reactor.Snapshot().BuffersTaken == BurstCount, 20.Seconds());
        BufferRing large = reactor.Buffers.Small;
        Assert.True(large.Count >= BurstCount);
        mayRead.SetResult();
        foreach (Socket client in burst)
        {
            await client.ReceiveExactlyAsync(100);
            client.Dispose();
        }

        // The receive of the idle connection has waited on the large group since before the burst.
        await Waits.Eventually(() => reactor.Buffers.Small != large && large.IsReleased, 20.Seconds());
        await Waits.Eventually(() => reactor.Buffers.Small.Count == 16, 20.Seconds());
        await Waits.Eventually(() => reactor.Snapshot().BufferCount == 16, 20.Seconds());
        Assert.True(reactor.Snapshot().PooledBytes <= atStart + fixture.Group.Options.KeptPoolBytes);
        byte[] sent = Payload.Of(100_000);
        Task<byte[]> receiving = idle.ReceiveExactlyAsync(sent.Length);
        await idle.SendAllAsync(sent);
        Payload.AssertSame(sent, await receiving);
    }

    [Fact]
    public async Task BytesThatTheApplicationHoldsOutliveTheirGroup()
    {
        await using ReactorFixture fixture = Start(options => options.ReceiveBufferCount = 2);
        Reactor reactor = fixture[0];
        await using LoopbackPair holder = await LoopbackPair.ConnectAsync(fixture);
        byte[] sent = Payload.Of(100);
        await holder.Client.SendAllAsync(sent);
        ReadResult read = await holder.Server.Input.ReadAsync().Within(20.Seconds());
        BufferRing first = reactor.Buffers.Small;
        await reactor.RunAsync(() =>
        {
            while (reactor.Buffers.TryGrow(first))
            {
            }
        }).Within(20.Seconds());

        await Waits.Eventually(() => first.IsReleased, 20.Seconds());
        Assert.Equal(1, reactor.Snapshot().BuffersTaken);
        await using (LoopbackPair other = await LoopbackPair.ConnectAsync(fixture))
        {
            for (int message = 0; message < 50; message++)
            {
                await other.Client.SendAllAsync(Payload.Of(4000));
                await Waits.Eventually(() => ReceivePipeTests.Buffered(other) >= (message + 1) * 4000, 20.Seconds());
            }
        }

        Payload.AssertSame(sent, System.Buffers.BuffersExtensions.ToArray(read.Buffer));
        holder.Server.Input.AdvanceTo(read.Buffer.End);
        await Waits.Eventually(() => reactor.Snapshot().BuffersTaken == 0 && reactor.Buffers.Retired.Count == 0, 20.Seconds());
    }

    [Fact]
    public async Task LargeReceiveBuffersGoAndComeAgainWithTheNextUpload()
    {
        await using ReactorFixture fixture = Start(static _ => { });
        Reactor reactor = fixture[0];
        var groups = new System.Collections.Concurrent.ConcurrentQueue<int>();
        await using RingListener listener = await fixture.ListenAsync(async connection =>
        {
            while (true)
            {
                ReadResult read = await connection.Input.ReadAsync();
                if (read.Buffer.Start.GetObject() is ReceiveSegment { Home: { } home } && home.BufferSizeBytes > SmallBytes)
                {
                    groups.Enqueue(home.Group);
                }

                connection.Input.AdvanceTo(read.Buffer.End);
                if (read.IsCompleted)
                {
                    return;
                }
            }
        });
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        for (int round = 1; round <= 3; round++)
        {
            for (int upload = 0; upload < 1000 && groups.Distinct().Count() < Math.Min(round, 2); upload++)
            {
                await client.SendAllAsync(new byte[1024 * 1024]);
            }

            await Waits.Until(() => SmallBuffersAloneAsync(reactor), static alone => alone, 20.Seconds());
        }

        Assert.Equal([1, 3], groups.Distinct().Order().ToArray());
    }

    /// <summary>The last look at an upload may find a buffer or two in use.</summary>
    [Fact]
    public async Task LargeReceiveBuffersGoAlsoAfterLittleUse()
    {
        await using ReactorFixture fixture = Start(static options => options.TrimInterval = TimeSpan.FromHours(1));
        Reactor reactor = fixture[0];
        await reactor.RunAsync(() =>
        {
            BufferRing bulk = reactor.Buffers.GetOrMakeBulk()!;
            bulk.Return(bulk.Take(0, 1));
            bulk.Publish();
            Look(BufferRing.QuietLooks);
            Assert.Same(bulk, reactor.Buffers.Bulk);
            Look(BufferRing.QuietLooks);
            Assert.Null(reactor.Buffers.Bulk);
        }).Within(20.Seconds());

        void Look(int count)
        {
            for (int look = 0; look < count; look++)
            {
                reactor.Buffers.Trim();
            }
        }
    }

    [Fact]
    public async Task AReactorWithNothingToGiveBackHasNoTimer()
    {
        await using ReactorFixture fixture = Start(static _ => { });
        Reactor reactor = fixture[0];
        Assert.Equal(0, await TimersAsync(reactor));
        MemoryBlock[] blocks = await reactor.RunAsync(() => Rent(reactor, 200)).Within(20.Seconds());
        Assert.Equal(1, await TimersAsync(reactor));
        await reactor.RunAsync(() => Array.ForEach(blocks, reactor.Memory.SmallBlocks.Return)).Within(20.Seconds());
        await Waits.Eventually(() => reactor.Memory.SmallBlocks.CreatedCount == 64, 20.Seconds());
        await Waits.Until(() => TimersAsync(reactor), static timers => timers == 0, 20.Seconds());
    }

    private static ReactorFixture Start(Action<ReactorOptions> configure) => ReactorFixture.Start(options =>
    {
        options.ReactorCount = 1;
        options.TrimInterval = TimeSpan.FromMilliseconds(20);
        configure(options);
    });

    private static MemoryBlock[] Rent(Reactor reactor, int count) => [.. Enumerable.Range(0, count).Select(_ => reactor.Memory.SmallBlocks.Rent())];

    /// <summary>Read on the reactor: in the middle of a look another thread finds a large group neither in use nor retired.</summary>
    private static Task<bool> SmallBuffersAloneAsync(Reactor reactor) => reactor.RunAsync(() =>
    {
        if (reactor.Buffers.Bulk is not null || reactor.Buffers.Retired.Count > 0)
        {
            return false;
        }

        Assert.Equal(reactor.Buffers.Small.Count, reactor.Snapshot().BufferCount);
        return true;
    }).Within(20.Seconds());

    private static Task<int> TimersAsync(Reactor reactor) => reactor.RunAsync(() => reactor.Timers.Count).Within(20.Seconds());
}
