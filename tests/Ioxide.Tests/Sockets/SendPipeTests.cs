using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;
using Ioxide.TestKit;

namespace Ioxide.Tests;

/// <summary>
/// The writer of a connection keeps the contract of <see cref="PipeWriter"/>, and what is written arrives once and in order.
/// The test writes on the reactor; a plain socket receives.
/// </summary>
public class SendPipeTests
{
    [Fact]
    public async Task LeavesMemoryToTheWriterUntilTheFlush()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        byte[] sent = Payload.Of(3000);
        await OnReactor(pair, async output =>
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
        Payload.AssertSame(sent, await pair.Client.ReceiveExactlyAsync(sent.Length));
    }

    [Fact]
    public async Task LeavesMemoryToTheWriterWhileEarlierBytesAreBeingSent()
    {
        const int RoundCount = 500;
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        Task<byte[]> receiving = pair.Client.ReceiveToEndAsync();
        await OnReactor(pair, async output =>
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

    [Theory]
    [InlineData(1)]
    [InlineData(4096)]
    [InlineData(4097)]
    [InlineData(32 * 1024)]
    [InlineData((32 * 1024) + 1)]
    [InlineData(1_000_000)]
    public async Task GivesAsMuchMemoryAsIsAskedFor(int sizeHint)
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        byte[] sent = Payload.Of(sizeHint * 2);
        await OnReactor(pair, async output =>
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
        Payload.AssertSame(sent, await pair.Client.ReceiveExactlyAsync(sent.Length));
    }

    [Fact]
    public async Task RefusesToAdvanceBeyondTheMemory()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        await OnReactor(pair, async output =>
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
        Assert.Equal([42], await pair.Client.ReceiveExactlyAsync(1));
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
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        Task<byte[]> receiving = pair.Client.ReceiveToEndAsync();
        long offset = 0;
        await OnReactor(pair, async output =>
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
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        Reactor? on = await Task.Run(async () =>
        {
            pair.Server.Output.Write("away"u8);
            Task<FlushResult> flush = pair.Server.Output.FlushAsync().AsTask();
            Assert.True(flush.IsCompletedSuccessfully);
            await flush;
            return Reactor.Current;
        }).Within(20.Seconds());
        Assert.Null(on);
        Assert.Equal("away"u8.ToArray(), await pair.Client.ReceiveExactlyAsync(4));
    }

    [Fact]
    public async Task FlushOfAnotherThreadThatHasToWaitCompletesOnTheReactor()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using StalledPeer pair = await StalledPeer.ConnectAsync(fixture);
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
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        Task<byte[]> receiving = pair.Client.ReceiveToEndAsync();
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
                    pair.Server.Output.Write(bytes);
                    await pair.Server.Output.FlushAsync();
                });
            }

            pair.Server.Output.Complete();
        }).Within(20.Seconds());
        byte[] received = await receiving;
        Assert.Equal(offset, received.Length);
        Assert.Equal(-1, Payload.FirstDifference(received, 9, 0));
    }

    [Fact]
    public async Task CompleteSendsWhatWasWrittenThenEndsTheStream()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        await OnReactor(pair, output =>
        {
            output.Write("last"u8);
            output.Complete();
            output.Complete();
            Assert.Throws<InvalidOperationException>(() => output.GetMemory(1));
            Assert.Throws<InvalidOperationException>(() => output.Append("more"u8.ToArray()));
            return Task.CompletedTask;
        });
        Assert.Equal("last"u8.ToArray(), await pair.Client.ReceiveToEndAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task CompleteWithAnErrorDropsWhatWasNotFlushed(bool onReactor)
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        Func<Task> write = async () =>
        {
            SendPipe output = pair.Server.Output;
            output.Write("kept"u8);
            await output.FlushAsync().ConfigureAwait(onReactor);
            output.Write("dropped"u8);
            output.Complete(new IOException("given up"));
        };
        await (onReactor ? pair.Server.Reactor.RunAsync(write) : Task.Run(write)).Within(20.Seconds());
        Assert.Equal("kept"u8.ToArray(), await pair.Client.ReceiveToEndAsync());
    }

    [Fact]
    public async Task ServesAsAStream()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        byte[] sent = Payload.Of(500_000);
        Task<byte[]> receiving = pair.Client.ReceiveToEndAsync();
        await OnReactor(pair, async output =>
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
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        pair.Client.Reset();
        await Waits.Eventually(() => pair.Server.CloseReason == CloseReason.PeerReset, 20.Seconds());
        await OnReactor(pair, async output =>
        {
            output.Write("nobody"u8);
            FlushResult result = await output.FlushAsync();
            Assert.True(result.IsCompleted);
            Assert.False(result.IsCanceled);
        });
        Assert.True((await Task.Run(async () => await pair.Server.Output.FlushAsync()).Within(20.Seconds())).IsCompleted);
    }

    internal static Task OnReactor(LoopbackPair pair, Func<SendPipe, Task> test)
        => pair.Server.Reactor.RunAsync(() => test(pair.Server.Output)).Within(20.Seconds(), "the code on the reactor has ended");
}
