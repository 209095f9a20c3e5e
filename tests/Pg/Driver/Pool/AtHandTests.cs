using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>A session outside the reactors gets the connection of the one before without entering a reactor; and it gets nothing of that one.</summary>
public class AtHandTests : OneConnectionTests
{
    private static readonly PgStatement s_one = PgStatement.Create("select 1"u8);

    [Fact]
    public async Task TheNextCallerOpensWithoutTheReactor()
    {
        int process = await UseAsync(Db);
        using (Held reactor = await Held.TakeAsync(Fixture[0]))
        {
            for (int i = 0; i < 3; i++)
            {
                ValueTask<PgSession> opening = Db.OpenSessionAsync();
                Assert.True(opening.IsCompletedSuccessfully);
                PgSession session = await opening;
                Assert.Equal(process, session.ProcessId);
                Assert.Equal(0, Db.Pools[0].Lanes.IdleCount);
                await session.DisposeAsync();
                Assert.Equal((1, 0), (Db.Pools[0].Lanes.IdleCount, Db.Pools[0].Sessions));
            }
        }

        await using PgDbDataSource source = Db.AsDbDataSource();
        await using PgDbConnection connection = await source.OpenConnectionAsync();
        Assert.Equal(process, connection.Session.ProcessId);
    }

    [Fact]
    public async Task OneCallerUsesOneConnectionHoweverManyReactorsThereAre()
    {
        await using PgFixture fixture = new();
        PgDataSource db = await TestDatabase.OpenAsync<AtHandTests>(fixture, static options => options.MinPerReactor = 0);
        int process = await UseAsync(db);
        for (int i = 0; i < 10; i++)
        {
            Assert.Equal(process, await UseAsync(db));
        }

        Assert.Equal(1, db.Opened());
    }

    [Theory, Each(
        "set work_mem = '5MB'", "begin", "create temporary table left_behind (id int)", "listen left_behind", "select pg_advisory_lock(4711)",
        "select set_config('work_mem', '5MB', false)")]
    public async Task WhatASessionLeavesIsNotTheNextOnes(string sql)
    {
        for (int i = 0; i < 3; i++)
        {
            await using (PgSession session = await Db.OpenSessionAsync())
            {
                await session.RunScriptAsync(sql).Within(20.Seconds());
            }

            Assert.False(Db.Pools[0].Lanes.AtHand.IsTaken);
            await using PgSession next = await Db.OpenSessionAsync();
            Assert.False(next.IsInTransaction);
            PgScriptResult state = await next.RunScriptAsync(
                "select current_setting('work_mem') = '5MB', to_regclass('pg_temp.left_behind') is not null, "
                    + "(select count(*) from pg_listening_channels()) > 0, (select count(*) from pg_locks where locktype = 'advisory' "
                    + "and database = (select oid from pg_database where datname = current_database())) > 0").Within(20.Seconds());
            Assert.Equal("f f f f", string.Join(" ", state.Rows[0]));
        }
    }

    [Fact]
    public async Task ACommandThatNobodyAwaitedEndsBeforeTheNextSession()
    {
        for (int i = 0; i < 200; i++)
        {
            ValueTask<PgScriptResult> notAwaited;
            await using (PgSession session = await Db.OpenSessionAsync())
            {
                notAwaited = session.RunScriptAsync("begin");
            }

            await using (PgSession next = await Db.OpenSessionAsync())
            {
                Assert.Equal(1, await next.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
                Assert.False(next.IsInTransaction);
            }

            // It was sent, or came too late.
            Exception? refusal = await Record.ExceptionAsync(() => notAwaited.AsTask().Within(20.Seconds()));
            Assert.True(refusal is null or ObjectDisposedException, refusal?.ToString());
        }
    }

    [Fact]
    public async Task ACancelThatNobodyAwaitedStrikesNoLaterSession()
    {
        for (int i = 0; i < 100; i++)
        {
            PgSession session = await Db.OpenSessionAsync();
            ValueTask cancelling = session.CancelAsync();
            await session.DisposeAsync();
            Assert.False(Db.Pools[0].Lanes.AtHand.IsTaken);
            int answer = await Fixture[0].RunAsync(async () =>
            {
                await using PgSession next = await Db.OpenSessionAsync();
                return await next.Query(s_one).ScalarAsync<int>();
            }).Within(20.Seconds());
            Assert.Equal(1, answer);
            await cancelling.AsTask().Within(20.Seconds());
        }
    }

    [Fact]
    public async Task WhoeverElseNeedsItGetsItAtOnce()
    {
        await using PgFixture fixture = new();
        PgDataSource db = await TestDatabase.OpenAsync<AtHandTests>(fixture, static options => options.MaxConnections = 1);
        int process = await UseAsync(db);
        ReactorPool pool = Assert.Single(db.Pools, static pool => pool.Lanes.AtHand.IsTaken);
        await pool.Reactor.RunAsync(async () =>
        {
            ValueTask<PgSession> opening = db.OpenSessionAsync();
            Assert.True(opening.IsCompletedSuccessfully);
            await using PgSession session = await opening;
            Assert.Equal(process, session.ProcessId);
        }).Within(20.Seconds());
        await UseAsync(db);
        await pool.Reactor.RunAsync(async () =>
        {
            Assert.True(pool.Lanes.AtHand.IsTaken);
            ValueTask<int> answer = db.Query(s_one).ScalarAsync<int>();
            Assert.False(pool.Lanes.AtHand.IsTaken);
            Assert.Equal((1, 0), (pool.OpenCount, pool.Lanes.IdleCount));
            Assert.Equal(1, await answer);
        }).Within(20.Seconds());
        for (int i = 0; i < 50; i++)
        {
            Reactor reactor = fixture[i % 2];
            Assert.Equal(1, await reactor.RunAsync(() => db.Query(s_one).ScalarAsync<int>().AsTask()).Within(20.Seconds()));
            Assert.Equal(process, await UseAsync(db));
            int other = await reactor.RunAsync(() => UseAsync(db)).Within(20.Seconds());
            process = await UseAsync(db);
            Assert.True(other == process || db.Opened() > 1);
        }
    }

    [Fact]
    public async Task OneThatTheServerEndsServesNobody()
    {
        PgDataSource other = await TestDatabase.OpenAsync<AtHandTests>(Fixture, TestDatabase.OneConnection);
        int process = await UseAsync(Db);
        Assert.True(Db.Pools[0].Lanes.AtHand.IsTaken);
        await using (PgSession killer = await other.OpenSessionAsync())
        {
            await killer.RunScriptAsync($"select pg_terminate_backend({process}, 10000)").Within(20.Seconds());
        }

        await Waits.Eventually(() => Db.Pools[0].OpenCount == 0, 20.Seconds());
        Assert.False(Db.Pools[0].Lanes.AtHand.IsTaken);
        Assert.NotEqual(process, await UseAsync(Db));
    }

    [Fact]
    public async Task ItEndsWithClearWithAgeAndWithItsDataSource()
    {
        PgDataSource db = await TestDatabase.OpenAsync<AtHandTests>(Fixture, static options =>
        {
            TestDatabase.OneConnection(options);
            options.MinPerReactor = 0;
            options.IdleLifetime = 1.Milliseconds();
        });
        int process = await UseAsync(db);
        await Fixture[0].RunAsync(() =>
        {
            Assert.True(db.Pools[0].Lanes.AtHand.IsTaken);
            db.Pools[0].Clear();
            Assert.False(db.Pools[0].Lanes.AtHand.IsTaken);
            return Task.CompletedTask;
        }).Within(20.Seconds());
        await Waits.Eventually(() => db.Pools[0].OpenCount == 0, 20.Seconds());
        Assert.NotEqual(process, await UseAsync(db));
        await using (PgSession session = await db.OpenSessionAsync())
        {
            // It is in use, and is closed when it comes back.
            process = session.ProcessId;
            await Fixture[0].RunAsync(() =>
            {
                db.Pools[0].Clear();
                return Task.CompletedTask;
            }).Within(20.Seconds());
        }

        Assert.False(db.Pools[0].Lanes.AtHand.IsTaken);
        Assert.NotEqual(process, await UseAsync(db));

        // The clock looks once per second.
        await Waits.Eventually(() => db.Pools[0].OpenCount == 0, 20.Seconds());
        await UseAsync(db);
        await db.CloseAsync().Within(20.Seconds());
        Assert.Equal(0, db.Pools[0].OpenCount);
    }

    /// <summary>Also where the reactor has not come to it yet.</summary>
    [Fact]
    public async Task NoSessionBehindAClearGetsIt()
    {
        int atHand = await UseAsync(Db);
        PgSession used = await Db.OpenSessionAsync();
        ValueTask<PgSession> opening;
        using (Held reactor = await Held.TakeAsync(Fixture[0]))
        {
            Db.Clear();
            await used.DisposeAsync();
            opening = Db.OpenSessionAsync();
            Assert.False(opening.IsCompleted);
        }

        await using PgSession session = await opening;
        Assert.NotEqual(atHand, session.ProcessId);
    }

    /// <summary>Also on the reactor itself, which comes to the clear only when this code has ended.</summary>
    [Fact]
    public Task NoSessionOrCommandBehindAClearOfItsReactorGetsIt() => Fixture[0].RunAsync(async () =>
    {
        int idle = await UseAsync(Db);
        Db.Clear();
        int next = await UseAsync(Db);
        Assert.NotEqual(idle, next);
        Db.Clear();
        Assert.NotEqual(next, await Db.Query(PgStatement.Create("select pg_backend_pid()"u8)).ScalarAsync<int>());
    }).Within(20.Seconds());

    [Fact]
    public async Task CallersInsideAndOutsideShareTheConnectionsAndNobodyWaitsInVain()
    {
        await using PgFixture fixture = new();
        PgDataSource db = await TestDatabase.OpenAsync<AtHandTests>(fixture, static options =>
        {
            options.MaxConnections = 3;
            options.QueueTimeout = 15.Seconds();
        });
        await Task.WhenAll(Enumerable.Range(0, 9).Select(caller => (caller % 3) switch
        {
            0 => Task.Run(ManyAsync),
            1 => fixture[caller % 2].RunAsync(ManyAsync),
            _ => fixture[caller % 2].RunAsync(async () =>
            {
                for (int i = 0; i < 300; i++)
                {
                    Assert.Equal(1, await db.Query(s_one).ScalarAsync<int>());
                }
            }),
        })).Within(60.Seconds());
        await Waits.Eventually(() => db.Pools.All(static pool => pool is { QueueLength: 0, Sessions: 0 }), 20.Seconds());

        async Task ManyAsync()
        {
            for (int i = 0; i < 300; i++)
            {
                await UseAsync(db);
            }
        }
    }

    private static async Task<int> UseAsync(PgDataSource db)
    {
        await using PgSession session = await db.OpenSessionAsync();
        Assert.Equal(1, await session.Query(s_one).ScalarAsync<int>());
        return session.ProcessId;
    }

    /// <summary>A reactor that does nothing until it is let go: its thread sleeps in a call that turns no ring.</summary>
    private sealed class Held : IDisposable
    {
        private int _isOver;

        internal static async Task<Held> TakeAsync(Reactor reactor)
        {
            var held = new Held();
            var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            reactor.Post(
                _ =>
                {
                    begun.SetResult();
                    while (Volatile.Read(ref held._isOver) == 0)
                    {
                        Thread.Sleep(1);
                    }
                },
                null);
            await begun.Task;
            return held;
        }

        public void Dispose() => Volatile.Write(ref _isOver, 1);
    }
}
