using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>Whatever ends a read early loses no byte: a cancelled read, a cancelled token, from whichever thread.</summary>
public class ReceivePipeCancelTests : PairedTests
{
    [Theory, AllValues]
    public async Task CancelWakesAParkedReadOnce(bool fromReactor)
    {
        TaskCompletionSource isParked = Waits.Signal();
        TaskCompletionSource wasCancelled = Waits.Signal();
        Task reading = ReceivePipeTests.OnReactor(Pair, async input =>
        {
            ValueTask<ReadResult> parked = input.ReadAsync();
            Assert.False(parked.IsCompleted);
            isParked.SetResult();
            ReadResult cancelled = await parked;
            Assert.True(cancelled.IsCanceled);
            Assert.True(cancelled.Buffer.IsEmpty);
            Assert.False(cancelled.IsCompleted);
            input.AdvanceTo(cancelled.Buffer.End);
            ValueTask<ReadResult> next = input.ReadAsync();
            Assert.False(next.IsCompleted);
            wasCancelled.SetResult();
            ReadResult data = await next;
            Assert.False(data.IsCanceled);
            Assert.Equal("x"u8, data.Buffer.ToArray());
            input.AdvanceTo(data.Buffer.End);
        });
        await isParked.Task.Within(20.Seconds());
        if (fromReactor)
        {
            await ReceivePipeTests.OnReactor(Pair, input =>
            {
                input.CancelPendingRead();
                return Task.CompletedTask;
            });
        }
        else
        {
            Pair.Server.Input.CancelPendingRead();
        }

        await wasCancelled.Task.Within(20.Seconds());
        await Pair.Client.SendAllAsync("x"u8.ToArray());
        await reading;
    }

    /// <summary>A token's cancel is posted to the reactor; the read may have ended otherwise before it arrives there.</summary>
    [Fact]
    public async Task ACancelledTokenDoesNotEndTheReadBehindItsOwn()
    {
        using var source = new CancellationTokenSource();
        TaskCompletionSource isSecond = Waits.Signal();
        Task reading = ReceivePipeTests.OnReactor(Pair, async input =>
        {
            ValueTask<ReadResult> first = input.ReadAsync(source.Token);

            // Both are on their way from here on, and this one arrives first.
            input.CancelPendingRead();
            Cancel(source);
            Assert.True((await first).IsCanceled);
            input.AdvanceTo(default);
            ValueTask<ReadResult> second = input.ReadAsync();
            isSecond.SetResult();
            ReadResult data = await second;
            Assert.Equal("x"u8, data.Buffer.ToArray());
            input.AdvanceTo(data.Buffer.End);
        });
        await isSecond.Task.Within(20.Seconds());
        await Pair.Server.Reactor.RunAsync(static () => { });
        await Pair.Client.SendAllAsync("x"u8.ToArray());
        await reading;
    }

    [Fact]
    public async Task CancelBeforeAReadEndsTheNextOneOnly()
    {
        await Pair.Client.SendAllAsync("abc"u8.ToArray());
        await Waits.Eventually(() => ReceivePipeTests.Buffered(Pair) == 3, 20.Seconds());
        await ReceivePipeTests.OnReactor(Pair, input =>
        {
            input.CancelPendingRead();
            Assert.True(input.TryRead(out ReadResult cancelled));
            Assert.True(cancelled.IsCanceled);
            Assert.Equal("abc"u8, cancelled.Buffer.ToArray());
            input.AdvanceTo(cancelled.Buffer.Start);
            Assert.True(input.TryRead(out ReadResult data));
            Assert.False(data.IsCanceled);
            Assert.Equal("abc"u8, data.Buffer.ToArray());
            input.AdvanceTo(data.Buffer.End);
            return Task.CompletedTask;
        });
    }

    /// <summary>The cancel of another thread belongs to the read behind it, however late the reactor hears of both.</summary>
    [Fact]
    public async Task CancelOfAnotherThreadEndsItsNextReadOnly()
    {
        const int Rounds = 200;
        await Pair.Client.SendAllAsync("abc"u8.ToArray());
        await Waits.Eventually(() => ReceivePipeTests.Buffered(Pair) == 3, 20.Seconds());
        await Task.Run(async () =>
        {
            PipeReader input = Pair.Server.Input;
            for (int round = 0; round < Rounds; round++)
            {
                input.CancelPendingRead();
                ReadResult cancelled = await input.ReadAsync().ConfigureAwait(false);
                Assert.True(cancelled.IsCanceled, $"round {round}");
                input.AdvanceTo(cancelled.Buffer.Start);
                ReadResult data = await input.ReadAsync().ConfigureAwait(false);
                Assert.False(data.IsCanceled, $"round {round}");
                Assert.Equal("abc"u8, data.Buffer.ToArray());
                input.AdvanceTo(data.Buffer.Start);

                // The read moved this code onto the reactor.
                await Task.Run(static () => { }).ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            }
        }).Within(20.Seconds());
    }

    [Fact]
    public async Task CancelDoesNotResumeTheReaderInsideTheCall()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        bool isInside = false;
        await fixture.Reactors[pair.Server.Reactor.Id].RunAsync(async () =>
        {
            Task<bool> reading = ReadAsync();
            isInside = true;
            pair.Server.Input.CancelPendingRead();
            isInside = false;
            Assert.False(await reading);

            async Task<bool> ReadAsync()
            {
                ReadResult read = await pair.Server.Input.ReadAsync().ConfigureAwait(false);
                bool resumedInside = isInside;
                pair.Server.Input.AdvanceTo(read.Buffer.End);
                return resumedInside;
            }
        }).Within(20.Seconds());
    }

    [Theory, AllValues]
    public async Task ATokenEndsAParkedReadAndLaterReadsSeeEveryByte(bool onReactor)
    {
        using var source = new CancellationTokenSource();
        TaskCompletionSource isParked = Waits.Signal();
        Func<Task> read = async () =>
        {
            Task<ReadResult> parked = Pair.Server.Input.ReadAsync(source.Token).AsTask();
            isParked.SetResult();
            OperationCanceledException thrown = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => parked);
            Assert.Equal(source.Token, thrown.CancellationToken);
        };
        Task reading = onReactor ? Pair.Server.Reactor.RunAsync(read) : Task.Run(read);
        await isParked.Task.Within(20.Seconds());
        source.Cancel();
        await reading.Within(20.Seconds());

        await Pair.Client.SendAllAsync("later"u8.ToArray());
        await ReceivePipeTests.OnReactor(Pair, async input =>
        {
            ReadResult all = await ReceivePipeTests.ReadAtLeast(input, 5);
            Assert.Equal("later"u8, all.Buffer.ToArray());
            input.AdvanceTo(all.Buffer.End);
        });
    }

    [Fact]
    public async Task ATokenThatIsCancelledAlreadyEndsTheReadBeforeItTakesBytes()
    {
        await Pair.Client.SendAllAsync("abc"u8.ToArray());
        await Waits.Eventually(() => ReceivePipeTests.Buffered(Pair) == 3, 20.Seconds());
        await ReceivePipeTests.OnReactor(Pair, async input =>
        {
            await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await input.ReadAsync(new CancellationToken(canceled: true)));
            ReadResult all = await input.ReadAsync();
            Assert.Equal("abc"u8, all.Buffer.ToArray());
            input.AdvanceTo(all.Buffer.End);
        });
    }

    [Fact]
    public async Task CancellationsThatRaceWithDataLoseNoByte()
    {
        const int LengthBytes = 400_000;
        var random = new Random(Seed.Print());
        byte[] sent = Payload.Of(LengthBytes);
        Task sending = Task.Run(async () =>
        {
            for (int offset = 0; offset < LengthBytes;)
            {
                int count = Math.Min(LengthBytes - offset, 1 + ((offset * 7) % 2000));
                await Pair.Client.SendAllAsync(sent.AsMemory(offset, count));
                offset += count;
            }

            Pair.Client.Shutdown(SocketShutdown.Send);
        });
        using var all = new MemoryStream();
        using var stop = new CancellationTokenSource();
        Task cancelling = Task.Run(async () =>
        {
            while (!stop.IsCancellationRequested)
            {
                Pair.Server.Input.CancelPendingRead();
                await Task.Yield();
            }
        });
        await ReceivePipeTests.OnReactor(Pair, async input =>
        {
            while (true)
            {
                using var source = new CancellationTokenSource();
                if (random.Next(4) == 0)
                {
                    source.CancelAfter(TimeSpan.FromMilliseconds(random.Next(2)));
                }

                ReadResult read;
                try
                {
                    read = await input.ReadAsync(source.Token);
                }
                catch (OperationCanceledException)
                {
                    continue;
                }

                foreach (ReadOnlyMemory<byte> segment in read.Buffer)
                {
                    all.Write(segment.Span);
                }

                input.AdvanceTo(read.Buffer.End);
                if (read.IsCompleted && !read.IsCanceled)
                {
                    return;
                }
            }
        });
        stop.Cancel();
        await cancelling.Within(20.Seconds());
        await sending.Within(20.Seconds());
        Payload.AssertSame(sent, all.ToArray());
    }

    private static void Cancel(CancellationTokenSource source) => source.Cancel();
}
