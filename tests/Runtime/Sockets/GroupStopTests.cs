using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>Stopping a group: it drains, then aborts, and every descriptor is free when it is over, whatever went on.</summary>
public class GroupStopTests : ReactorTests
{
    [Fact]
    public async Task WaitsForConnectionsThatAreOpenAndTakesNoNewOnes()
    {
        await using RingListener listener = await Fixture.ListenAsync(EchoHandler.RunAsync);
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        await client.SendAllAsync("a"u8.ToArray());
        await client.ReceiveExactlyAsync(1);

        Task stopping = Fixture.Group.StopAsync();
        await listener.UnbindAsync().Within(20.Seconds());
        await RawSocket.UntilNobodyListensAsync(listener.EndPoint);
        byte[] late = Payload.Of(1_000_000);
        Task<byte[]> receiving = client.ReceiveToEndAsync();
        await client.SendAllAsync(late);
        Assert.False(stopping.IsCompleted);
        client.Shutdown(SocketShutdown.Send);
        Payload.AssertSame(late, await receiving);
        await stopping.Within(20.Seconds());
        Assert.All(Fixture.Reactors, reactor => Assert.True(reactor.HasEnded));
    }

    /// <summary>The cut-off send is the reactor's last operation then, and the close is still to be made.</summary>
    [Fact]
    public async Task ClosesAConnectionWhoseDisposalWaitsForASendThatTheEndCutsOff()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        TaskCompletionSource<Task> disposing = Waits.Signal<Task>();
        await using RingListener listener = await fixture.ListenAsync(async connection =>
        {
            // With the receive at its end, the send is all that the stop finds in flight.
            while (!(await connection.Input.ReadAsync()).IsCompleted)
            {
            }

            connection.Output.Write(new byte[16_000_000]);
            Task disposed = connection.DisposeAsync().AsTask();
            disposing.SetResult(disposed);
            await disposed;
        });
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        client.Shutdown(SocketShutdown.Send);
        Task disposed = await disposing.Task.Within(20.Seconds());
        Assert.False(disposed.IsCompleted);
        await fixture.Group.DisposeAsync().AsTask().Within(20.Seconds());
        await disposed.Within(20.Seconds());
    }

    [Fact]
    public async Task EndsTheReactorsAndThenTellsThatAGuestDidNotClose()
    {
        ReactorGroup group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 2 });
        Assert.True(group.TryAddGuest(static () => Task.FromException(new InvalidOperationException("of the guest"))));

        Exception? error = await group.StopAsync().ErrorWithin(20.Seconds());

        Assert.Equal("of the guest", Assert.IsType<InvalidOperationException>(error).Message);
        Assert.All(group.Reactors, reactor => Assert.True(reactor.HasEnded && reactor.Ring.IsDisposed));
    }

    /// <summary>A guest closes under a lock of its own, under which other threads ask for the group's.</summary>
    [Fact]
    public async Task HoldsNoLockWhileAGuestCloses()
    {
        ReactorGroup group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 1 });
        bool isAnswered = false;
        Assert.True(group.TryAddGuest(() =>
        {
            var other = new Thread(() => group.RemoveGuest(static () => Task.CompletedTask)) { IsBackground = true };
            other.Start();
            isAnswered = other.Join(Waits.Generous(20.Seconds()));
            return Task.CompletedTask;
        }));
        await group.StopAsync();

        Assert.True(isAnswered);
    }

    [Fact]
    public async Task AbortsWhatIsLeftWhenTheTimeIsOver()
    {
        TaskCompletionSource<Exception> thrown = Waits.Signal<Exception>();
        CloseReason? reason = null;
        await using RingListener listener = await Fixture.ListenAsync(async connection =>
        {
            try
            {
                await connection.Input.ReadAsync();
            }
            catch (IOException exception)
            {
                reason = connection.CloseReason;
                thrown.SetResult(exception);
            }
        });
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        await Waits.Eventually(() => Fixture.Reactors.Sum(reactor => reactor.Snapshot().Connections) == 1, 20.Seconds());
        using var limit = new CancellationTokenSource();
        Task stopping = Fixture.Group.StopAsync(limit.Token);
        Assert.False(stopping.IsCompleted);
        limit.Cancel();
        await stopping.Within(20.Seconds());
        Assert.IsType<IOException>(await thrown.Task.Within(20.Seconds()));
        Assert.Equal(CloseReason.ReactorEnded, reason);
        await CloseTests.AssertResetAsync(client);
    }

    [Fact]
    public async Task FreesTheDescriptorsOfFiveHundredOpenConnections()
    {
        const int ConnectionCount = 500;
        RingListener listener = await Fixture.ListenAsync(EchoHandler.RunAsync);
        Socket[] clients = await Task.WhenAll(Enumerable.Range(0, ConnectionCount).Select(_ => RawSocket.ConnectAsync(listener.EndPoint)));
        await Waits.Eventually(() => Fixture.Reactors.Sum(reactor => reactor.Snapshot().Connections) == ConnectionCount, 20.Seconds());
        int before = LeakCheck.Count();

        await Fixture.Group.DisposeAsync().Within(20.Seconds());
        Assert.True(LeakCheck.Count() <= before - ConnectionCount, $"{before} descriptors became only {LeakCheck.Count()}.");
        foreach (Socket client in clients)
        {
            await CloseTests.AssertResetAsync(client);
            client.Dispose();
        }
    }

    [Theory, AllValues]
    public async Task EndsUnderLoadAndLeavesNothing(AcceptBalancing balancing)
    {
        const int RoundCount = 6;
        const int ClientCount = 24;
        int seed = Seed.Print();
        for (int round = 0; round < RoundCount; round++)
        {
            await using ReactorFixture fixture = ReactorFixture.Start();
            RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync, new RingListenOptions { Balancing = balancing });
            using var stop = new CancellationTokenSource();
            Task[] clients = [.. Enumerable.Range(0, ClientCount).Select(client => Task.Run(
                () => LoadAsync(listener, new Random(seed + (round * ClientCount) + client), stop.Token)))];
            await Waits.Eventually(() => fixture.Reactors.Sum(reactor => reactor.Snapshot().BytesReceived) > 3_000_000, 20.Seconds());
            await fixture.Group.DisposeAsync().Within(20.Seconds(), "the reactors end under load");
            stop.Cancel();
            await Task.WhenAll(clients).Within(20.Seconds());
        }
    }

    [Fact]
    public async Task EndsWhileConnectionsAreBeingOpened()
    {
        const int RoundCount = 10;
        using Socket peer = RawSocket.Listen(4096);
        for (int round = 0; round < RoundCount; round++)
        {
            await using ReactorFixture fixture = ReactorFixture.Start();
            int opened = 0;
            Task[] openers = [.. Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
            {
                try
                {
                    while (true)
                    {
                        RingConnection connection = await fixture.Group.ConnectAsync(peer.LocalEndPoint!).ConfigureAwait(false);
                        Interlocked.Increment(ref opened);
                        await connection.DisposeAsync().ConfigureAwait(false);
                        (await peer.AcceptAsync().ConfigureAwait(false)).Reset();
                        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
                    }
                }
                catch (Exception exception) when (exception is ObjectDisposedException or SocketException or IOException)
                {
                    // The reactors have ended.
                }
            }))];
            await Waits.Eventually(() => Volatile.Read(ref opened) > 50, 20.Seconds());
            await fixture.Group.DisposeAsync().Within(20.Seconds(), "the reactors end while connections are opened");
            await Task.WhenAll(openers).Within(20.Seconds());
        }
    }

    [Fact]
    public async Task RefusesToListenAfterItsEnd()
    {
        await Fixture.Group.DisposeAsync().Within(20.Seconds());
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Fixture.ListenAsync(EchoHandler.RunAsync));
        await Assert.ThrowsAsync<ObjectDisposedException>(
            async () => await Fixture.Group.ConnectAsync(new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, 1)));
    }

    private static async Task LoadAsync(RingListener listener, Random random, CancellationToken stop)
    {
        byte[] bytes = new byte[64 * 1024];
        while (!stop.IsCancellationRequested)
        {
            try
            {
                using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                await client.ConnectAsync(listener.EndPoint, stop);
                int messages = random.Next(1, 30);
                for (int message = 0; message < messages; message++)
                {
                    await client.SendAsync(bytes.AsMemory(0, random.Next(1, bytes.Length)), SocketFlags.None, stop);
                    if (random.Next(3) > 0)
                    {
                        await client.ReceiveAsync(bytes, SocketFlags.None, stop);
                    }
                }
            }
            catch (Exception exception) when (exception is SocketException or OperationCanceledException)
            {
                await Task.Yield();
            }
        }
    }
}
