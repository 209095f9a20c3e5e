using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>
/// How a connection ends, as the peer sees it and as the application sees it: end of the stream in either direction, reset,
/// abort, dispose. The peer is a plain socket; the fixture checks that each ending frees everything.
/// </summary>
public class CloseTests : ReactorTests
{
    [Fact]
    public async Task CompletingTheOutputSendsTheEndBehindTheLastByteWhileReadingGoesOn()
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        byte[] sent = Payload.Of(700_000);
        await SendPipeTests.OnReactor(pair, output =>
        {
            output.Write(sent);
            output.Complete();
            return Task.CompletedTask;
        });
        Payload.AssertSame(sent, await pair.Client.ReceiveToEndAsync());
        Assert.Equal(CloseReason.None, pair.Server.CloseReason);

        await pair.Client.SendAllAsync("still"u8.ToArray());
        await ReceivePipeTests.OnReactor(pair, async input =>
        {
            ReadResult read = await ReceivePipeTests.ReadAtLeast(input, 5);
            Assert.Equal("still"u8, read.Buffer.ToArray());
            input.AdvanceTo(read.Buffer.End);
        });
    }

    [Fact]
    public async Task TheEndOfThePeersStreamLeavesTheOtherDirectionOpen()
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        pair.Client.Shutdown(SocketShutdown.Send);
        byte[] answer = Payload.Of(500_000);
        Task<byte[]> receiving = pair.Client.ReceiveToEndAsync();
        await pair.Server.Reactor.RunAsync(async () =>
        {
            Assert.True((await pair.Server.Input.ReadAsync()).IsCompleted);
            await pair.Server.Output.WriteAsync(answer);
            pair.Server.Output.Complete();
        }).Within(20.Seconds());
        Payload.AssertSame(answer, await receiving);
        Assert.Equal(CloseReason.PeerFinished, pair.Server.CloseReason);
    }

    [Theory, AllValues]
    public async Task TellsOfTheEndOfThePeerAlsoWhileNobodyReads(bool isReset)
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        TaskCompletionSource closed = Waits.Signal();
        Reactor? toldOn = null;
        using CancellationTokenRegistration registration = pair.Server.ConnectionClosed.Register(() =>
        {
            toldOn = Reactor.Current;
            closed.SetResult();
        });
        await pair.Client.SendAllAsync("unread"u8.ToArray());
        if (isReset)
        {
            pair.Client.Reset();
        }
        else
        {
            pair.Client.Shutdown(SocketShutdown.Send);
        }

        await closed.Task.Within(20.Seconds());
        Assert.Same(pair.Server.Reactor, toldOn);
        Assert.Equal(isReset ? CloseReason.PeerReset : CloseReason.PeerFinished, pair.Server.CloseReason);
        Assert.True(pair.Server.ConnectionClosed.IsCancellationRequested);
    }

    /// <summary>Asked for behind the end it comes too: at once, or behind what a reader has not taken yet.</summary>
    [Theory, AllValues]
    public async Task TheTokenComesWhereThePeerHasEndedAlready(bool hasRead)
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        pair.Client.Shutdown(SocketShutdown.Send);
        await Waits.Eventually(() => pair.Server.CloseReason == CloseReason.PeerFinished, 20.Seconds());
        if (hasRead)
        {
            await ReceivePipeTests.OnReactor(pair, static async input => Assert.True((await input.ReadAsync()).IsCompleted));
            Assert.True(pair.Server.ConnectionClosed.IsCancellationRequested);
        }

        TaskCompletionSource closed = Waits.Signal();
        using CancellationTokenRegistration registration = pair.Server.ConnectionClosed.Register(closed.SetResult);
        await closed.Task.Within(20.Seconds());
    }

    /// <summary>Otherwise each connection of a server that closes many would be held, with its objects, until the token stops waiting.</summary>
    [Fact]
    public async Task TheEndOfTheReaderTakesTheTokensTimerAway()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(static options => options.ReactorCount = 1);
        for (int attempt = 0; attempt < 50; attempt++)
        {
            await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
            Reactor reactor = fixture[0];
            CancellationToken closed = pair.Server.ConnectionClosed;
            await pair.Client.SendAllAsync("bytes"u8.ToArray());
            (int Waiting, int After) timers = await reactor.RunAsync(async () =>
            {
                ReadResult result = await pair.Server.Input.ReadAsync();
                int before = reactor.Timers.Count;
                pair.Client.Shutdown(SocketShutdown.Send);
                while (reactor.Timers.Count == before && !closed.IsCancellationRequested)
                {
                    await Task.Yield();
                }

                pair.Server.Input.AdvanceTo(result.Buffer.End);
                int waiting = reactor.Timers.Count - before;
                pair.Server.Input.Complete();
                return (waiting, reactor.Timers.Count - before);
            }).Within(20.Seconds());
            if (timers.Waiting > 0)
            {
                Assert.Equal((1, 0), timers);
                return;
            }
        }

        Assert.Fail("On a host that is short of processors the token had stopped to wait in every attempt.");
    }

    /// <summary>The token waits for bytes that came before the end, as long as somebody takes them.</summary>
    [Theory, AllValues]
    public async Task TheTokenComesBehindTheBytesAndTheEnd(bool isReset)
    {
        const int Length = 40;
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        CancellationToken closed = pair.Server.ConnectionClosed;
        await pair.Client.SendAllAsync(Payload.Of(Length));
        await Waits.Eventually(() => ReceivePipeTests.Buffered(pair) == Length, 20.Seconds());
        Task<int> reading = Task.Run(async () =>
        {
            // One byte for each read, each from the pool: a token that does not wait would pass.
            for (int taken = 0; ; taken++)
            {
                ReadResult read = await pair.Server.Input.ReadAsync(closed).ConfigureAwait(false);
                if (read.IsCompleted)
                {
                    return taken;
                }

                pair.Server.Input.AdvanceTo(read.Buffer.GetPosition(1));
                if (taken == 0)
                {
                    End();
                }

                await Task.Run(static () => { }, CancellationToken.None).ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            }
        });

        if (isReset)
        {
            await Assert.ThrowsAsync<IOException>(() => reading.Within(20.Seconds()));
        }
        else
        {
            Assert.Equal(Length, await reading.Within(20.Seconds()));
        }

        void End()
        {
            if (isReset)
            {
                pair.Client.Reset();
            }
            else
            {
                pair.Client.Shutdown(SocketShutdown.Send);
            }
        }
    }

    [Theory, AllValues]
    public async Task AResetByThePeerThrowsAtReaders(bool whileReading)
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        TaskCompletionSource isParked = Waits.Signal();
        Func<Task> read = async () =>
        {
            Task<ReadResult> reading = pair.Server.Input.ReadAsync().AsTask();
            isParked.TrySetResult();
            await reading;
        };
        if (whileReading)
        {
            Task reading = pair.Server.Reactor.RunAsync(read);
            await isParked.Task.Within(20.Seconds());
            pair.Client.Reset();
            await Assert.ThrowsAsync<IOException>(() => reading.Within(20.Seconds()));
        }
        else
        {
            pair.Client.Reset();
            await Waits.Eventually(() => pair.Server.CloseReason == CloseReason.PeerReset, 20.Seconds());
        }

        await Assert.ThrowsAsync<IOException>(() => pair.Server.Reactor.RunAsync(read).Within(20.Seconds()));
        await Assert.ThrowsAsync<IOException>(() => Task.Run(read).Within(20.Seconds()));
        Assert.True(pair.Server.ConnectionClosed.IsCancellationRequested);
    }

    [Theory, AllValues]
    public async Task AbortGivesThePeerAResetAndReadersTheCause(bool onReactor)
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        var cause = new InvalidOperationException("enough");
        TaskCompletionSource isParked = Waits.Signal();
        Task reading = pair.Server.Reactor.RunAsync(async () =>
        {
            Task<ReadResult> parked = pair.Server.Input.ReadAsync().AsTask();
            isParked.SetResult();
            await parked;
        });
        await isParked.Task.Within(20.Seconds());
        if (onReactor)
        {
            await pair.Server.Reactor.RunAsync(() => pair.Server.Abort(cause)).Within(20.Seconds());
        }
        else
        {
            pair.Server.Abort(cause);
        }

        IOException thrown = await Assert.ThrowsAsync<IOException>(() => reading.Within(20.Seconds()));
        Assert.Same(cause, thrown.InnerException);
        await AssertResetAsync(pair.Client);
        Assert.Equal((CloseReason.Aborted, true), (pair.Server.CloseReason, pair.Server.ConnectionClosed.IsCancellationRequested));
    }

    [Fact]
    public async Task AbortAndDisposeDoNotResumeAReaderInsideTheCall()
    {
        await using LoopbackPair aborted = await LoopbackPair.ConnectAsync(Fixture);
        await using LoopbackPair disposed = await LoopbackPair.ConnectAsync(Fixture);
        Assert.False(await ResumesInsideAsync(aborted.Server, connection => connection.Abort()));
        Assert.False(await ResumesInsideAsync(disposed.Server, connection => _ = connection.DisposeAsync().AsTask()));
    }

    [Fact]
    public async Task AbortEndsASendThatIsStuck()
    {
        await using StalledPeer pair = await StalledPeer.ConnectAsync();
        await pair.OnReactor(output =>
        {
            output.Write(Payload.Of(StalledPeer.TooManyBytes));
            _ = output.FlushAsync().AsTask();
            return Task.CompletedTask;
        });
        ValueTask disposing = pair.Server.DisposeAsync();
        for (int turn = 0; turn < 10; turn++)
        {
            await pair.Server.Reactor.RunAsync(() => { }).Within(20.Seconds());
        }

        Assert.False(disposing.IsCompleted);
        pair.Server.Abort();
        await disposing.Within(20.Seconds());
        await AssertResetAsync(pair.Client);
    }

    [Fact]
    public async Task DisposeSendsWhatIsQueuedAndFreesTheDescriptor()
    {
        await using RingListener listener = await Fixture.ListenAsync(async connection =>
        {
            await connection.Input.ReadAsync();
            connection.Output.Write(Payload.Of(5_000_000));
        });
        var leaks = LeakCheck.Start();
        using (Socket client = await RawSocket.ConnectAsync(listener.EndPoint))
        {
            await client.SendAllAsync(new byte[1]);
            Payload.AssertSame(Payload.Of(5_000_000), await client.ReceiveToEndAsync());
            await Waits.Eventually(() => Fixture.Reactors.Sum(reactor => reactor.Snapshot().Connections) == 0, 20.Seconds());
        }

        await leaks.AssertNoneLeftAsync(20.Seconds());
    }

    [Fact]
    public async Task DisposeMayBeCalledAgainAndFromEveryThread()
    {
        const int ThreadCount = 8;
        for (int round = 0; round < 50; round++)
        {
            await using LoopbackPair pair = await LoopbackPair.ConnectAsync(Fixture);
            await pair.Client.SendAllAsync(new byte[100]);
            Task reading = pair.Server.Reactor.RunAsync(async () =>
            {
                ReadResult read = await pair.Server.Input.ReadAsync();
                pair.Server.Input.AdvanceTo(read.Buffer.End);
                await pair.Server.Input.ReadAsync();
            });
            using var start = new Barrier(ThreadCount);
            await Task.WhenAll(Enumerable.Range(0, ThreadCount).Select(thread => Task.Factory.StartNew(
                () =>
                {
                    start.SignalAndWait();
                    if (thread == 0 && round % 2 == 0)
                    {
                        pair.Server.Abort();
                    }

                    return pair.Server.DisposeAsync().AsTask();
                },
                CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap())).Within(20.Seconds());
            await pair.Server.DisposeAsync().Within(20.Seconds());
            Assert.NotNull(await reading.ErrorWithin(20.Seconds()));
        }
    }

    [Fact]
    public async Task AHandlerThatThrowsIsReportedAndItsConnectionReset()
    {
        Fixture.ExpectsExceptions = true;
        await using RingListener listener = await Fixture.ListenAsync(async connection =>
        {
            await connection.Input.ReadAsync();
            throw new InvalidTimeZoneException("by the handler");
        });
        var leaks = LeakCheck.Start();
        using (Socket client = await RawSocket.ConnectAsync(listener.EndPoint))
        {
            await client.SendAllAsync(new byte[1]);
            await AssertResetAsync(client);
        }

        RecordedEvents.Event reported = await Fixture.Events.FirstAsync(RecordedEvents.Kind.Unhandled, 20.Seconds());
        Assert.IsType<InvalidTimeZoneException>(reported.Exception);
        await leaks.AssertNoneLeftAsync(20.Seconds());

        // The reactors go on.
        await using RingListener echo = await Fixture.ListenAsync(EchoHandler.RunAsync);
        using Socket other = await RawSocket.ConnectAsync(echo.EndPoint);
        await other.SendAllAsync("on"u8.ToArray());
        Assert.Equal("on"u8.ToArray(), await other.ReceiveExactlyAsync(2));
    }

    [Fact]
    public async Task AHandlerWhosePeerResetsIsNotReported()
    {
        await using RingListener listener = await Fixture.ListenAsync(EchoHandler.RunAsync);
        for (int round = 0; round < 20; round++)
        {
            Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
            await client.SendAllAsync(new byte[10]);
            await client.ReceiveExactlyAsync(10);
            client.Reset();
        }

        await Waits.Eventually(() => Fixture.Reactors.Sum(reactor => reactor.Snapshot().Connections) == 0, 20.Seconds());
        Assert.Empty(Fixture.Events.All);
    }

    internal static async Task AssertResetAsync(Socket client)
    {
        // What was sent before the reset may still be there.
        SocketException thrown = await Assert.ThrowsAsync<SocketException>(client.ReceiveToEndAsync);
        Assert.Equal(SocketError.ConnectionReset, thrown.SocketErrorCode);
    }

    private static Task<bool> ResumesInsideAsync(RingConnection connection, Action<RingConnection> end)
        => connection.Reactor.RunAsync(async () =>
        {
            bool isInside = false;
            Task<bool> reading = ReadAsync();
            isInside = true;
            end(connection);
            isInside = false;
            return await reading;

            async Task<bool> ReadAsync()
            {
                try
                {
                    await connection.Input.ReadAsync().ConfigureAwait(false);
                }
                catch (Exception exception) when (exception is IOException or InvalidOperationException)
                {
                    return isInside;
                }

                throw new InvalidOperationException("The read did not fail.");
            }
        }).Within(20.Seconds());
}
