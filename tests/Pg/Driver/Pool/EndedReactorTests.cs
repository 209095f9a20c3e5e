using System.Diagnostics.Metrics;

namespace Ioxide.Pg.Tests;

/// <summary>A reactor whose ring fails takes its own connections along, and nothing else of the data source.</summary>
public class EndedReactorTests
{
    private static readonly Script s_refusal
        = new Script().ExpectStartup().Send(BackendMessages.ErrorResponse("53300", "too many clients", "FATAL")).End();

    [Fact]
    public async Task ADataSourceThatWaitsForItsSessionsCloses()
    {
        var kernel = new BreakingKernel();
        await using ReactorGroup group = Start(kernel, reactors: 1);
        await using FakeServer server = FakeServer.Start(Script.Welcome());
        using var meters = new Meters();
        TaskCompletionSource isOver = Waits.Signal();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (ReferenceEquals(instrument.Meter, meters.Made))
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
            MeasurementsCompleted = (_, _) => isOver.TrySetResult(),
        };
        listener.Start();
        PgDataSource db = PgDataSource.Create(OptionsOf(server.Port), group, meterFactory: meters);
        await using PgSession session = await db.OpenSessionAsync().Within(20.Seconds());
        Task closing = db.CloseAsync();
        await Waits.Eventually(() => db.Pools[0].IsClosed, 20.Seconds());
        Assert.False(isOver.Task.IsCompleted);
        await BreakAsync(kernel, group.Reactors[0]);

        await closing.Within(20.Seconds());
        await isOver.Task.Within(20.Seconds());
    }

    [Fact]
    public async Task UnderATotalAnotherReactorServesWhoWaits()
    {
        var kernel = new BreakingKernel();
        await using ReactorGroup group = Start(kernel);
        TaskCompletionSource answers = Waits.Signal();
        await using FakeServer server = FakeServer.Start(_ => new Script().ExpectStartup().WaitFor(answers.Task).Send(BackendMessages.Welcome()));
        await using PgDataSource db = PgDataSource.Create(OptionsOf(server.Port, total: 2), group);
        Task<PgSession>[] waiting = await WaitOnEachAsync(db, server);
        await BreakAsync(kernel, group.Reactors[0]);
        answers.SetResult();

        foreach (PgSession session in await Task.WhenAll(waiting).Within(20.Seconds()))
        {
            Assert.Same(group.Reactors[1], session.Pool.Reactor);
            await session.DisposeAsync();
        }

        Assert.All(db.Pools, static pool => Assert.Equal(0, pool.Sessions));
    }

    [Fact]
    public async Task UnderATotalWhoWaitsCanStillStop()
    {
        var kernel = new BreakingKernel();
        await using ReactorGroup group = Start(kernel);
        await using FakeServer server = FakeServer.Start(new Script().ExpectStartup());
        await using PgDataSource db = PgDataSource.Create(OptionsOf(server.Port, total: 2), group);
        using var stop = new CancellationTokenSource();
        Task<PgSession>[] waiting = await WaitOnEachAsync(db, server, stop.Token);
        await BreakAsync(kernel, group.Reactors[0]);
        Assert.Equal(2, db.Pools[1].QueueLength);
        await stop.CancelAsync();

        foreach (Task<PgSession> session in waiting)
        {
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => session.Within(20.Seconds()));
        }

        Assert.Equal(0, db.Pools[1].QueueLength);
    }

    [Fact]
    public async Task WhereNoneIsLeftWhoWaitsIsTold()
    {
        var kernel = new BreakingKernel();
        await using ReactorGroup group = Start(kernel);
        await using FakeServer server = FakeServer.Start(new Script().ExpectStartup());
        await using PgDataSource db = PgDataSource.Create(OptionsOf(server.Port, total: 2), group);
        Task<PgSession>[] waiting = await WaitOnEachAsync(db, server);
        await BreakAsync(kernel, [.. group.Reactors]);

        foreach (Task<PgSession> session in waiting)
        {
            Exception? error = await session.ErrorWithin(20.Seconds());
            Assert.False(error is null or TimeoutException, $"It was told: {error}");
        }
    }

    /// <summary>An attempt has failed, and the next is not due: nothing but the end of the reactor ends the wait.</summary>
    [Theory, AllValues]
    public async Task WhoWaitsForTheNextAttemptIsTold(bool isStopped)
    {
        var kernel = new BreakingKernel();
        await using ReactorGroup group = Start(kernel, reactors: 1);
        await using FakeServer server = FakeServer.Start(static index => index == 0 ? Script.Welcome() : s_refusal);
        PgDataSourceOptions options = OptionsOf(server.Port);
        options.ReconnectDelay = 600.Seconds();
        await using PgDataSource db = PgDataSource.Create(options, group);
        PgSession held = await db.OpenSessionAsync().Within(20.Seconds());
        Task lease = db.OpenSessionAsync().AsTask();
        await Waits.Eventually(() => db.Pools[0].Counters.ConnectFailures == 1, 20.Seconds());
        Task command = new ScriptRoundTrip("select 1"u8.ToArray()).RunAsync(db.Pools[0]).AsTask();
        await Waits.Eventually(() => db.Pools[0].QueueLength == 2, 20.Seconds());
        await (isStopped ? group.DisposeAsync().AsTask().Within(20.Seconds()) : BreakAsync(kernel, group.Reactors[0]));

        foreach (Task waiting in (Task[])[lease, command])
        {
            Assert.IsType<ObjectDisposedException>(await waiting.ErrorWithin(20.Seconds()));
        }

        await held.DisposeAsync();
    }

    [Fact]
    public async Task UnderATotalTheLastReactorTellsWhoWaitedOnAnother()
    {
        var kernel = new BreakingKernel();
        await using ReactorGroup group = Start(kernel);
        await using FakeServer server = FakeServer.Start(static index => index == 0 ? s_refusal : new Script().ExpectStartup());
        PgDataSourceOptions options = OptionsOf(server.Port, total: 2);
        options.ReconnectDelay = 600.Seconds();
        await using PgDataSource db = PgDataSource.Create(options, group);
        await Assert.ThrowsAsync<PgException>(() => new ScriptRoundTrip("select 1"u8.ToArray()).RunAsync(db.Pools[1]).Within(20.Seconds()));
        Task lease = PgDataSource.OpenSessionAsync(db.Pools[0], default).AsTask();
        await Waits.Eventually(() => server.Sessions.Count == 2, 20.Seconds());
        await BreakAsync(kernel, group.Reactors[0]);
        Assert.False(lease.IsCompleted);
        await BreakAsync(kernel, group.Reactors[1]);

        Assert.IsType<ObjectDisposedException>(await lease.ErrorWithin(20.Seconds()));
    }

    /// <summary>A lease on each reactor, and an attempt to connect for it that the server has not answered.</summary>
    private static async Task<Task<PgSession>[]> WaitOnEachAsync(PgDataSource db, FakeServer server, CancellationToken stop = default)
    {
        var waiting = new List<Task<PgSession>>();
        foreach (ReactorPool pool in db.Pools)
        {
            waiting.Add(PgDataSource.OpenSessionAsync(pool, stop).AsTask());
            await Waits.Eventually(() => server.Sessions.Count == waiting.Count, 20.Seconds());
        }

        Assert.All(db.Pools, static pool => Assert.Equal(1, pool.Attempts.Count));
        return [.. waiting];
    }

    private static async Task BreakAsync(BreakingKernel kernel, params Reactor[] reactors)
    {
        kernel.Break(only: reactors.Length == 1 ? reactors[0] : null);
        foreach (Reactor reactor in reactors)
        {
            // One that sleeps enters its ring again. One that woke by itself may have ended.
            _ = reactor.TryEnqueue(WorkItem.Of(reactor, static _ => { }));
        }

        await Task.WhenAll(reactors.Select(static reactor => reactor.Ended)).Within(20.Seconds());
    }

    private static PgDataSourceOptions OptionsOf(int port, int? total = null)
    {
        PgDataSourceOptions options = PgDataSourceOptions.Parse($"Host=127.0.0.1;Port={port};Username=u;Database=d;SSL Mode=Disable");
        options.MaxConnections = total;
        return TestDatabase.Patient(options);
    }

    private static ReactorGroup Start(BreakingKernel kernel, int reactors = 2)
        => ReactorGroup.Start(new ReactorOptions { ReactorCount = reactors, StallThreshold = TimeSpan.FromMinutes(10), PlayedKernel = kernel });

    /// <summary>Makes a meter that no other test has.</summary>
    private sealed class Meters : IMeterFactory
    {
        internal Meter? Made { get; private set; }

        public Meter Create(MeterOptions options) => Made = new Meter(options);

        public void Dispose() => Made?.Dispose();
    }
}
