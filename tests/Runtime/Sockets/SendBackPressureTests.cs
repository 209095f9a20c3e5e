using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.Tests;

/// <summary>A peer that reads slowly makes flushes wait, so what is queued for it is bounded; what ends such a wait early loses no byte.</summary>
public class SendBackPressureTests
{
    private const int ChunkBytes = 32 * 1024;

    [Fact]
    public async Task ASlowReaderGetsFiftyMegabytesThroughABoundedQueue()
    {
        const int SentBytes = 50 * 1024 * 1024;
        const int LimitBytes = 64 * 1024;
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        await using StalledPeer pair = await StalledPeer.ConnectAsync(fixture);
        byte[] sent = Payload.Of(SentBytes);
        long most = 0;
        int waits = 0;
        TaskCompletionSource hasWaited = Waits.Signal();
        Task writing = pair.OnReactor(async output =>
        {
            for (int offset = 0; offset < SentBytes; offset += ChunkBytes)
            {
                output.Write(sent.AsSpan(offset, ChunkBytes));
                Task<FlushResult> flush = output.FlushAsync().AsTask();
                most = Math.Max(most, pair.Server.Sender.QueuedBytes);
                if (!flush.IsCompleted)
                {
                    waits++;
                    hasWaited.TrySetResult();
                }

                FlushResult result = await flush;
                Assert.False(result.IsCompleted);
                Assert.False(result.IsCanceled);
                Assert.True(pair.Server.Sender.QueuedBytes < LimitBytes);
            }

            output.Complete();
        });
        await hasWaited.Task.Within(20.Seconds());
        Assert.False(writing.IsCompleted);

        pair.Client.ReceiveBufferSize = 64 * 1024;
        Payload.AssertSame(sent, await pair.Client.ReceiveToEndAsync());
        await writing;
        Assert.InRange(most, LimitBytes, LimitBytes + ChunkBytes);
        Assert.True(waits > 1);
        Assert.InRange(fixture[0].Memory.LargeBlocks.CreatedCount * ReactorMemory.LargeBlockBytes, 0, 8 * ChunkBytes);
    }

    [Theory, AllValues]
    public async Task CancelPendingFlushEndsTheWaitOnce(bool fromReactor)
    {
        await using StalledPeer pair = await StalledPeer.ConnectAsync();
        byte[] sent = Payload.Of(StalledPeer.TooManyBytes);
        TaskCompletionSource isWaiting = Waits.Signal();
        TaskCompletionSource wasCancelled = Waits.Signal();
        Task writing = pair.OnReactor(async output =>
        {
            output.Write(sent);
            Task<FlushResult> flush = output.FlushAsync().AsTask();
            Assert.False(flush.IsCompleted);
            isWaiting.SetResult();
            FlushResult result = await flush;
            Assert.True(result.IsCanceled);
            Assert.False(result.IsCompleted);
            ValueTask<FlushResult> again = output.FlushAsync();
            Assert.False(again.IsCompleted);
            wasCancelled.SetResult();
            Assert.False((await again).IsCanceled);
            output.Complete();
        });
        await isWaiting.Task.Within(20.Seconds());
        if (fromReactor)
        {
            await pair.Server.Reactor.RunAsync(pair.Server.Output.CancelPendingFlush).Within(20.Seconds());
        }
        else
        {
            pair.Server.Output.CancelPendingFlush();
        }

        await wasCancelled.Task.Within(20.Seconds());
        Payload.AssertSame(sent, await pair.Client.ReceiveToEndAsync());
        await writing;
    }

    [Theory, AllValues]
    public async Task CancelBeforeAFlushEndsTheNextOneAndItsBytesAreSent(bool cancelsOnReactor, bool flushesOnReactor)
    {
        const int RoundCount = 50;
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        SendPipe output = pair.Server.Output;
        for (int round = 0; round < RoundCount; round++)
        {
            Func<Task> flush = async () =>
            {
                output.Write("a"u8);
                Assert.True((await output.FlushAsync()).IsCanceled);
                output.Write("b"u8);
                Assert.False((await output.FlushAsync()).IsCanceled);
            };
            Action cancel = output.CancelPendingFlush;
            await (cancelsOnReactor ? pair.Server.Reactor.RunAsync(cancel) : Task.Run(cancel)).Within(20.Seconds());
            await (flushesOnReactor ? pair.Server.Reactor.RunAsync(flush) : Task.Run(flush)).Within(20.Seconds());
        }

        byte[] received = await pair.Client.ReceiveExactlyAsync(2 * RoundCount);
        Assert.Equal(string.Concat(Enumerable.Repeat("ab", RoundCount)), System.Text.Encoding.ASCII.GetString(received));
    }

    /// <summary>As many flushes are cancelled as there were cancels with a flush between them, whichever threads they come from.</summary>
    [Fact]
    public async Task CancelsBesideFlushesOfAnotherThreadCancelOneEach()
    {
        const int RoundCount = 5000;
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        SendPipe output = pair.Server.Output;
        int cancels = 0;
        int cancelled = 0;
        Task<byte[]> receiving = pair.Client.ReceiveToEndAsync();
        await Task.Run(async () =>
        {
            for (int round = 0; round < RoundCount; round++)
            {
                Task cancelling = round % 2 == 0
                    ? Task.Run(output.CancelPendingFlush)
                    : pair.Server.Reactor.RunAsync(output.CancelPendingFlush);
                cancels++;
                output.Write("x"u8);
                cancelled += (await output.FlushAsync().ConfigureAwait(false)).IsCanceled ? 1 : 0;
                await cancelling.ConfigureAwait(false);

                // The cancel is made: the one flush took it, or this one does.
                cancelled += (await output.FlushAsync().ConfigureAwait(false)).IsCanceled ? 1 : 0;
                Assert.Equal(cancels, cancelled);
                Assert.False((await output.FlushAsync().ConfigureAwait(false)).IsCanceled);
            }

            output.Complete();
        }).Within(60.Seconds());
        Assert.Equal(RoundCount, (await receiving).Length);
    }

    [Theory, AllValues]
    public async Task ATokenEndsTheWaitAndTheBytesAreStillSent(bool onReactor)
    {
        await using StalledPeer pair = await StalledPeer.ConnectAsync();
        byte[] sent = Payload.Of(StalledPeer.TooManyBytes);
        using var source = new CancellationTokenSource();
        Func<Task> write = async () =>
        {
            pair.Server.Output.Write(sent);
            Task<FlushResult> flush = pair.Server.Output.FlushAsync(source.Token).AsTask();
            await Task.Yield();
            Assert.False(flush.IsCompleted);
            source.Cancel();
            OperationCanceledException thrown = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => flush);
            Assert.Equal(source.Token, thrown.CancellationToken);
            pair.Server.Output.Complete();
        };
        await (onReactor ? pair.Server.Reactor.RunAsync(write) : Task.Run(write)).Within(20.Seconds());
        Payload.AssertSame(sent, await pair.Client.ReceiveToEndAsync());
    }

    [Fact]
    public async Task RefusesASecondFlushThatWouldWait()
    {
        await using StalledPeer pair = await StalledPeer.ConnectAsync();
        await pair.OnReactor(async output =>
        {
            output.Write(Payload.Of(StalledPeer.TooManyBytes));
            ValueTask<FlushResult> first = output.FlushAsync();
            await Assert.ThrowsAsync<InvalidOperationException>(async () => await output.FlushAsync());
            output.CancelPendingFlush();
            Assert.True((await first).IsCanceled);
        });
    }

    [Theory, AllValues]
    public async Task ABrokenConnectionEndsTheWait(bool peerResets)
    {
        await using StalledPeer pair = await StalledPeer.ConnectAsync();
        TaskCompletionSource isWaiting = Waits.Signal();
        Task writing = pair.OnReactor(async output =>
        {
            output.Write(Payload.Of(StalledPeer.TooManyBytes));
            Task<FlushResult> flush = output.FlushAsync().AsTask();
            Assert.False(flush.IsCompleted);
            isWaiting.SetResult();
            Assert.True((await flush).IsCompleted);
        });
        await isWaiting.Task.Within(20.Seconds());
        if (peerResets)
        {
            RawSocket.Reset(pair.Client);
        }
        else
        {
            pair.Server.Abort();
        }

        await writing;
    }

    [Fact]
    public async Task WithoutALimitAFlushNeverWaits()
    {
        await using StalledPeer pair = await StalledPeer.ConnectAsync(new RingConnectionOptions { MaxWriteBufferSize = null });
        byte[] sent = Payload.Of(StalledPeer.TooManyBytes);
        await pair.OnReactor(output =>
        {
            output.Write(sent);
            Assert.True(output.FlushAsync().AsTask().IsCompletedSuccessfully);
            output.Complete();
            return Task.CompletedTask;
        });
        Payload.AssertSame(sent, await pair.Client.ReceiveToEndAsync());
    }
}
