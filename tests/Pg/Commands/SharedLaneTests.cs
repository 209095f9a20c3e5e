using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>
/// Commands of all callers share connections: none of them leaves a session that another one sees, and none of them waits for what another
/// waits for.
/// </summary>
public class SharedLaneTests : OneConnectionTests
{
    private static readonly PgStatement s_one = PgStatement.Create("select 1"u8);
    private static readonly PgStatement s_setting = PgStatement.Create("select coalesce(current_setting('app.tenant', true), '')"u8);
    private static readonly PgStatement s_take = PgStatement.Create("update contended set a = a + 1 where id = 1"u8);
    private static readonly PgStatement s_takeOther = PgStatement.Create("update contended set a = a + 1 where id = 2"u8);
    private static readonly PgStatement s_read = PgStatement.Create("select a from contended where id = 1"u8);

    [Theory, Each(
        "set search_path to pg_catalog", "SET SESSION work_mem = '1MB'", "-- a comment\nset role pg_monitor", "reset all", "listen x", "unlisten *",
        "prepare p as select 1", "deallocate all", "discard all", "/* a /* nested */ comment */ begin", "create temp table x (a int)",
        "create or replace local temporary view x as select 1", "select 1 into temporary x", "declare c no scroll cursor with hold for select 1",
        "select pg_advisory_lock(1)", "select pg_catalog . pg_try_advisory_lock(1, 2)", "select currval('x')")]
    public async Task ACommandThatIsForItsSessionAloneIsRefusedWithTheWay(string sql)
    {
        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(
            () => Db.Query(PgStatement.Create(Encoding.UTF8.GetBytes(sql))).ExecuteAsync().Within(60.Seconds()));
        Assert.Contains(nameof(PgDataSource.OpenSessionAsync), error.Message, StringComparison.Ordinal);
        Assert.Equal(0, Db.Opened());
    }

    [Theory, Each(
        "select set_config('app.tenant', '42', false)", "select keep_setting('42')",
        "with s as (select set_config('app.tenant', '42', false)) select * from s",
        "do $$ begin perform set_config('app.tenant', '42', false); end $$", "call keep_setting_too('42')")]
    public async Task WhatAFunctionChangesIsUndoneBeforeTheNextCommandOfTheSameConnection(string sql)
    {
        await PrepareAsync();
        var leaving = PgStatement.Create(Encoding.UTF8.GetBytes(sql));
        for (int round = 0; round < 3; round++)
        {
            await Fixture[0].RunAsync(async () =>
            {
                Task<PgTag> left = Db.Query(leaving).ExecuteAsync().AsTask();
                Task<string> asked = Db.Query(s_setting).ScalarAsync<string>().AsTask();
                await left;
                Assert.Equal("", await asked);
            }).Within(60.Seconds());
        }

        Assert.Equal(1, Db.Opened());
        Assert.Equal(3, Db.Pools[0].Counters.Resets);
    }

    [Fact]
    public async Task AStatementThatPromisesToKeepItsSessionAndAllThatAreKnownToAreNotReset()
    {
        await PrepareAsync();
        await Db.Query(PgStatement.Create("select harmless(1)"u8, PgStatementOptions.KeepsSession)).ExecuteAsync().Within(60.Seconds());
        foreach (string sql in (string[])[
            "select upper('a'), set_config('app.tenant', '1', true)", "insert into contended (id, a) values (3, nextval('numbers')) on conflict (id) do nothing",
            "with recursive t(n) as (select 1 union all select n + 1 from t where n < 3), u(m) as (values (1)) select sum(n) over (partition by m) from t, u",
            "select x.n from generate_series(1, 3) x(n) where n in (1, 2) and not exists (select 1) and (n)::numeric(10, 2) > 0",
            "delete from contended where id = 3", "select gen_random_uuid(), random(), clock_timestamp(), pg_notify('a', 'b')"])
        {
            await Db.Query(PgStatement.Create(Encoding.UTF8.GetBytes(sql))).ExecuteAsync().Within(60.Seconds());
        }

        Assert.Equal(0, Db.Pools[0].Counters.Resets);

        // A session that gets this connection finds no value of a sequence.
        await using PgSession session = await Db.OpenSessionAsync();
        PgException error = await Assert.ThrowsAsync<PgException>(() => session.RunScriptAsync("select lastval()").AsTask());
        Assert.Equal(PgSqlState.ObjectNotInPrerequisiteState, error.SqlState);
        Assert.Equal(1, Db.Pools[0].Counters.Resets);
    }

    [Fact]
    public async Task ABatchMayUseATemporaryTableThatItMakesAndLeavesNone()
    {
        for (int round = 0; round < 3; round++)
        {
            PgBatch batch = Db.CreateBatch();
            Db.Query(PgStatement.Create("create temp table made (a int)"u8)).Execute(batch);
            Db.Query(PgStatement.Create("insert into made values (1), (2)"u8)).Execute(batch);
            PgPending<int> count = Db.Query(PgStatement.Create("select count(*)::int from made"u8)).Scalar<int>(batch);
            await batch.RunAsync().Within(60.Seconds());
            Assert.Equal(2, count.Result);
        }

        Assert.Equal(1, Db.Opened());
    }

    [Fact]
    public async Task WhoHoldsALockIsAnsweredWhileOthersWaitForIt()
    {
        const int Waiting = 4;
        string database = await PrepareAsync();
        PostgresServer server = await PostgresServer.SharedAsync();
        PgDataSource db = await TestDatabase.OpenAsync<SharedLaneTests>(Fixture, static options => options.MaxPerReactor = 8);
        PgSession session = await db.OpenSessionAsync();
        await session.RunScriptAsync("begin; update contended set a = 0 where id = 1").Within(60.Seconds());
        Task<PgTag>[] waiting = [.. Enumerable.Range(0, Waiting).Select(_ => db.Query(s_take).ExecuteAsync().AsTask())];
        await Waits.Eventually(
            () => server.RunSqlAsync($"select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = '{database}'").Result == $"{Waiting}",
            60.Seconds());
        for (int i = 0; i < 10; i++)
        {
            Assert.Equal(1, await db.Query(s_one).ScalarAsync<int>().Within(30.Seconds()));
            Assert.Equal(1, (await db.Query(s_takeOther).ExecuteAsync().Within(30.Seconds())).RowsAffected);
        }

        await session.RunScriptAsync("commit").Within(60.Seconds());
        await session.DisposeAsync();
        await Task.WhenAll(waiting).Within(60.Seconds());
        Assert.Equal(Waiting, await db.Query(s_read).ScalarAsync<int>().Within(60.Seconds()));
        Assert.InRange(db.Opened(), Waiting + 2, 8);

        // All of them can be had by sessions again.
        PgSession[] sessions = await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => db.OpenSessionAsync().AsTask())).Within(60.Seconds());
        foreach (PgSession each in sessions)
        {
            await each.DisposeAsync();
        }
    }

    [Fact]
    public async Task ACommandThatSleepsHoldsUpNoneOfTheOthers()
    {
        PgDataSource db = await TestDatabase.OpenAsync<SharedLaneTests>(Fixture, static options =>
        {
            options.MaxPerReactor = 3;
            options.SharedPerReactor = 2;
        });
        using var stop = new CancellationTokenSource();
        Task[] sleeping = [.. Enumerable.Range(0, 2).Select(_ => db.Query(PgStatement.Create("select pg_sleep(600)"u8)).ExecuteAsync(stop.Token).AsTask())];
        for (int i = 0; i < 20; i++)
        {
            Assert.Equal(1, await db.Query(s_one).ScalarAsync<int>().Within(30.Seconds()));
        }

        Assert.All(sleeping, static task => Assert.False(task.IsCompleted));
        await stop.CancelAsync();
        foreach (Task task in sleeping)
        {
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task.Within(60.Seconds()));
        }
    }

    [Fact]
    public async Task AReadThatTakesLongHoldsUpNoneThatComesThen()
    {
        await PrepareAsync();
        PgDataSource db = await TestDatabase.OpenAsync<SharedLaneTests>(Fixture, static options =>
        {
            options.MaxPerReactor = 3;
            options.SharedPerReactor = 1;
        });
        var read = PgStatement.Create("select count(*)::int from contended"u8);
        Assert.Equal(2, await db.Query(read).ScalarAsync<int>().Within(60.Seconds()));
        Assert.False(read.IsSlow);
        PgSession session = await db.OpenSessionAsync();
        await session.RunScriptAsync("begin; lock table contended in access exclusive mode").Within(60.Seconds());
        Task<int> reading = db.Query(read).ScalarAsync<int>().AsTask();
        await Waits.Eventually(() => db.Pools[0].Lanes.Shared.AreAllDelayed, 60.Seconds());
        Assert.Equal(1, await db.Query(s_one).ScalarAsync<int>().Within(30.Seconds()));
        Assert.False(reading.IsCompleted);
        await session.RunScriptAsync("commit").Within(60.Seconds());
        await session.DisposeAsync();
        Assert.Equal(2, await reading.Within(60.Seconds()));

        // It is known now, until it is fast again.
        Assert.True(read.IsSlow);
        await Waits.Eventually(() => db.Query(read).ScalarAsync<int>().AsTask().Result == 2 && !read.IsSlow, 60.Seconds());
    }

    private static async Task<string> PrepareAsync()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<SharedLaneTests>();
        await server.RunSqlAsync(
            """
            drop table if exists contended;
            create table contended (id int primary key, a int);
            insert into contended values (1, 0), (2, 0);
            create sequence if not exists numbers;
            create or replace function keep_setting(value text) returns text language sql as $$ select set_config('app.tenant', value, false) $$;
            create or replace procedure keep_setting_too(value text) language sql as $$ select set_config('app.tenant', value, false) $$;
            create or replace function harmless(value int) returns int language sql as $$ select value $$;
            """,
            database, PgUsers.Trust);
        return database;
    }
}
