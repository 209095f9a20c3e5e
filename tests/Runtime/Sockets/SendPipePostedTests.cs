using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.Tests;

/// <summary>
/// What other threads flush waits in the pipe as one piece of posted work, small flushes in one block, and arrives once and in order
/// with what the reactor flushes. The reactor is held up where a burst has to wait; the fixture checks that all blocks come home.
/// </summary>
/// <remarks>Takes 7 s: a thousand connections to peers that do not read.</remarks>
public class SendPipePostedTests : ReactorTests
{
    private const long Key = 11;

    private static readonly int[] s_sizes = [0, 1, 40, 511, 512, 513, 3000, 4095, 4096, 4097, 9000];

    [Fact]
    public async Task ABurstOfFlushesIsOnePieceOfPostedWork()
    {
        const int FlushCount = 200;
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        for (int burst = 0; burst < 3; burst++)
        {
            long offset = burst * FlushCount * 100L;
            using (await HeldReactor.HoldAsync(pair.Server.Reactor))
            {
                for (int flush = 0; flush < FlushCount; flush++)
                {
                    pair.Server.Output.Write(Keyed(100, offset + (flush * 100)));
                    await pair.Server.Output.FlushAsync();
                }

                Assert.Equal(1, pair.Server.Reactor.QueuedWork);
            }

            Assert.Equal(-1, Payload.FirstDifference(await pair.Client.ReceiveExactlyAsync(FlushCount * 100), Key, offset));
        }
    }

    [Fact]
    public async Task ABurstOfSmallFlushesTakesOneBlock()
    {
        const int FlushCount = 100;
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        BlockPool blocks = pair.Server.Reactor.Memory.SmallBlocks;
        using (await HeldReactor.HoldAsync(pair.Server.Reactor))
        {
            for (int flush = 0; flush < FlushCount; flush++)
            {
                pair.Server.Output.Write(Keyed(40, flush * 40));
                await pair.Server.Output.FlushAsync();
            }

            Assert.Equal(1, blocks.CreatedCount - blocks.HomeCount);
        }

        Assert.Equal(-1, Payload.FirstDifference(await pair.Client.ReceiveExactlyAsync(FlushCount * 40), Key, 0));
        await Waits.Eventually(() => blocks.CreatedCount == blocks.HomeCount, 20.Seconds());
    }

    [Fact]
    public async Task BlocksOfOtherThreadsComeBackToThem()
    {
        const int BlockCount = 10;
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        Reactor reactor = fixture[0];
        BlockPool blocks = reactor.Memory.SmallBlocks;
        MemoryBlock[] lent = [.. Enumerable.Range(0, BlockCount).Select(_ => blocks.RentShared())];
        await reactor.RunAsync(() => Array.ForEach(lent, blocks.Return));
        MemoryBlock own = await reactor.RunAsync(blocks.Rent);
        MemoryBlock[] again = [.. Enumerable.Range(0, BlockCount).Select(_ => blocks.RentShared())];
        Assert.DoesNotContain(own, lent);
        Assert.Equal(lent.ToHashSet(), again.ToHashSet());
        await reactor.RunAsync(() => Array.ForEach([.. again, own], blocks.Return));
        Assert.Equal(BlockCount + 1, blocks.HomeCount);
    }

    [Theory]
    [InlineData(512, 1)]
    [InlineData(513, 2)]
    public async Task OnlyASmallFlushIsCopied(int lengthBytes, int postedBlocks)
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        BlockPool blocks = pair.Server.Reactor.Memory.SmallBlocks;
        using (await HeldReactor.HoldAsync(pair.Server.Reactor))
        {
            pair.Server.Output.Write(Keyed(1, 0));
            await pair.Server.Output.FlushAsync();
            pair.Server.Output.Write(Keyed(lengthBytes, 1));
            await pair.Server.Output.FlushAsync();

            // The block of a copied flush is the writer's next one.
            pair.Server.Output.Write(Keyed(100, 1 + lengthBytes));
            Assert.Equal(postedBlocks + 1, blocks.CreatedCount - blocks.HomeCount);
            await pair.Server.Output.FlushAsync();
        }

        byte[] received = await pair.Client.ReceiveExactlyAsync(101 + lengthBytes);
        Assert.Equal(-1, Payload.FirstDifference(received, Key, 0));
    }

    [Fact]
    public async Task MemoryStaysTheWritersBesideAWaitingBurst()
    {
        const int RoundCount = 5000;
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        SendPipe output = pair.Server.Output;
        Task<byte[]> receiving = pair.Client.ReceiveToEndAsync();
        await Task.Run(async () =>
        {
            for (int round = 0; round < RoundCount; round++)
            {
                // Written past what was told of, as Kestrel's BufferWriter does.
                Memory<byte> memory = output.GetMemory(200);
                Payload.Fill(memory.Span[..100], Key, round * 200L);
                output.Advance(50);
                Payload.Fill(memory.Span[100..200], Key, (round * 200L) + 100);
                output.Advance(150);
                await output.FlushAsync().ConfigureAwait(false);
                Assert.Equal(0, output.UnflushedBytes);
            }

            output.Complete();
        }).Within(60.Seconds());
        byte[] received = await receiving;
        Assert.Equal(RoundCount * 200, received.Length);
        Assert.Equal(-1, Payload.FirstDifference(received, Key, 0));
    }

    [Fact]
    public async Task RandomFlushesOnAndOffTheReactorArriveInOrder()
    {
        const int StepCount = 3000;
        var random = new Random(Seed.Print());
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        Task<byte[]> receiving = pair.Client.ReceiveToEndAsync();
        long offset = 0;
        for (int step = 0; step < StepCount; step++)
        {
            if (random.Next(4) == 0)
            {
                // What is flushed meanwhile waits.
                pair.Server.Reactor.Post(static spins => Thread.SpinWait((int)spins!), random.Next(20_000));
            }

            offset = random.Next(3) == 0
                ? await pair.Server.Reactor.RunAsync(() => WriteSomeAsync(pair.Server.Output, random, offset)).Within(20.Seconds())
                : await Task.Run(() => WriteSomeAsync(pair.Server.Output, random, offset)).Within(20.Seconds());
        }

        pair.Server.Output.Complete();
        byte[] received = await receiving.Within(60.Seconds());
        Assert.Equal(offset, received.Length);
        Assert.Equal(-1, Payload.FirstDifference(received, Key, 0));
    }

    /// <summary>Else a flush that looks just then would go on over the limit.</summary>
    [Fact]
    public async Task WhatWasFlushedCountsAllTheTimeThatTheReactorTakesItOver()
    {
        const int RoundCount = 1000;
        byte[] sent = new byte[StalledPeer.TooManyBytes];
        for (int round = 0; round < RoundCount; round++)
        {
            await using StalledPeer pair = await StalledPeer.ConnectAsync(Fixture);
            await Task.Run(() =>
            {
                SendPipe output = pair.Server.Output;
                output.Append(sent);
                Assert.False(output.FlushAsync().AsTask().IsCompleted, $"The flush of round {round} did not wait.");
                long least;
                bool isTaken;
                do
                {
                    isTaken = pair.Server.Sender.QueuedBytes > 0;
                    least = output.PendingBytes;
                }
                while (least >= sent.Length && !isTaken);
                Assert.True(least >= sent.Length, $"Only {least} bytes counted in round {round}.");
            }).Within(20.Seconds());
        }
    }

    public enum Ending
    {
        Completes,
        CompletesWithAnError,
        Aborts,
        IsReset,
    }

    /// <summary>The fixture finds what does not come home; a prefix of what was written is all that may arrive.</summary>
    [Theory, Each(Ending.Completes, Ending.CompletesWithAnError, Ending.Aborts, Ending.IsReset)]
    public async Task AnEndInTheMiddleOfABurstLeavesNothingBehind(Ending ending)
    {
        const int RoundCount = 40;
        var random = new Random(Seed.Print());
        for (int round = 0; round < RoundCount; round++)
        {
            await using LoopbackPair pair = await LoopbackPair.ConnectAsync(Fixture);
            SendPipe output = pair.Server.Output;
            Task<byte[]> receiving = ending is Ending.Completes or Ending.CompletesWithAnError
                ? pair.Client.ReceiveToEndAsync()
                : Task.FromResult<byte[]>([]);
            long flushed = 0;
            await Task.Run(async () =>
            {
                for (int step = random.Next(20); step > 0; step--)
                {
                    flushed = await WriteSomeAsync(output, random, flushed).ConfigureAwait(false);
                }

                _ = output.GetMemory();
                EndAs(ending, pair);
                if (ending is Ending.Aborts or Ending.IsReset)
                {
                    await WriteSomeAsync(output, random, flushed).ConfigureAwait(false);
                }
            }).Within(20.Seconds());
            byte[] received = await receiving.Within(20.Seconds());
            Assert.Equal(ending is Ending.Completes or Ending.CompletesWithAnError ? flushed : 0, received.Length);
            Assert.Equal(-1, Payload.FirstDifference(received, Key, 0));
        }
    }

    [Fact]
    public async Task EveryFlushAfterTheReactorsEndLetsGoOfItsMemory()
    {
        LoopbackPair pair = await LoopbackPair.ConnectAsync(Fixture);
        await Fixture.Group.DisposeAsync().Within(20.Seconds());
        var owners = new CountingOwner[3];
        for (int index = 0; index < owners.Length; index++)
        {
            owners[index] = new CountingOwner();
            pair.Server.Output.Append(new byte[100], owners[index]);
            await pair.Server.Output.FlushAsync();
            Assert.Equal(1, owners[index].Disposals);
        }

        await pair.DisposeAsync();
    }

    /// <summary>Some writes and flushes; what it returns is flushed.</summary>
    private static async Task<long> WriteSomeAsync(SendPipe output, Random random, long offset)
    {
        for (int flush = random.Next(1, 12); flush > 0; flush--)
        {
            for (int write = random.Next(1, 3); write > 0; write--)
            {
                byte[] bytes = Keyed(s_sizes[random.Next(s_sizes.Length)], offset);
                offset += bytes.Length;
                if (random.Next(8) == 0)
                {
                    output.Append(bytes, random.Next(2) == 0 ? new CountingOwner() : null);
                }
                else
                {
                    output.Write(bytes);
                }
            }

            if (random.Next(6) == 0)
            {
                _ = output.GetMemory(random.Next(5000));
            }

            await output.FlushAsync().ConfigureAwait(false);
        }

        return offset;
    }

    private static void EndAs(Ending ending, LoopbackPair pair)
    {
        switch (ending)
        {
            case Ending.Completes:
                pair.Server.Output.Complete();
                break;
            case Ending.CompletesWithAnError:
                pair.Server.Output.Write("dropped"u8);
                pair.Server.Output.Complete(new IOException("given up"));
                break;
            case Ending.Aborts:
                pair.Server.Abort();
                break;
            default:
                RawSocket.Reset(pair.Client);
                break;
        }
    }

    private static byte[] Keyed(int lengthBytes, long offset)
    {
        byte[] bytes = new byte[lengthBytes];
        Payload.Fill(bytes, Key, offset);
        return bytes;
    }

    private sealed class CountingOwner : IDisposable
    {
        private int _disposals;

        internal int Disposals => Volatile.Read(ref _disposals);

        public void Dispose() => Interlocked.Increment(ref _disposals);
    }

    /// <summary>Keeps a reactor from turning until it is disposed. It does not wait for anything, which would let the reactor turn.</summary>
    private sealed class HeldReactor : IDisposable
    {
        private volatile bool _isReleased;

        internal static async Task<HeldReactor> HoldAsync(Reactor reactor)
        {
            var held = new HeldReactor();
            TaskCompletionSource isHeld = Waits.Signal();
            reactor.Post(
                _ =>
                {
                    isHeld.SetResult();
                    while (!held._isReleased)
                    {
                        Thread.Yield();
                    }
                },
                null);
            await isHeld.Task.Within(20.Seconds());
            return held;
        }

        public void Dispose() => _isReleased = true;
    }
}
