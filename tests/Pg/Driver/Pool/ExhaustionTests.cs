namespace Ioxide.Pg.Tests;

/// <summary>What callers are told when there is no connection for them, and who waits for how long.</summary>
public class ExhaustionTests() : PgTests(TestDatabase.OneReactor)
{
    private static readonly PgStatement<double> s_sleep = PgStatement.Create<double>("select pg_sleep($1)::text"u8);
    private static readonly PgStatement s_one = PgStatement.Create("select 1"u8);

    [Fact]
    public async Task OneCommandTooManyFailsAtOnce()
    {
        PgDataSource db = await OpenAsync(Fixture, static options =>
        {
            options.QueueLimit = 3;
            options.QueueTimeout = TimeSpan.Zero;
        });
        await Fixture[0].RunAsync(async () =>
        {
            PgSession session = await db.OpenSessionAsync();
            ValueTask<int>[] waiting = [.. Enumerable.Range(0, 3).Select(_ => db.Query(s_one).ScalarAsync<int>())];
            ValueTask<int> tooMany = db.Query(s_one).ScalarAsync<int>();
            Assert.True(tooMany.IsFaulted);
            var error = await Assert.ThrowsAsync<PgPoolExhaustedException>(async () => await tooMany);
            Assert.Contains(nameof(PgDataSourceOptions.QueueLimit), error.Message, StringComparison.Ordinal);
            ValueTask<PgSession> lease = db.OpenSessionAsync();
            Assert.True(lease.IsFaulted);
            await Assert.ThrowsAsync<PgPoolExhaustedException>(async () => await lease);
            await session.DisposeAsync();
            foreach (ValueTask<int> answer in waiting)
            {
                Assert.Equal(1, await answer);
            }
        }).Within(20.Seconds());
    }

    [Fact]
    public async Task WhoWaitsTooLongIsTold()
    {
        PgDataSource db = await OpenAsync(Fixture, static options =>
        {
            options.QueueTimeout = 200.Milliseconds();
            options.MinPerReactor = 1;
        });

        // Who waits for a connection that is being made waits too, and that may take longer than the limit.
        await db.WarmUpAsync().Within(20.Seconds());
        await using PgSession session = await db.OpenSessionAsync();
        Task<int> command = db.Query(s_one).ScalarAsync<int>().AsTask();
        Task<PgSession> lease = db.OpenSessionAsync().AsTask();
        await Assert.ThrowsAsync<PgPoolExhaustedException>(() => command.Within(20.Seconds()));
        var error = await Assert.ThrowsAsync<PgPoolExhaustedException>(() => lease.Within(20.Seconds()));
        Assert.Contains("1 of them leased", error.Message, StringComparison.Ordinal);
        Assert.IsType<TimeoutException>(error.InnerException);
        Assert.Equal((2, 0), (db.Pools[0].Counters.QueueTimeouts, db.Pools[0].QueueLength));
    }

    [Fact]
    public async Task AWaitingCommandCanBeCancelled()
    {
        PgDataSource db = await OpenAsync(Fixture);
        using var source = new CancellationTokenSource();
        await using (PgSession session = await db.OpenSessionAsync())
        {
            Task<int> command = db.Query(s_one).ScalarAsync<int>(source.Token).AsTask();
            await Waits.Eventually(() => db.Pools[0].QueueLength == 1, 20.Seconds());
            await source.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => command.Within(20.Seconds()));
            Assert.Equal(0, db.Pools[0].QueueLength);
        }

        Assert.Equal(1, await db.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
    }

    [Fact]
    public async Task ACancelledWaitForASessionTakesNoConnectionAndNoPlaceInTheQueue()
    {
        PgDataSource db = await OpenAsync(Fixture, static options => options.QueueLimit = 2);
        await using (PgSession session = await db.OpenSessionAsync())
        {
            Task<PgSession> first = db.OpenSessionAsync().AsTask();
            await Waits.Eventually(() => db.Pools[0].QueueLength == 1, 20.Seconds());
            for (int i = 0; i < 5; i++)
            {
                using var source = new CancellationTokenSource();
                Task<PgSession> lease = db.OpenSessionAsync(source.Token).AsTask();
                await Waits.Eventually(() => db.Pools[0].QueueLength == 2, 20.Seconds());
                await source.CancelAsync();
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => lease.Within(20.Seconds()));
                await Waits.Eventually(() => db.Pools[0].QueueLength == 1, 20.Seconds());
            }

            await session.DisposeAsync();
            await (await first.Within(20.Seconds())).DisposeAsync();
        }

        Assert.Equal(1, await db.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
        Assert.Equal(1, db.Opened());
    }

    [Fact]
    public async Task WhoWaitsForASessionIsServedInOrder()
    {
        PgDataSource db = await OpenAsync(Fixture, static options =>
        {
            options.MaxPerReactor = 3;
            options.QueueTimeout = TimeSpan.Zero;
        });
        var order = new List<int>();
        await Fixture[0].RunAsync(async () =>
        {
            await Task.WhenAll(Enumerable.Range(0, 300).Select(async i =>
            {
                await using PgSession session = await db.OpenSessionAsync();
                order.Add(i);
                Assert.Equal(1, await session.Query(s_one).ScalarAsync<int>());
            }));
        }).Within(30.Seconds());
        Assert.Equal(Enumerable.Range(0, 300), order);
        Assert.InRange(db.Opened(), 1, 3);
    }

    [Fact]
    public async Task SharedCommandsAndSessionsTakeTurnsOnOneConnection()
    {
        PgDataSource db = await OpenAsync(Fixture);
        await Task.WhenAll(Enumerable.Range(0, 100).Select(i => Task.Run(async () =>
        {
            if (i % 4 == 0)
            {
                await using PgSession session = await db.OpenSessionAsync();
                Assert.Equal(1, await session.Query(s_one).ScalarAsync<int>());
            }
            else
            {
                Assert.Equal(1, await db.Query(s_one).ScalarAsync<int>());
            }
        }))).Within(30.Seconds());
        Assert.Equal(1, db.Opened());
    }

    [Fact]
    public async Task ADataSourceThatIsClosedTellsWhoWaits()
    {
        PgDataSource db = await OpenAsync(Fixture);
        PgSession session = await db.OpenSessionAsync();
        Task<int> command = db.Query(s_one).ScalarAsync<int>().AsTask();
        Task<PgSession> lease = db.OpenSessionAsync().AsTask();
        await Waits.Eventually(() => db.Pools[0].QueueLength == 2, 20.Seconds());
        Task closing = db.CloseAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => command.Within(20.Seconds()));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => lease.Within(20.Seconds()));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => db.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => db.OpenSessionAsync().Within(20.Seconds()));
        Assert.Equal(1, await session.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
        Assert.False(closing.IsCompleted);
        await session.DisposeAsync();
        await closing.Within(20.Seconds());
    }

    [Fact]
    public async Task ADataSourceThatIsClosedLetsWhatRunsEnd()
    {
        PgDataSource db = await OpenAsync(Fixture);
        await db.Query(s_sleep, 0).ExecuteAsync();
        Task running = db.Query(s_sleep, 0.3).ExecuteAsync().AsTask();
        await Fixture[0].RunAsync(static () => { });
        await db.CloseAsync().Within(20.Seconds());
        await running.Within(20.Seconds());
    }

    [Fact]
    public async Task ASessionThatIsLeftOpenIsBrokenOffWhenTheCallerOfCloseHasWaitedEnough()
    {
        PgDataSource db = await OpenAsync(Fixture);
        PgSession session = await db.OpenSessionAsync();
        await session.Query(s_sleep, 0).ExecuteAsync();
        Task sleeping = session.Query(s_sleep, 60).ExecuteAsync().AsTask();
        await db.CloseAsync(new CancellationToken(canceled: true)).Within(20.Seconds());
        await Assert.ThrowsAsync<PgConnectionException>(() => sleeping.Within(20.Seconds()));
        Assert.False(session.IsOpen);
        await session.DisposeAsync();
    }

    [Fact]
    public async Task IdleConnectionsBeyondTheMinimumAreClosed()
    {
        PgDataSource db = await TestDatabase.OpenAsync<ExhaustionTests>(Fixture, static options =>
        {
            options.MinPerReactor = 1;
            options.IdleLifetime = 100.Milliseconds();
        });
        await db.WarmUpAsync().Within(20.Seconds());
        PgSession[] sessions = await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => db.OpenSessionAsync().AsTask())).Within(20.Seconds());
        Assert.Equal(4, db.Pools[0].OpenCount);
        foreach (PgSession session in sessions)
        {
            await session.DisposeAsync();
        }

        await Waits.Eventually(() => db.Pools[0].OpenCount == 1, 20.Seconds());
    }

    [Fact]
    public async Task OldConnectionsAreReplacedOnceTheyAreFree()
    {
        PgDataSource db = await OpenAsync(Fixture, static options => options.ConnectionLifetime = 300.Milliseconds());
        var processId = PgStatement.Create("select pg_backend_pid()"u8);
        int first = await db.Query(processId).ScalarAsync<int>().Within(20.Seconds());
        int latest = first;
        long started = Environment.TickCount64;
        while (latest == first && Environment.TickCount64 - started < 60_000)
        {
            latest = await db.Query(processId).ScalarAsync<int>().Within(20.Seconds());
        }

        Assert.NotEqual(first, latest);
        Assert.InRange(db.Pools[0].OpenCount, 0, 1);
    }

    private static Task<PgDataSource> OpenAsync(PgFixture fixture, Action<PgDataSourceOptions>? configure = null)
        => TestDatabase.OpenAsync<ExhaustionTests>(fixture, options =>
        {
            TestDatabase.OneConnection(options);
            configure?.Invoke(options);
        });
}
