using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>
/// Too little of everything: descriptors, ring entries, receive buffers; and clients that vanish at once. Each shortage is made,
/// shown to have happened, and shown to have cost no byte and no descriptor.
/// </summary>
/// <remarks>Takes 16 s in Release: with eight entries, each byte takes a turn.</remarks>
public class FaultTests : ReactorTests
{
    /// <param name="isTiered">
    /// The runtime makes threads for tiered compilation, which need descriptors too; without it only Ioxide needs some.
    /// </param>
    [Theory, AllValues]
    public async Task ServesAgainAfterDescriptorsRanOutAndDoesNotSpinMeanwhile(bool isTiered)
    {
        const int MaxOpenFiles = 64;
        const int ClientCount = 200;
        const int Reserve = 16;
        const double MostBusy = 0.3;
        await using SampleProcess server = await SampleProcess.StartAsync(MaxOpenFiles, isTiered);
        var clients = new List<Socket>();
        try
        {
            for (int client = 0; client < ClientCount; client++)
            {
                clients.Add(await RawSocket.ConnectAsync(server.EndPoint));
                await clients[client].SendAllAsync(Payload.Of(100));
            }

            // The first ones are served; the server then has no descriptor for the others.
            Payload.AssertSame(Payload.Of(100), await clients[0].ReceiveExactlyAsync(100));
            await Waits.Eventually(() => server.OpenDescriptors() >= MaxOpenFiles - Reserve, 20.Seconds());
            Assert.False(clients[^1].Poll(0, SelectMode.SelectRead));

            // Armed again at once, the accept would fail some two million times a second.
            _ = await Waits.Until(
                async () =>
                {
                    TimeSpan before = server.ProcessorTime();
                    long started = Stopwatch.GetTimestamp();
                    await Task.Delay(TimeSpan.FromSeconds(1));
                    return (server.ProcessorTime() - before) / Stopwatch.GetElapsedTime(started);
                },
                static busy => busy < MostBusy,
                20.Seconds(),
                "a second in which the server, which cannot accept, leaves the processor alone");

            // Each client that leaves makes room for one that waits, until all are served.
            for (int client = 0; client < ClientCount; client++)
            {
                if (client > 0)
                {
                    Payload.AssertSame(Payload.Of(100), await clients[client].ReceiveExactlyAsync(100));
                }

                clients[client].Dispose();
            }

            using Socket late = await RawSocket.ConnectAsync(server.EndPoint);
            await late.SendAllAsync(Payload.Of(500));
            Payload.AssertSame(Payload.Of(500), await late.ReceiveExactlyAsync(500));
        }
        finally
        {
            clients.ForEach(client => client.Dispose());
        }
    }

    [Fact]
    public async Task FiftyThousandClientsThatResetAtOnceLeaveNothing()
    {
        const int ClientCount = 50_000;
        const int ThreadCount = 4;

        // The kernel forgets a client that resets while the listener's queue is full: it is not accepted then.
        const int MaxQueued = 2048;
        await using RingListener listener = await Fixture.ListenAsync(EchoHandler.RunAsync, new RingListenOptions { Backlog = 4096 });
        var leaks = LeakCheck.Start();
        var endPoint = (IPEndPoint)listener.EndPoint;
        long connected = 0;
        await Task.WhenAll(Enumerable.Range(0, ThreadCount).Select(thread => Task.Factory.StartNew(
            () =>
            {
                byte[] bytes = new byte[10];
                for (int client = 0; client < ClientCount / ThreadCount; client++)
                {
                    using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                    socket.LingerState = new LingerOption(true, 0);
                    socket.Connect(endPoint);
                    if (client % 4 == thread)
                    {
                        socket.Send(bytes);
                    }

                    if (Interlocked.Increment(ref connected) % 64 == 0)
                    {
                        Assert.True(SpinWait.SpinUntil(
                            () => Volatile.Read(ref connected) - Fixture.Reactors.Sum(reactor => reactor.Snapshot().Accepted) < MaxQueued,
                            60.Seconds()));
                    }
                }
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default))).Within(120.Seconds());
        _ = await Waits.Until(
            () => Task.FromResult((
                Accepted: Fixture.Reactors.Sum(static reactor => reactor.Snapshot().Accepted),
                Open: Fixture.Reactors.Sum(static reactor => reactor.Snapshot().Connections))),
            static counts => counts == (ClientCount, 0),
            20.Seconds());
        await leaks.AssertNoneLeftAsync(20.Seconds());
        using Socket late = await RawSocket.ConnectAsync(endPoint);
        await late.SendAllAsync(new byte[5]);
        await late.ReceiveExactlyAsync(5);
    }

    [Theory, Each(8, 16)]
    public async Task ATinyRingWithFewBuffersLosesNoByte(int cqEntries)
    {
        const int MaxRounds = 5;
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.ReactorCount = 1;
            options.SqEntries = 8;
            options.CqEntries = cqEntries;
            options.ReceiveBufferSize = 256;
            options.ReceiveBufferCount = 8;
            options.MaxReceiveBufferCount = 8;
            options.BulkReceiveBufferSize = 4096;
            options.MaxBulkReceiveBufferCount = 2;
        });
        await using RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync);
        ReactorSnapshot snapshot = default!; // Set by the first round.

        // On a busy machine the clients come one by one, and one round is not enough to fill every queue.
        for (int round = 0; round < MaxRounds; round++)
        {
            await EchoFromManyAsync(listener.EndPoint);
            snapshot = fixture[0].Snapshot();
            if (snapshot is { BufferExhaustions: > 0, FullSubmissionQueues: > 0, CompletionOverflows: > 0 })
            {
                break;
            }
        }

        TestContext.Current.TestOutputHelper?.WriteLine(snapshot.ToString());
        Assert.True(snapshot.BufferExhaustions > 0, "Buffers never ran out.");
        Assert.True(snapshot.FullSubmissionQueues > 0, "The submission queue was never full.");
        Assert.True(snapshot.CompletionOverflows > 0, "The completion queue never overflowed.");
    }

    private static async Task EchoFromManyAsync(EndPoint endPoint)
    {
        const int ClientCount = 200;
        const int BytesPerClient = 60_000;
        await Task.WhenAll(Enumerable.Range(0, ClientCount).Select(key => Task.Run(async () =>
        {
            using Socket client = await RawSocket.ConnectAsync(endPoint);
            Task<byte[]> receiving = client.ReceiveToEndAsync();
            byte[] bytes = new byte[1 + (key * 17 % 3000)];
            for (int offset = 0; offset < BytesPerClient; offset += bytes.Length)
            {
                Payload.Fill(bytes, key, offset);
                await client.SendAllAsync(bytes.AsMemory(0, Math.Min(bytes.Length, BytesPerClient - offset)));
            }

            client.Shutdown(SocketShutdown.Send);
            byte[] received = await receiving;
            Assert.Equal(BytesPerClient, received.Length);
            Assert.Equal(-1, Payload.FirstDifference(received, key, 0));
        }))).Within(30.Seconds());
    }

    [Fact]
    public async Task APeerThatTakesNothingIsAbortedAfterTheSendTimeout()
    {
        await using StalledPeer stalled = await StalledPeer.ConnectAsync(
            Fixture, new RingConnectionOptions { SendTimeout = TimeSpan.FromMilliseconds(300) });
        await stalled.OnReactor(async output => Assert.True((await output.WriteAsync(Payload.Of(StalledPeer.TooManyBytes))).IsCompleted));
        Assert.Equal(CloseReason.TimedOut, stalled.Server.CloseReason);
    }

    [Fact]
    public async Task APeerThatGoesOnTakingBytesIsNotCutByTheSendTimeout()
    {
        await using StalledPeer slow = await StalledPeer.ConnectAsync(Fixture, new RingConnectionOptions { SendTimeout = TimeSpan.FromSeconds(2) });
        byte[] sent = Payload.Of(StalledPeer.TooManyBytes);
        Task writing = slow.OnReactor(async output =>
        {
            await output.WriteAsync(sent);
            output.Complete();
        });
        Payload.AssertSame(sent, await slow.Client.ReceiveToEndAsync());
        await writing;
        Assert.NotEqual(CloseReason.TimedOut, slow.Server.CloseReason);
    }

    /// <remarks>The kernel's count of acknowledged bytes grows here although the peer takes none, as often as it is asked for.</remarks>
    [Fact]
    public async Task AsLongAsAcknowledgementsComeTheSendTimeoutBeginsAgain()
    {
        const int Acknowledgements = 5;
        var kernel = new AcknowledgingKernel { Left = Acknowledgements };
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.PlayedKernel = kernel);
        await using StalledPeer stalled = await StalledPeer.ConnectAsync(
            fixture, new RingConnectionOptions { SendTimeout = TimeSpan.FromMilliseconds(30) });
        await stalled.OnReactor(async output => Assert.True((await output.WriteAsync(Payload.Of(StalledPeer.TooManyBytes))).IsCompleted));
        Assert.Equal(CloseReason.TimedOut, stalled.Server.CloseReason);
        Assert.True(kernel.Left < 0);
    }

    private sealed unsafe class AcknowledgingKernel : Kernel
    {
        private ulong _more;

        /// <summary>How often the count grows.</summary>
        internal int Left { get; set; }

        internal override int GetSocketOption(int fd, int level, int option, void* value, uint* length)
        {
            const int AcknowledgedOffset = 120;
            int result = base.GetSocketOption(fd, level, option, value, length);
            if (level == SocketConstants.LevelTcp && option == SocketConstants.OptionTcpInfo && result >= 0)
            {
                _more += --Left >= 0 ? 1UL : 0;
                *(ulong*)((byte*)value + AcknowledgedOffset) += _more;
            }

            return result;
        }
    }
}
