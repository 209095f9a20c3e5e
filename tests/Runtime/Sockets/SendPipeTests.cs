using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>
/// The writer of a connection keeps the contract of <see cref="PipeWriter"/>, and what is written arrives once and in order.
/// The test writes on the reactor; a plain socket receives.
/// </summary>
public class SendPipeTests : PairedTests
{
    [Fact]
    public async Task LeavesMemoryToTheWriterUntilTheFlush()
    {
        byte[] sent = Payload.Of(3000);
        await OnReactor(Pair, async output =>
        {
            // Kestrel's BufferWriter goes on writing into a span after it told of the first part.
            Memory<byte> memory = output.GetMemory(3000);
            sent.AsSpan(0, 1000).CopyTo(memory.Span);
            output.Advance(1000);
            Assert.Equal(1000, output.UnflushedBytes);
            await Task.Yield();
            sent.AsSpan(1000).CopyTo(memory.Span[1000..]);
            output.Advance(2000);
            Assert.Equal(3000, output.UnflushedBytes);
            await output.FlushAsync();
            Assert.Equal(0, output.UnflushedBytes);
        });
        Payload.AssertSame(sent, await Pair.Client.ReceiveExactlyAsync(sent.Length));
    }

    [Fact]
    public async Task LeavesMemoryToTheWriterWhileEarlierBytesAreBeingSent()
    {
        const int RoundCount = 500;
        Task<byte[]> receiving = Pair.Client.ReceiveToEndAsync();
        await OnReactor(Pair, async output =>
        {
            long offset = 0;
            for (int round = 0; round < RoundCount; round++)
            {
                Memory<byte> memory = output.GetMemory(200);
                Payload.Fill(memory.Span[..100], 7, offset);
                output.Advance(100);
                await Task.Yield();
                Payload.Fill(memory.Span[100..200], 7, offset + 100);
                output.Advance(100);
                offset += 200;
                await output.FlushAsync();
            }

            output.Complete();
        });
        byte[] received = await receiving;
        Assert.Equal(RoundCount * 200, received.Length);
        Assert.Equal(-1, Payload.FirstDifference(received, 7, 0));
    }

    [Theory, Each(1, 4096, 4097, 32 * 1024, (32 * 1024) + 1, 1_000_000)]
    public async Task GivesAsMuchMemoryAsIsAskedFor(int sizeHint)
    {
        byte[] sent = Payload.Of(sizeHint * 2);
        await OnReactor(Pair, async output =>
        {
            Assert.True(output.GetSpan().Length > 0);
            Memory<byte> memory = output.GetMemory(sizeHint);
            Assert.True(memory.Length >= sizeHint);
            sent.AsSpan(0, sizeHint).CopyTo(memory.Span);
            output.Advance(sizeHint);
            Span<byte> span = output.GetSpan(sizeHint);
            Assert.True(span.Length >= sizeHint);
            sent.AsSpan(sizeHint).CopyTo(span);
            output.Advance(sizeHint);
            await output.FlushAsync();
        });
        Payload.AssertSame(sent, await Pair.Client.ReceiveExactlyAsync(sent.Length));
    }

    [Fact]
    public async Task RefusesToAdvanceBeyondTheMemory()
    {
        await OnReactor(Pair, async output =>
        {
            output.Advance(0);
            Assert.Throws<ArgumentOutOfRangeException>(() => output.Advance(1));
            Assert.Throws<ArgumentOutOfRangeException>(() => output.GetMemory(-1));
            int length = output.GetMemory(100).Length;
            Assert.Throws<ArgumentOutOfRangeException>(() => output.Advance(length + 1));
            Assert.Throws<ArgumentOutOfRangeException>(() => output.Advance(-1));
            output.GetSpan()[0] = 42;
            output.Advance(1);
            await output.FlushAsync();
        });
        Assert.Equal([42], await Pair.Client.ReceiveExactlyAsync(1));
    }

    [Fact]
    public async Task SendsSeveralFlushesOfOneTurnByOneSend()
    {
        const int FlushCount = 50;
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        long before = fixture[0].Snapshot().Submissions;
        await OnReactor(pair, output =>
        {
            for (int flush = 0; flush < FlushCount; flush++)
            {
                byte[] bytes = new byte[100];
                Payload.Fill(bytes, 3, flush * 100);
                output.Write(bytes);
                Assert.True(output.FlushAsync().AsTask().IsCompletedSuccessfully);
            }

            return Task.CompletedTask;
        });
        byte[] received = await pair.Client.ReceiveExactlyAsync(FlushCount * 100);
        Assert.Equal(-1, Payload.FirstDifference(received, 3, 0));
        Assert.InRange(fixture[0].Snapshot().Submissions - before, 1, 5);
    }

    [Fact]
    public async Task KeepsTheOrderOfRandomWritesFlushesAndReferences()
    {
        const int WriteCount = 4000;
        var random = new Random(Seed.Print());
        Task<byte[]> receiving = Pair.Client.ReceiveToEndAsync();
        long offset = 0;
        await OnReactor(Pair, async output =>
        {
            for (int write = 0; write < WriteCount; write++)
            {
                int kind = random.Next(10);
                byte[] bytes = new byte[kind == 0 ? random.Next(60_000) : kind < 4 ? random.Next(3000) : random.Next(600)];
                Payload.Fill(bytes, 5, offset);
                offset += bytes.Length;
                if (random.Next(5) == 0)
                {
                    output.Append(bytes);
                }
                else
                {
                    output.Write(bytes);
                }

                if (random.Next(3) == 0)
                {
                    _ = output.GetMemory(random.Next(5000));
                }

                if (random.Next(2) == 0)
                {
                    await output.FlushAsync();
                }

                if (random.Next(8) == 0)
                {
                    await Task.Yield();
                }
            }

            output.Complete();
        });
        byte[] received = await receiving;
        Assert.Equal(offset, received.Length);
        Assert.Equal(-1, Payload.FirstDifference(received, 5, 0));
    }

    [Fact]
    public async Task FlushOfAnotherThreadDoesNotLeaveItWhileThereIsRoom()
    {
        Reactor? on = await Task.Run(async () =>
        {
            Pair.Server.Output.Write("away"u8);
            Task<FlushResult> flush = Pair.Server.Output.FlushAsync().AsTask();
            Assert.True(flush.IsCompletedSuccessfully);
            await flush;
            return Reactor.Current;
        }).Within(20.Seconds());
        Assert.Null(on);
        Assert.Equal("away"u8.ToArray(), await Pair.Client.ReceiveExactlyAsync(4));
    }

    [Fact]
    public async Task FlushOfAnotherThreadThatHasToWaitCompletesOnTheReactor()
    {
        await using StalledPeer pair = await StalledPeer.ConnectAsync();
        byte[] sent = Payload.Of(StalledPeer.TooManyBytes);
        Task<Reactor?> writing = Task.Run(async () =>
        {
            Assert.Null(Reactor.Current);
            pair.Server.Output.Write(sent);
            await pair.Server.Output.FlushAsync();
            Reactor? on = Reactor.Current;
            pair.Server.Output.Complete();
            return on;
        });
        Payload.AssertSame(sent, await pair.Client.ReceiveToEndAsync());
        Assert.Same(pair.Server.Reactor, await writing.Within(20.Seconds()));
    }

    [Fact]
    public async Task WritesFromOtherThreadsOnlyArriveInOrder()
    {
        const int FlushCount = 3000;
        Task<byte[]> receiving = Pair.Client.ReceiveToEndAsync();
        long offset = 0;
        await Task.Run(async () =>
        {
            for (int flush = 0; flush < FlushCount; flush++)
            {
                await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
                byte[] bytes = new byte[1 + (flush * 13 % 5000)];
                Payload.Fill(bytes, 9, offset);
                offset += bytes.Length;
                await Task.Run(async () =>
                {
                    Assert.Null(Reactor.Current);
                    Pair.Server.Output.Write(bytes);
                    await Pair.Server.Output.FlushAsync();
                });
            }

            Pair.Server.Output.Complete();
        }).Within(20.Seconds());
        byte[] received = await receiving;
        Assert.Equal(offset, received.Length);
        Assert.Equal(-1, Payload.FirstDifference(received, 9, 0));
    }

    [Fact]
    public async Task CompleteSendsWhatWasWrittenThenEndsTheStream()
    {
        await OnReactor(Pair, output =>
        {
            output.Write("last"u8);
            output.Complete();
            output.Complete();
            Assert.Throws<InvalidOperationException>(() => output.GetMemory(1));
            Assert.Throws<InvalidOperationException>(() => output.Append("more"u8.ToArray()));
            return Task.CompletedTask;
        });
        Assert.Equal("last"u8.ToArray(), await Pair.Client.ReceiveToEndAsync());
    }

    [Theory, AllValues]
    public async Task CompleteWithAnErrorDropsWhatWasNotFlushed(bool onReactor)
    {
        Func<Task> write = async () =>
        {
            SendPipe output = Pair.Server.Output;
            output.Write("kept"u8);
            await output.FlushAsync().ConfigureAwait(onReactor);
            output.Write("dropped"u8);
            output.Complete(new IOException("given up"));
        };
        await (onReactor ? Pair.Server.Reactor.RunAsync(write) : Task.Run(write)).Within(20.Seconds());
        Assert.Equal("kept"u8.ToArray(), await Pair.Client.ReceiveToEndAsync());
    }

    [Fact]
    public async Task ServesAsAStream()
    {
        byte[] sent = Payload.Of(500_000);
        Task<byte[]> receiving = Pair.Client.ReceiveToEndAsync();
        await OnReactor(Pair, async output =>
        {
            await using Stream stream = output.AsStream();
            await stream.WriteAsync(sent);
            await stream.FlushAsync();
        });
        Payload.AssertSame(sent, await receiving);
    }

    [Fact]
    public async Task FlushSaysCompletedAfterThePeerReset()
    {
        Pair.Client.Reset();
        await Waits.Eventually(() => Pair.Server.CloseReason == CloseReason.PeerReset, 20.Seconds());
        await OnReactor(Pair, async output =>
        {
            output.Write("nobody"u8);
            FlushResult result = await output.FlushAsync();
            Assert.True(result.IsCompleted);
            Assert.False(result.IsCanceled);
        });
        Assert.True((await Task.Run(async () => await Pair.Server.Output.FlushAsync()).Within(20.Seconds())).IsCompleted);
    }

    internal static Task OnReactor(LoopbackPair pair, Func<SendPipe, Task> test)
        => pair.Server.Reactor.RunAsync(() => test(pair.Server.Output)).Within(20.Seconds(), "the code on the reactor has ended");
}
