using System.Net;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>A reactor that does not turn keeps nobody from being accepted, and no stop from ending.</summary>
/// <remarks>The handlers block by sleeping, which the runtime does not see.</remarks>
public class StuckReactorTests
{
    private const int ClientCount = 40;

    public enum Where
    {
        /// <summary>A listener on each reactor; the kernel chooses.</summary>
        SharedPort,

        /// <summary>One listener hands connections over, and its reactor is the one that is stuck.</summary>
        OneListener,
        UnixSocket,
        HandedInSocket,
    }

    [Theory, AllValues]
    public async Task NewConnectionsAreServedWhileAReactorIsStuckAndItComesBack(Where where)
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.StallThreshold = 50.Milliseconds());
        using Socket handedIn = RawSocket.Listen();
        RingListener listener = await ListenAsync(fixture, where, handedIn);
        using var block = new Blocker();
        Task blocked = await BlockAsync(fixture[0], block);
        RecordedEvents.Event stuck = await StuckAsync(fixture);
        Assert.True(stuck.StalledFor >= 250.Milliseconds());

        await EchoAsync(listener.EndPoint);
        await EchoAsync(listener.EndPoint);
        Assert.False(blocked.IsCompleted);
        Assert.True(fixture[0].Snapshot().Rescued > 0);
        Assert.Equal(2 * ClientCount, fixture[1].Snapshot().Accepted);

        block.Release();
        await blocked.Within(20.Seconds());
        await Waits.Eventually(
            () => fixture.Events.Of(RecordedEvents.Kind.Recovered).Any(
                recovered => recovered.ReactorId == 0 && recovered.StalledFor >= stuck.StalledFor),
            20.Seconds());
        await Waits.Eventually(
            () =>
            {
                EchoAsync(listener.EndPoint).GetAwaiter().GetResult();
                return fixture[0].Snapshot().Accepted > 0;
            },
            60.Seconds(), "the reactor accepts again");
        await listener.UnbindAsync().Within(20.Seconds());
    }

    /// <summary>Whoever handed a socket in may use it in the mode that it had.</summary>
    [Fact]
    public async Task AHandedInSocketKeepsItsMode()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.StallThreshold = 50.Milliseconds());
        using Socket handedIn = RawSocket.Listen();
        RingListener listener = await ListenAsync(fixture, Where.HandedInSocket, handedIn);
        using var block = new Blocker();
        Task blocked = await BlockAsync(fixture[0], block);
        await StuckAsync(fixture);
        await EchoAsync(listener.EndPoint);
        block.Release();
        await blocked.Within(20.Seconds());
        await Waits.Eventually(() => !fixture[0].IsStuck, 20.Seconds());
        await listener.UnbindAsync().Within(20.Seconds());

        Assert.Equal(1, Kernel.Linux.SetNonBlocking((int)handedIn.Handle, isNonBlocking: true));
    }

    /// <summary>The watchdog still takes clients when a reactor comes back and sees the same ones.</summary>
    [Fact]
    public async Task AReactorTurnsThoughAnotherThreadTookTheClientThatItSaw()
    {
        var kernel = new TakingKernel();
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.ReactorCount = 1;
            options.PlayedKernel = kernel;
        });
        await using RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync);
        using Socket taken = await RawSocket.ConnectAsync(listener.EndPoint);
        await Waits.Eventually(() => kernel.HasTaken, 20.Seconds());

        await fixture[0].RunAsync(static () => { }).Within(20.Seconds(), "the reactor turns");
        await EchoAsync(listener.EndPoint);
    }

    [Fact]
    public async Task TheOnlyReactorHasNobodyToHandTo()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.ReactorCount = 1;
            options.StallThreshold = 50.Milliseconds();
        });
        using var block = new Blocker();
        Task blocked = await BlockAsync(fixture[0], block);
        RecordedEvents.Event stuck = await StuckAsync(fixture);
        Assert.False(stuck.IsRelieved);

        // A caller on another thread gets it all the same: there is no other.
        Assert.Same(fixture[0], fixture.Group.NextReactor());
        block.Release();
        await blocked.Within(20.Seconds());
    }

    [Fact]
    public async Task AStuckReactorGetsNoOutboundConnectionOfOtherThreads()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.StallThreshold = 50.Milliseconds());
        using Socket target = RawSocket.Listen();
        using var block = new Blocker();
        Task blocked = await BlockAsync(fixture[0], block);
        await StuckAsync(fixture);
        for (int index = 0; index < 4; index++)
        {
            RingConnection connection = await fixture.Group.ConnectAsync(target.LocalEndPoint!).Within(20.Seconds());
            Assert.Same(fixture[1], connection.Reactor);
            await connection.DisposeAsync();
        }

        block.Release();
        await blocked.Within(20.Seconds());
    }

    [Fact]
    public async Task UnbindingDoesNotWaitForAStuckReactorAndServesWhatQueues()
    {
        // Nothing is taken before the unbinding: the reactor does not count as stuck yet.
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.StallThreshold = 10.Seconds());
        RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync);
        using var block = new Blocker();
        Task blocked = await BlockAsync(fixture[0], block);
        Socket[] clients = await ConnectAsync(listener.EndPoint);

        await listener.UnbindAsync().Within(20.Seconds());

        Assert.False(blocked.IsCompleted);
        await EchoAsync(clients);
        await RawSocket.UntilNobodyListensAsync(listener.EndPoint);
        block.Release();
        await blocked.Within(20.Seconds());
        await fixture[0].RunAsync(static () => { }).Within(20.Seconds(), "the reactor goes on");
        Assert.Empty(fixture.Events.Of(RecordedEvents.Kind.AcceptPaused));
    }

    [Fact]
    public async Task AStopEndsWithoutAStuckReactorWhichEndsWhenItTurns()
    {
        LeakCheck descriptors = LeakCheck.Start();
        var events = new RecordedEvents();
        ReactorGroup group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 2, Events = events });
        await group.ListenAsync(new IPEndPoint(IPAddress.Loopback, 0), EchoHandler.RunAsync).Within(20.Seconds());
        using var block = new Blocker();
        Task blocked = await BlockAsync(group.Reactors[0], block);
        bool hadRing = false;
        group.Reactors[0].Post(_ => hadRing = !group.Reactors[0].Ring.IsDisposed, null);

        await group.DisposeAsync().AsTask().Within(20.Seconds());

        RecordedEvents.Event abandoned = Assert.Single(events.Of(RecordedEvents.Kind.Abandoned));
        Assert.Equal((0, "a handler that blocks"), (abandoned.ReactorId, abandoned.Activity));
        Assert.Equal((false, true), (group.Reactors[0].HasEnded, group.Reactors[1].HasEnded));
        Assert.False(blocked.IsCompleted);

        // Its ring is there as long as its thread may use it; the other's went with its reactor.
        Assert.True(group.Reactors[1].Ring.IsDisposed);
        block.Release();
        await group.Reactors[0].Ended.Within(20.Seconds());
        await blocked.Within(20.Seconds());
        Assert.True(hadRing);
        await Waits.Eventually(() => group.Reactors[0].Ring.IsDisposed, 20.Seconds());
        await descriptors.AssertNoneLeftAsync(60.Seconds());
    }

    /// <summary>The report that reactor 0 is stuck in what the test made. A busy host may hold up others, too.</summary>
    private static async Task<RecordedEvents.Event> StuckAsync(ReactorFixture fixture)
    {
        RecordedEvents.Event? stuck = null;
        await Waits.Eventually(
            () => (stuck = fixture.Events.Of(RecordedEvents.Kind.Stuck).FirstOrDefault(
                each => each is { ReactorId: 0, Activity: "a handler that blocks" })) is not null,
            20.Seconds(), "reactor 0 is stuck");
        return stuck!;
    }

    private static async Task<RingListener> ListenAsync(ReactorFixture fixture, Where where, Socket handedIn) => where switch
    {
        Where.SharedPort => await fixture.ListenAsync(EchoHandler.RunAsync),
        Where.OneListener => await fixture.ListenAsync(EchoHandler.RunAsync, new RingListenOptions { Balancing = AcceptBalancing.LeastLoaded }),
        Where.UnixSocket => await fixture.ListenAsync(
            EchoHandler.RunAsync, endPoint: new UnixDomainSocketEndPoint($"\0ioxide-stuck-{Guid.NewGuid():N}")),
        Where.HandedInSocket => await RingListener.AdoptAsync(
            fixture.Group,
            (int)handedIn.Handle,
            connection => _ = EchoAndCloseAsync(connection),
            new RingListenOptions()).Within(20.Seconds()),
        _ => throw new ArgumentOutOfRangeException(nameof(where)),
    };

    private static async Task EchoAndCloseAsync(RingConnection connection)
    {
        await EchoHandler.RunAsync(connection).ConfigureAwait(true);
        await connection.DisposeAsync().ConfigureAwait(true);
    }

    /// <summary>Gives the end of the block, once the reactor is in it.</summary>
    private static async Task<Task> BlockAsync(Reactor reactor, Blocker block)
    {
        TaskCompletionSource entered = Waits.Signal();
        Task<bool> blocked = reactor.RunAsync(() =>
        {
            reactor.Activity = "a handler that blocks";
            entered.SetResult();
            return block.Hold();
        });
        await entered.Task.Within(20.Seconds());
        return blocked;
    }

    private static Task<Socket[]> ConnectAsync(EndPoint endPoint)
        => Task.WhenAll(Enumerable.Range(0, ClientCount).Select(_ => RawSocket.ConnectAsync(endPoint))).Within(20.Seconds());

    private static async Task EchoAsync(EndPoint endPoint) => await EchoAsync(await ConnectAsync(endPoint));

    private static async Task EchoAsync(Socket[] clients)
    {
        foreach (Socket client in clients)
        {
            await client.SendAllAsync("hello"u8.ToArray());
        }

        foreach (Socket client in clients)
        {
            Assert.Equal("hello"u8.ToArray(), await client.ReceiveExactlyAsync(5).Within(20.Seconds()));
            client.Dispose();
        }
    }

    /// <summary>The first client is gone between the reactor's look and its accept.</summary>
    private sealed class TakingKernel : EpollKernel
    {
        private volatile bool _hasTaken;

        internal bool HasTaken => _hasTaken;

        internal override int Accept(int fd, int flags)
        {
            if (!_hasTaken && base.Accept(fd, flags) is >= 0 and int taken)
            {
                _ = Close(taken);
                _hasTaken = true;
            }

            return base.Accept(fd, flags);
        }
    }
}
