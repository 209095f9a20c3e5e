using System.Collections.Concurrent;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>
/// Application code that blocks a reactor in a managed wait gets what it waits for, and the reactor's connections, timers and posts go on
/// meanwhile. Each test counts that the ring turned inside the wait (<see cref="BlockedWait.Count"/>).
/// </summary>
public class BlockedHandlerTests() : ReactorTests(OneReactor)
{
    [Theory, Each(
        "Result", "Wait", "GetResult", "Delay", "ManualResetEventSlim", "ManualResetEvent", "SemaphoreSlim", "Lock", "Monitor", "MonitorWait", "Join",
        "BlockingCollection", "WaitAll")]
    public async Task AWaitForWhatNeedsTheReactorEnds(string kind)
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        bool isOver = await fixture[0].RunAsync(() => Blocks.Until(kind, fixture[0])).Within(20.Seconds(), kind);

        Assert.True(isOver);
        Assert.True(fixture[0].Blocked.Count >= 1, "the ring turned inside the wait");
        Assert.False(fixture[0].IsBlocked);
        await fixture[0].RunAsync(() => Assert.Same(fixture[0], Reactor.Current)).Within(20.Seconds(), "the reactor goes on");
    }

    [Fact]
    public async Task AWaitThatIsOverAtOnceTurnsNothing()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await fixture[0].RunAsync(() => Task.CompletedTask.Wait()).Within(20.Seconds());

        Assert.Equal(0, fixture[0].Blocked.Count);
    }

    [Fact]
    public async Task AWaitWithALimitEndsWithIt()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        using var never = new ManualResetEvent(false);
        bool isSignalled = await fixture[0].RunAsync(() => never.WaitOne(30)).Within(20.Seconds());

        Assert.False(isSignalled);
        Assert.Equal(1, fixture[0].Blocked.Count);
    }

    [Fact]
    public async Task OtherConnectionsAreServedElsewhereWhileAHandlerBlocks()
    {
        using var release = new ManualResetEventSlim();
        var threads = new ConcurrentBag<Reactor?>();
        RingListener listener = await Fixture.ListenAsync(async connection =>
        {
            while (await connection.Input.ReadAsync() is { IsCompleted: false } read)
            {
                threads.Add(Reactor.Current);
                byte[] bytes = [.. read.Buffer.FirstSpan];
                connection.Input.AdvanceTo(read.Buffer.End);
                await connection.Output.WriteAsync(bytes);
            }
        });
        using Socket before = await RawSocket.ConnectAsync(listener.EndPoint);
        Assert.Equal("warm", await EchoAsync(before, "warm"));
        Assert.Same(Fixture[0], Assert.Single(threads));
        threads.Clear();

        Task<bool> blocked = Fixture[0].RunAsync(() => release.Wait(60.Seconds()));
        await Waits.Eventually(() => Fixture[0].IsBlocked, 20.Seconds(), "the handler blocks");
        using Socket after = await RawSocket.ConnectAsync(listener.EndPoint);
        for (int round = 0; round < 20; round++)
        {
            Assert.Equal($"a{round}", await EchoAsync(before, $"a{round}"));
            Assert.Equal($"b{round}", await EchoAsync(after, $"b{round}"));
        }

        Assert.True(Fixture[0].IsBlocked);
        Assert.Equal(40, threads.Count);
        Assert.All(threads, Assert.Null);

        release.Set();
        Assert.True(await blocked.Within(20.Seconds()));
        threads.Clear();
        for (int round = 0; round < 2; round++)
        {
            // The first read of a handler that was moved is posted; its second is on the reactor in any case.
            Assert.Equal("home", await EchoAsync(before, "home"));
        }

        Assert.Contains(Fixture[0], threads);
    }

    [Fact]
    public async Task NoApplicationCodeRunsInsideALockOfTheBlockedHandler()
    {
        object gate = new();
        using var never = new ManualResetEvent(false);
        int inside = 0;
        int breaches = 0;

        // Each holds the lock across a wait. A second one on the same thread would find the lock open.
        Task[] handlers = [.. Enumerable.Range(0, 24).Select(_ => Fixture[0].RunAsync(async () =>
        {
            await Task.Yield();
            lock (gate)
            {
                breaches += inside++ == 0 ? 0 : 1;

                // This kind of wait never spins first: on a busy host, a spin may last longer than what it waits for.
                never.WaitOne(5);
                inside--;
            }
        }))];
        await Task.WhenAll(handlers).Within(60.Seconds(), "every handler had the lock");

        Assert.Equal(0, breaches);
        Assert.True(Fixture[0].Blocked.Count >= 1);
    }

    [Fact]
    public async Task PostedCallbacksWaitForTheBlockedHandlerAndKeepTheirOrder()
    {
        using var release = new ManualResetEventSlim();
        var order = new ConcurrentQueue<int>();
        Task blocked = Fixture[0].RunAsync(() =>
        {
            release.Wait(60.Seconds());
            order.Enqueue(0);
        });
        await Waits.Eventually(() => Fixture[0].IsBlocked, 20.Seconds());
        for (int number = 1; number <= 100; number++)
        {
            Fixture[0].Post(
                number =>
                {
                    Assert.Same(Fixture[0], Reactor.Current);
                    order.Enqueue((int)number!);
                },
                number);
        }

        await Waits.Eventually(() => Fixture[0].QueuedWork == 0, 20.Seconds(), "the blocked reactor has looked at them");
        Assert.Empty(order);
        release.Set();
        await blocked.Within(20.Seconds());
        await Waits.Eventually(() => order.Count == 101, 20.Seconds());
        Assert.Equal(Enumerable.Range(0, 101), order);
    }

    [Fact]
    public async Task PostedCallbacksKeepTheirOrderWhereManyWait()
    {
        const int Waiting = 3_000;
        const int All = 6_000;
        using var release = new ManualResetEventSlim();
        var order = new ConcurrentQueue<int>();
        Task blocked = Fixture[0].RunAsync(() => release.Wait(60.Seconds()));
        await Waits.Eventually(() => Fixture[0].IsBlocked, 20.Seconds());
        for (int number = 0; number < All; number++)
        {
            if (number == Waiting)
            {
                await Waits.Eventually(() => Fixture[0].QueuedWork == 0, 20.Seconds(), "the blocked reactor has looked at them");
                release.Set();
            }

            Fixture[0].Post(number => order.Enqueue((int)number!), number);
        }

        await blocked.Within(20.Seconds());
        await Waits.Eventually(() => order.Count == All, 20.Seconds());
        Assert.Equal(Enumerable.Range(0, All), order);
    }

    [Fact]
    public async Task AStopEndsAReactorWhoseEndMakesAHandlerBlockForEver()
    {
        using var release = new ManualResetEventSlim();
        ReactorGroup group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 1 });
        TaskCompletionSource waits = Waits.Signal();
        Task<Reactor?> handler = group.Reactors[0].RunAsync(async () =>
        {
            ValueTask delay = group.Reactors[0].DelayAsync(TimeSpan.FromDays(1));
            waits.SetResult();
            await Assert.ThrowsAsync<ObjectDisposedException>(async () => await delay);
            release.Wait();
            return Reactor.Current;
        });
        await waits.Task.Within(20.Seconds());

        await group.DisposeAsync().AsTask().Within(20.Seconds(), "the group stops");
        release.Set();
        Assert.Null(await handler.Within(20.Seconds()));
    }

    [Theory, AllValues]
    public async Task WhatABlockedReactorRunsHasNoPartInTheBlockedCodesContext(bool isFlowSuppressed)
    {
        using var release = new ManualResetEventSlim();
        var local = new AsyncLocal<string?>();
        TaskCompletionSource<string?> seen = Waits.Signal<string?>();
        Task<(string?, bool)> blocked = Fixture[0].RunAsync(() =>
        {
            local.Value = "of the blocked code";
            if (isFlowSuppressed)
            {
                ExecutionContext.SuppressFlow();
            }

            release.Wait(60.Seconds());
            return ((string?)local.Value, ExecutionContext.IsFlowSuppressed());
        });
        await Waits.Eventually(() => Fixture[0].IsBlocked, 20.Seconds());
        Fixture[0].Enqueue(seen, seen => seen.SetResult(ExecutionContext.IsFlowSuppressed() ? "suppressed" : local.Value));

        Assert.Null(await seen.Task.Within(20.Seconds()));
        release.Set();
        Assert.Equal(("of the blocked code", isFlowSuppressed), await blocked.Within(20.Seconds()));
    }

    [Fact]
    public async Task AnAwaitWhoseReactorIsBlockedComesBackOnTheThreadPool()
    {
        using var release = new ManualResetEventSlim();
        TaskCompletionSource gate = Waits.Signal();
        var local = new AsyncLocal<string>();
        Task<(Reactor? Where, string? Value)> waiting = Fixture[0].RunAsync(async () =>
        {
            local.Value = "kept";
            await gate.Task;
            return (Reactor.Current, (string?)local.Value);
        });
        Task<Reactor?> delayed = Fixture[0].RunAsync(async () =>
        {
            await Fixture[0].DelayAsync(20.Milliseconds());
            return Reactor.Current;
        });
        Task blocked = Fixture[0].RunAsync(() => release.Wait(60.Seconds()));
        await Waits.Eventually(() => Fixture[0].IsBlocked, 20.Seconds());
        gate.SetResult();
        (Reactor? reactor, string? value) = await waiting.Within(20.Seconds());

        Assert.Null(reactor);
        Assert.Equal("kept", value);
        Assert.Null(await delayed.Within(20.Seconds(), "a delay of the blocked reactor is over"));
        release.Set();
        await blocked.Within(20.Seconds());
    }

    [Fact]
    public async Task ATimersContinuationMayBlockWhileOtherTimersFire()
    {
        using PoolThreads threads = new(64);
        Reactor reactor = Fixture[0];
        int fired = 0;
        Task[] delays = [.. Enumerable.Range(0, 64).Select(index => reactor.RunAsync(async () =>
        {
            await reactor.DelayAsync((1 + (index % 5)).Milliseconds());
            reactor.DelayAsync(3.Milliseconds()).AsTask().Wait();
            Interlocked.Increment(ref fired);
        }))];
        await Task.WhenAll(delays).Within(60.Seconds());

        Assert.Equal(64, fired);
        Assert.True(reactor.Blocked.Count >= 1);
    }

    [Fact]
    public async Task HandlersThatBlockOnEachOtherGoOn()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        TaskCompletionSource[] links = [.. Enumerable.Range(0, 9).Select(_ => Waits.Signal())];

        // Each waits for the next, across both reactors; the last one is let go by a delay of the thread pool.
        TaskCompletionSource begin = Waits.Signal();
        Task[] handlers = [.. Enumerable.Range(0, 8).Select(index => fixture[index % 2].RunAsync(async () =>
        {
            await begin.Task;
            links[index + 1].Task.Wait();
            links[index].SetResult();
        }))];
        await fixture[0].RunAsync(() => { }).Within(20.Seconds());
        await fixture[1].RunAsync(() => { }).Within(20.Seconds());
        begin.SetResult();
        await Waits.Eventually(() => fixture[0].IsBlocked && fixture[1].IsBlocked, 20.Seconds(), "both reactors are blocked");
        links[8].SetResult();
        await Task.WhenAll(handlers).Within(60.Seconds());

        Assert.True(links[0].Task.IsCompleted);
    }

    [Fact]
    public async Task SendToABlockedReactorIsAnswered()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        using var release = new ManualResetEventSlim();
        Task blocked = fixture[0].RunAsync(() => release.Wait(60.Seconds()));
        await Waits.Eventually(() => fixture[0].IsBlocked, 20.Seconds());
        Reactor? where = fixture[0];
        await fixture[1].RunAsync(() => fixture[0].SynchronizationContext.Send(_ => where = Reactor.Current, null)).Within(20.Seconds());

        Assert.Null(where);
        release.Set();
        await blocked.Within(20.Seconds());
    }

    [Fact]
    public async Task TheEndOfAConnectionIsToldWhileAHandlerBlocks()
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(Fixture);
        using var release = new ManualResetEventSlim();
        TaskCompletionSource<Reactor?> told = Waits.Signal<Reactor?>();
        using CancellationTokenRegistration registration = pair.Server.ConnectionClosed.Register(() => told.SetResult(Reactor.Current));
        Task blocked = Fixture[0].RunAsync(() => release.Wait(60.Seconds()));
        await Waits.Eventually(() => Fixture[0].IsBlocked, 20.Seconds());
        pair.Client.Close();

        Assert.Null(await told.Task.Within(20.Seconds()));
        release.Set();
        await blocked.Within(20.Seconds());
    }

    [Fact]
    public async Task AHandlerThatIsInterruptedFailsAloneAndTheReactorGoesOn()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        using var never = new ManualResetEvent(false);
        Thread? thread = null;
        Task blocked = fixture[0].RunAsync(() =>
        {
            thread = Thread.CurrentThread;
            never.WaitOne();
        });
        await Waits.Eventually(() => fixture[0].IsBlocked, 20.Seconds());
        thread!.Interrupt();

        await Assert.ThrowsAsync<ThreadInterruptedException>(() => blocked.Within(20.Seconds()));
        await fixture[0].RunAsync(() => { }).Within(20.Seconds());
    }

    [Fact]
    public async Task TheHostIsToldElsewhereWhileAHandlerBlocks()
    {
        // What listens may take a lock that the blocked handler holds, and the lock is open to its own thread.
        var events = new ThreadEvents();
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.ReactorCount = 1;
            options.Events = events;
        });
        using var release = new ManualResetEventSlim();
        Task blocked = fixture[0].RunAsync(() => release.Wait(60.Seconds()));
        await Waits.Eventually(() => fixture[0].IsBlocked, 20.Seconds());
        fixture[0].Enqueue(fixture[0], static _ => throw new InvalidOperationException("told"));

        (Reactor? reactor, string message) = await events.Told.Task.Within(20.Seconds());
        Assert.Null(reactor);
        Assert.Equal("told", message);
        release.Set();
        await blocked.Within(20.Seconds());
    }

    [Fact]
    public async Task ABlockedWaitIsReportedAndIsNoStall()
    {
        const int MostWaits = 100;
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.StallThreshold = 30.Milliseconds());

        // On a busy machine the thread may lose its processor between the handler's start and its wait: that is a stall. If the wait
        // were one, every wait would be.
        int waits = 0;
        string activity;
        do
        {
            activity = $"handler {++waits} that waits";
            await AssertReportedAsync(fixture, activity);
        }
        while (waits < MostWaits && fixture.Events.StallsOf(0).Any(stall => stall.Activity == activity));

        Assert.DoesNotContain(fixture.Events.StallsOf(0), stall => stall.Activity == activity);
        Assert.True(fixture[0].Snapshot().BlockedWaits >= waits);
    }

    [Fact]
    public async Task AWaitOfTheRuntimesOwnCodeTurnsNothing()
    {
        TaskCompletionSource<bool> done = Waits.Signal<bool>();
        Fixture[0].Enqueue(
            done,
            static done =>
            {
                using var never = new ManualResetEvent(false);
                done.SetResult(never.WaitOne(5));
            });

        Assert.False(await done.Task.Within(20.Seconds()));
        Assert.Equal(0, Fixture[0].Blocked.Count);
    }

    [Fact]
    public async Task AStopEndsAReactorWhoseHandlerBlocksForEver()
    {
        LeakCheck descriptors = LeakCheck.Start();
        using var release = new ManualResetEventSlim();
        var events = new RecordedEvents();
        ReactorGroup group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 2, Events = events });
        TaskCompletionSource<(Reactor?, bool)> unwound = Waits.Signal<(Reactor?, bool)>();
        RingListener listener = await group.ListenAsync(
            new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, 0),
            async connection =>
            {
                await connection.Input.ReadAsync();
                release.Wait();
                bool isEmpty = (await connection.Output.FlushAsync()).IsCompleted;
                unwound.SetResult((Reactor.Current, isEmpty));
            });
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        await client.SendAsync("x"u8.ToArray());
        await Waits.Eventually(() => group.Reactors.Any(reactor => reactor.IsBlocked), 20.Seconds());

        await group.DisposeAsync().AsTask().Within(20.Seconds(), "the group stops under the blocked handler");
        Assert.All(group.Reactors, reactor => Assert.True(reactor.HasEnded));
        Assert.False(unwound.Task.IsCompleted);
        _ = await events.FirstAsync(RecordedEvents.Kind.LeftBehind, 20.Seconds());

        // The handler returns through a loop whose ring is closed.
        release.Set();
        (Reactor? reactor, bool isEmpty) = await unwound.Task.Within(20.Seconds());
        Assert.Null(reactor);
        Assert.True(isEmpty);
        client.Dispose();
        await descriptors.AssertNoneLeftAsync(20.Seconds());
    }

    private static async Task AssertReportedAsync(ReactorFixture fixture, string activity)
    {
        using var release = new ManualResetEventSlim();
        Task blocked = fixture[0].RunAsync(() =>
        {
            fixture[0].Activity = activity;
            release.Wait(60.Seconds());
            Assert.Equal(activity, fixture[0].Activity);
            fixture[0].Activity = null;
        });
        RecordedEvents.Event? told = null;
        await Waits.Eventually(
            () => (told = fixture.Events.Of(RecordedEvents.Kind.Blocked).FirstOrDefault(told => told.Activity == activity)) is not null,
            20.Seconds(), $"{activity} is reported");

        Assert.Equal(0, told!.ReactorId);
        Assert.True(told.StalledFor >= 30.Milliseconds());
        Assert.True(fixture[0].Snapshot().BlockedTime >= 30.Milliseconds());
        release.Set();
        await blocked.Within(20.Seconds());
        Assert.Equal(TimeSpan.Zero, fixture[0].Snapshot().BlockedTime);
    }

    private static async Task<string> EchoAsync(Socket socket, string text)
    {
        byte[] bytes = System.Text.Encoding.ASCII.GetBytes(text);
        await socket.SendAsync(bytes);
        byte[] answer = new byte[bytes.Length];
        for (int have = 0; have < answer.Length;)
        {
            int read = await socket.ReceiveAsync(answer.AsMemory(have)).AsTask().Within(20.Seconds(), $"the answer to '{text}'");
            Assert.NotEqual(0, read);
            have += read;
        }

        return System.Text.Encoding.ASCII.GetString(answer);
    }

    private sealed class ThreadEvents : ReactorEvents
    {
        internal TaskCompletionSource<(Reactor?, string)> Told { get; } = Waits.Signal<(Reactor?, string)>();

        public override void UnhandledException(int reactorId, Exception exception) => Told.SetResult((Reactor.Current, exception.Message));
    }
}
