using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>
/// The reader of a connection keeps the contract of <see cref="PipeReader"/>: what examined and consumed mean, one read at a
/// time, how much may wait, and what code on another thread sees. A plain socket sends; the test reads on the reactor.
/// </summary>
public class ReceivePipeTests : PairedTests
{
    [Fact]
    public async Task ParksAReaderThatExaminedEverythingUntilMoreComes()
    {
        TaskCompletionSource isParked = Waits.Signal();
        await Pair.Client.SendAllAsync("ab"u8.ToArray());
        Task reading = OnReactor(Pair, async input =>
        {
            ReadResult first = await ReadAtLeast(input, 2);
            input.AdvanceTo(first.Buffer.Start, first.Buffer.End);
            ValueTask<ReadResult> parked = input.ReadAsync();
            Assert.False(parked.IsCompleted);
            isParked.SetResult();
            ReadResult second = await parked;
            Assert.Equal("abc"u8, second.Buffer.ToArray());
            input.AdvanceTo(second.Buffer.End);
        });
        await isParked.Task.Within(20.Seconds());
        await Pair.Client.SendAllAsync("c"u8.ToArray());
        await reading;
    }

    [Theory]
    [InlineData(1, 0, true)]
    [InlineData(256, 0, true)]
    [InlineData(257, 0, false)]
    [InlineData(300, 100, false)]
    public async Task AShortRestThatTheReaderLeavesHoldsNoBuffer(int sentBytes, int consumedBytes, bool isCopied)
    {
        byte[] sent = Payload.Of(sentBytes + 10);
        TaskCompletionSource isParked = Waits.Signal();
        await Pair.Client.SendAllAsync(sent.AsMemory(0, sentBytes));
        Task reading = OnReactor(Pair, async input =>
        {
            ReadResult first = await ReadAtLeast(input, sentBytes);
            input.AdvanceTo(first.Buffer.GetPosition(consumedBytes), first.Buffer.End);
            Assert.Equal(isCopied ? 0 : 1, Pair.Server.Reactor.Buffers.Small.TakenCount);
            ValueTask<ReadResult> parked = input.ReadAsync();
            isParked.SetResult();
            ReadResult second = await parked;
            input.AdvanceTo(second.Buffer.Start);
            second = await ReadAtLeast(input, sentBytes + 10 - consumedBytes);
            Assert.Equal(sent[consumedBytes..], second.Buffer.ToArray());
            input.AdvanceTo(second.Buffer.End);
            Assert.Equal(0, Pair.Server.Reactor.Buffers.Small.TakenCount);
        });
        await isParked.Task.Within(20.Seconds());
        await Pair.Client.SendAllAsync(sent.AsMemory(sentBytes));
        await reading;
    }

    [Fact]
    public async Task ReadsAgainAtOnceWhatWasNotExamined()
    {
        await Pair.Client.SendAllAsync("abcd"u8.ToArray());
        await OnReactor(Pair, async input =>
        {
            ReadResult all = await ReadAtLeast(input, 4);
            input.AdvanceTo(all.Buffer.Start, all.Buffer.GetPosition(1));
            ReadOnlySequence<byte> again = NextAtOnce(input);
            Assert.Equal("abcd"u8, again.ToArray());
            input.AdvanceTo(again.Start);
            again = NextAtOnce(input);
            Assert.Equal("abcd"u8, again.ToArray());
            input.AdvanceTo(again.GetPosition(3));
            again = NextAtOnce(input);
            Assert.Equal("d"u8, again.ToArray());
            input.AdvanceTo(again.End);
        });
    }

    [Fact]
    public async Task TriesToReadOnlyWhatIsThere()
    {
        await OnReactor(Pair, input =>
        {
            Assert.False(input.TryRead(out _));
            return Task.CompletedTask;
        });
        await Pair.Client.SendAllAsync("xy"u8.ToArray());
        await OnReactor(Pair, async input =>
        {
            ReadResult all = await ReadAtLeast(input, 2);
            input.AdvanceTo(all.Buffer.GetPosition(1));
            Assert.True(input.TryRead(out ReadResult rest));
            Assert.Equal("y"u8, rest.Buffer.ToArray());
            input.AdvanceTo(rest.Buffer.Start, rest.Buffer.End);
            Assert.False(input.TryRead(out _));
        });
    }

    [Fact]
    public async Task FindsNothingByTryReadOnAnotherThread()
    {
        await Pair.Client.SendAllAsync("x"u8.ToArray());
        await Waits.Eventually(() => Buffered(Pair) == 1, 20.Seconds());
        Assert.False(Pair.Server.Input.TryRead(out _));
    }

    [Fact]
    public async Task RefusesPositionsThatGoBackOrCross()
    {
        await Pair.Client.SendAllAsync("abcd"u8.ToArray());
        await OnReactor(Pair, async input =>
        {
            ReadResult all = await ReadAtLeast(input, 4);
            SequencePosition first = all.Buffer.GetPosition(1);
            SequencePosition third = all.Buffer.GetPosition(3);
            Assert.Throws<InvalidOperationException>(() => input.AdvanceTo(third, first));
            input.AdvanceTo(third);
            ReadOnlySequence<byte> rest = NextAtOnce(input);
            Assert.Throws<InvalidOperationException>(() => input.AdvanceTo(first));
            Assert.Equal("d"u8, rest.ToArray());
            input.AdvanceTo(rest.End);
        });
    }

    [Fact]
    public async Task RefusesAPositionBehindWhatWasReceived()
    {
        await Pair.Client.SendAllAsync("abcd"u8.ToArray());
        await OnReactor(Pair, async input =>
        {
            ReadResult all = await ReadAtLeast(input, 4);
            var behind = new SequencePosition(all.Buffer.End.GetObject(), all.Buffer.End.GetInteger() + 1);
            Assert.Throws<InvalidOperationException>(() => input.AdvanceTo(behind));
            Assert.Throws<InvalidOperationException>(() => input.AdvanceTo(all.Buffer.Start, behind));
            input.AdvanceTo(all.Buffer.End);
        });
    }

    [Fact]
    public async Task RefusesASecondReadAtATime()
    {
        TaskCompletionSource isParked = Waits.Signal();
        Task reading = OnReactor(Pair, async input =>
        {
            ValueTask<ReadResult> parked = input.ReadAsync();
            await Assert.ThrowsAsync<InvalidOperationException>(async () => await input.ReadAsync());
            Assert.Throws<InvalidOperationException>(() => input.TryRead(out _));
            isParked.SetResult();
            ReadResult read = await parked;
            await Assert.ThrowsAsync<InvalidOperationException>(async () => await input.ReadAsync());
            input.AdvanceTo(read.Buffer.End);
        });
        await isParked.Task.Within(20.Seconds());
        await Pair.Client.SendAllAsync("x"u8.ToArray());
        await reading;
    }

    [Fact]
    public async Task RefusesReadsAfterComplete()
    {
        await OnReactor(Pair, async input =>
        {
            input.Complete();
            input.Complete();
            await Assert.ThrowsAsync<InvalidOperationException>(async () => await input.ReadAsync());
            Assert.Throws<InvalidOperationException>(() => input.TryRead(out _));
        });
        await Assert.ThrowsAsync<InvalidOperationException>(() => Task.Run(async () => await Pair.Server.Input.ReadAsync()).Within(20.Seconds()));
    }

    [Fact]
    public async Task GivesWhatCameBeforeTheEndTogetherWithTheEnd()
    {
        await Pair.Client.SendAllAsync("end"u8.ToArray());
        Pair.Client.Shutdown(SocketShutdown.Send);
        await OnReactor(Pair, async input =>
        {
            ReadResult read = await input.ReadAsync();
            while (!read.IsCompleted)
            {
                input.AdvanceTo(read.Buffer.Start, read.Buffer.End);
                read = await input.ReadAsync();
            }

            Assert.Equal("end"u8, read.Buffer.ToArray());
            input.AdvanceTo(read.Buffer.End);
            ReadResult after = await input.ReadAsync();
            Assert.True(after.IsCompleted);
            Assert.True(after.Buffer.IsEmpty);
            input.AdvanceTo(after.Buffer.End);
        });
    }

    [Theory, AllValues]
    public async Task CompletesAReadOfAnotherThreadOnTheReactor(bool isDataThere)
    {
        if (isDataThere)
        {
            await Pair.Client.SendAllAsync("data"u8.ToArray());
            await Waits.Eventually(() => Buffered(Pair) == 4, 20.Seconds());
        }

        Task<(Reactor? On, byte[] Bytes)> reading = Task.Run(async () =>
        {
            Assert.Null(Reactor.Current);
            ReadResult read = await Pair.Server.Input.ReadAsync();
            Reactor? on = Reactor.Current;
            byte[] bytes = read.Buffer.ToArray();
            Pair.Server.Input.AdvanceTo(read.Buffer.End);
            return (on, bytes);
        });
        if (!isDataThere)
        {
            await Pair.Client.SendAllAsync("data"u8.ToArray());
        }

        (Reactor? on, byte[] bytes) = await reading.Within(20.Seconds());
        Assert.Same(Pair.Server.Reactor, on);
        Assert.Equal("data"u8, bytes);
    }

    [Fact]
    public async Task ReadsAndAdvancesFromOtherThreadsOnly()
    {
        const int LengthBytes = 3 * 1024 * 1024;
        byte[] sent = Payload.Of(LengthBytes);
        Task<byte[]> reading = Task.Run(async () =>
        {
            PipeReader input = Pair.Server.Input;
            using var all = new MemoryStream();
            while (true)
            {
                ReadResult read = await input.ReadAsync();
                await Task.Run(() =>
                {
                    Assert.Null(Reactor.Current);
                    foreach (ReadOnlyMemory<byte> segment in read.Buffer)
                    {
                        all.Write(segment.Span);
                    }

                    input.AdvanceTo(read.Buffer.End);
                }).ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
                if (read.IsCompleted)
                {
                    return all.ToArray();
                }
            }
        });
        await Pair.Client.SendAllAsync(sent);
        Pair.Client.Shutdown(SocketShutdown.Send);
        Payload.AssertSame(sent, await reading.Within(20.Seconds()));
    }

    [Fact]
    public async Task ReadsAtLeastAndCopiesAndServesAsAStream()
    {
        byte[] sent = Payload.Of(300_000);
        Task sending = Task.Run(async () =>
        {
            await Pair.Client.SendAllAsync(sent);
            Pair.Client.Shutdown(SocketShutdown.Send);
        });
        using var rest = new MemoryStream();
        byte[] head = [];
        byte[] middle = new byte[50_000];
        await OnReactor(Pair, async input =>
        {
            ReadResult read = await input.ReadAtLeastAsync(100_000);
            Assert.True(read.Buffer.Length >= 100_000);
            head = read.Buffer.Slice(0, 100_000).ToArray();
            input.AdvanceTo(read.Buffer.GetPosition(100_000));
            Stream stream = input.AsStream(leaveOpen: true);
            await stream.ReadExactlyAsync(middle);
            await input.CopyToAsync(rest);
            Assert.True(Pair.Server.Reactor.IsCurrent);
        });
        await sending.Within(20.Seconds());
        Payload.AssertSame(sent, [.. head, .. middle, .. rest.ToArray()]);
    }

    [Fact]
    public async Task CopiesStraightIntoTheWriter()
    {
        await using RingListener listener = await Fixture.ListenAsync(async connection => await connection.Input.CopyToAsync(connection.Output));
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        byte[] sent = Payload.Of(2_000_000);
        Task<byte[]> receiving = client.ReceiveToEndAsync();
        await client.SendAllAsync(sent);
        client.Shutdown(SocketShutdown.Send);
        Payload.AssertSame(sent, await receiving);
    }

    [Fact]
    public async Task StopsReceivingWhenTheReaderIsSlowAndGoesOnWithoutLosingAByte()
    {
        const int LimitBytes = 64 * 1024;
        const int SentBytes = 48 * 1024 * 1024;
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(Fixture, new RingConnectionOptions { MaxReadBufferSize = LimitBytes });
        byte[] sent = Payload.Of(SentBytes);
        Task sending = pair.Client.SendAllAsync(sent);
        await Waits.Eventually(() => Buffered(pair) >= LimitBytes, 20.Seconds());
        long most = 0;
        int offset = 0;
        await OnReactor(pair, async input =>
        {
            // What the kernel holds for a peer that is not read has a bound as well, so the sender must be stuck by now.
            Assert.False(sending.IsCompleted);
            while (offset < SentBytes)
            {
                ReadResult read = await input.ReadAsync();
                most = Math.Max(most, read.Buffer.Length);
                ReadOnlySequence<byte> taken = read.Buffer.Slice(0, Math.Min(read.Buffer.Length, 20_000));
                foreach (ReadOnlyMemory<byte> segment in taken)
                {
                    Assert.True(segment.Span.SequenceEqual(sent.AsSpan(offset, segment.Length)), $"wrong near {offset}");
                    offset += segment.Length;
                }

                input.AdvanceTo(taken.End);
                await Task.Yield();
            }
        });
        await sending.Within(20.Seconds());

        // A receive that is being cancelled may still fill the buffers that are lent; it must not go on beyond.
        Assert.InRange(most, LimitBytes, LimitBytes + (4 * 1024 * 1024));
    }

    [Fact]
    public async Task GivesMoreThanTheLimitToAReaderThatExaminedEverything()
    {
        const int LimitBytes = 16 * 1024;
        const int WantedBytes = 200_000;
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(Fixture, new RingConnectionOptions { MaxReadBufferSize = LimitBytes });
        byte[] sent = Payload.Of(WantedBytes);
        Task sending = pair.Client.SendAllAsync(sent);
        await pair.Server.Reactor.RunAsync(async () =>
        {
            // A message larger than the limit: System.IO.Pipelines counts what was not examined, so it does not hang.
            ReadResult read = await pair.Server.Input.ReadAtLeastAsync(WantedBytes);
            Payload.AssertSame(sent, read.Buffer.ToArray());
            pair.Server.Input.AdvanceTo(read.Buffer.End);
        }).Within(20.Seconds(), "a message larger than the limit is read");
        await sending;
    }

    [Fact]
    public async Task CopiesOutWhatASlowReaderHoldsSoThatBuffersStayForOthers()
    {
        const int SentBytes = 600_000;
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        byte[] sent = Payload.Of(SentBytes);
        await pair.Client.SendAllAsync(sent);
        await OnReactor(pair, async input =>
        {
            ReadResult read = await ReadAtLeast(input, SentBytes);
            ReactorSnapshot held = fixture[0].Snapshot();
            Assert.InRange(held.BuffersTaken, 1, 16);
            Assert.True(held.BytesCopied > 0);
            Payload.AssertSame(sent, read.Buffer.ToArray());
            input.AdvanceTo(read.Buffer.End);
        });
    }

    [Fact]
    public async Task TheLastBuffersOfAGroupAreNotHeldByReadersThatDoNotRead()
    {
        const int BufferCount = 16;
        const int LeastLeft = 3;
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.ReactorCount = 1;
            options.ReceiveBufferCount = BufferCount;
            options.MaxReceiveBufferCount = BufferCount;
        });
        var pairs = new List<LoopbackPair>();
        for (int number = 0; number < BufferCount + 1; number++)
        {
            LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
            pairs.Add(pair);
            await pair.Client.SendAllAsync("unread"u8.ToArray());
            await Waits.Eventually(() => Buffered(pair) == 6, 20.Seconds());
        }

        ReactorSnapshot held = fixture[0].Snapshot();
        Assert.InRange(held.BuffersTaken, 1, BufferCount - LeastLeft);
        Assert.True(held.BytesCopied > 0);
        foreach (LoopbackPair pair in pairs)
        {
            await pair.DisposeAsync();
        }
    }

    [Fact]
    public async Task CopiesNothingForAPromptReader()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        await using RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync);
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        for (int message = 0; message < 200; message++)
        {
            await client.SendAllAsync(Payload.Of(1000));
            await client.ReceiveExactlyAsync(1000);
        }

        Assert.Equal(0, fixture[0].Snapshot().BytesCopied);
    }

    internal static Task OnReactor(LoopbackPair pair, Func<PipeReader, Task> test)
        => pair.Server.Reactor.RunAsync(() => test(pair.Server.Input)).Within(20.Seconds(), "the code on the reactor has ended");

    internal static long Buffered(LoopbackPair pair) => pair.Server.Receiver.Bytes.Buffered;

    /// <summary>One open read that has so many bytes; nothing is consumed before.</summary>
    internal static async Task<ReadResult> ReadAtLeast(PipeReader input, int lengthBytes)
    {
        while (true)
        {
            ReadResult read = await input.ReadAsync();
            if (read.Buffer.Length >= lengthBytes)
            {
                return read;
            }

            Assert.False(read.IsCompleted);
            input.AdvanceTo(read.Buffer.Start, read.Buffer.End);
        }
    }

    private static ReadOnlySequence<byte> NextAtOnce(PipeReader input)
    {
        Assert.True(input.TryRead(out ReadResult read));
        return read.Buffer;
    }
}
