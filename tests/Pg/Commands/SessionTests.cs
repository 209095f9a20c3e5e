namespace Ioxide.Pg.Tests;

/// <summary>Connections for one user: their order, their end, and what the next user finds.</summary>
public class SessionTests : OneConnectionTests
{
    private static readonly PgStatement s_tempCount = PgStatement.Create("select count(*)::int from pg_class where relpersistence = 't'"u8);
    private static readonly PgStatement s_workMem = PgStatement.Create("select current_setting('work_mem')"u8);
    private static readonly PgStatement s_channels = PgStatement.Create("select count(*)::int from pg_listening_channels()"u8);
    private static readonly PgStatement s_locks = PgStatement.Create(
        "select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()"u8);
    private static readonly PgStatement<double> s_sleep = PgStatement.Create<double>("select pg_sleep($1)::text"u8);

    [Fact]
    public async Task SettingsThatWereReadStayAsTheyWere()
    {
        await using PgSession session = await Db.OpenSessionAsync();
        IReadOnlyDictionary<string, string> before = session.ServerParameters;
        KeyValuePair<string, string>[] pairs = [.. before];
        await session.RunScriptAsync("set timezone = 'Asia/Tokyo'; set application_name = 'renamed'").Within(20.Seconds());
        Assert.Equal(("Asia/Tokyo", "renamed"), (session.ServerParameters["TimeZone"], session.ServerParameters["application_name"]));
        Assert.Equal(pairs.ToDictionary(), before.ToDictionary());
    }

    [Fact]
    public async Task AHandlerOfNoticesThatThrowsHarmsNothing()
    {
        using var log = new EventLog();
        PgDataSource db = await TestDatabase.OpenAsync<SessionTests>(Fixture, TestDatabase.OneConnection, log);
        db.Notice += static _ => throw new InvalidTimeZoneException("Of the test.");
        await using PgSession session = await db.OpenSessionAsync();
        PgScriptResult result = await session.RunScriptAsync("do $$ begin raise notice 'one'; end $$; select 42").Within(20.Seconds());
        Assert.Equal("42", result.Rows[0][0]);
        Assert.Equal(1, log.Count("HandlerThrew"));
        Assert.Equal(1, db.Opened());
    }

    [Fact]
    public async Task ANewStatementRunsBeforeWhatWasStartedAfterIt()
    {
        await using PgSession session = await Db.OpenSessionAsync();
        await session.RunScriptAsync("create temp table ordered(a int)");
        var count = PgStatement.Create("select count(*)::int from ordered"u8);
        Assert.Equal(0, await session.Query(count).ScalarAsync<int>());
        for (int i = 1; i <= 5; i++)
        {
            var insert = PgStatement.Create<int>("insert into ordered values ($1) returning a"u8);
            Task<int> inserted = session.Query(insert, i).ScalarAsync<int>().AsTask();
            Task<int> counted = session.Query(count).ScalarAsync<int>().AsTask();
            Assert.Equal(i, await counted.Within(20.Seconds()));
            Assert.Equal(i, await inserted.Within(20.Seconds()));
        }
    }

    [Fact]
    public async Task ACommitRunsAfterTheCommandsThatWereStartedBeforeIt()
    {
        await using PgSession session = await Db.OpenSessionAsync();
        await session.RunScriptAsync("create temp table committed(a int)");
        await using PgTransaction transaction = await session.BeginAsync();
        var fail = PgStatement.Create<int>("select 1 / $1"u8);
        Task<int> failing = session.Query(fail, 0).ScalarAsync<int>().AsTask();
        await Assert.ThrowsAsync<InvalidOperationException>(() => transaction.CommitAsync().Within(20.Seconds()));
        await Assert.ThrowsAsync<PgException>(() => failing.Within(20.Seconds()));
    }

    [Fact]
    public async Task WhatASessionChangedIsUndoneForTheNext()
    {
        int processId;
        string? before;
        await using (PgSession session = await Db.OpenSessionAsync())
        {
            processId = session.ProcessId;
            before = await session.Query(s_workMem).ScalarAsync<string>();
            await session.RunScriptAsync("set work_mem = '77MB'; create temp table mine(a int); listen mine; select pg_advisory_lock(7)");
            Assert.Equal("77MB", await session.Query(s_workMem).ScalarAsync<string>());
        }

        await using PgSession next = await Db.OpenSessionAsync().Within(20.Seconds());
        Assert.Equal(processId, next.ProcessId);
        Assert.Equal(before, await next.Query(s_workMem).ScalarAsync<string>());
        Assert.Equal(0, await next.Query(s_tempCount).ScalarAsync<int>());
        Assert.Equal(0, await next.Query(s_channels).ScalarAsync<int>());
        Assert.Equal(0, await next.Query(s_locks).ScalarAsync<int>());
    }

    [Fact]
    public async Task WhatAFunctionChangedIsUndoneWhereTheSessionWasMarked()
    {
        await using (PgSession session = await Db.OpenSessionAsync())
        {
            await session.RunScriptAsync("select pg_advisory_lock(8)");
            Assert.Equal(1, await session.Query(s_locks).ScalarAsync<int>());
            session.MarkDirty();
        }

        await using PgSession next = await Db.OpenSessionAsync().Within(20.Seconds());
        Assert.Equal(0, await next.Query(s_locks).ScalarAsync<int>());
    }

    [Fact]
    public async Task PreparedStatementsOutliveASession()
    {
        await using (PgSession session = await Db.OpenSessionAsync())
        {
            await session.RunScriptAsync("set work_mem = '77MB'");
            await session.Query(s_workMem).ScalarAsync<string>();
        }

        var prepared = PgStatement.Create("select count(*)::int from pg_prepared_statements where statement like '%work_mem%'"u8);
        await using PgSession next = await Db.OpenSessionAsync().Within(20.Seconds());
        Assert.Equal(2, await next.Query(prepared).ScalarAsync<int>());
    }

    [Fact]
    public async Task CancellingASessionFailsWhatItRuns()
    {
        await using PgSession session = await Db.OpenSessionAsync();
        await session.Query(s_sleep, 0).ExecuteAsync();
        Task sleeping = session.Query(s_sleep, 60).ExecuteAsync().AsTask();
        await session.CancelAsync().Within(20.Seconds());
        PgException error = await Assert.ThrowsAsync<PgException>(() => sleeping.Within(20.Seconds()));
        Assert.Equal(PgSqlState.QueryCanceled, error.SqlState);
        await session.Query(s_sleep, 0).ExecuteAsync().Within(20.Seconds());
        await session.CancelAsync().Within(20.Seconds());
    }

    [Fact]
    public async Task ADisposedSessionRefusesCommands()
    {
        await using PgFixture fixture = new();
        PgDataSource db = await Databases.OpenAsync<SessionTests>(fixture);
        PgSession session = await db.OpenSessionAsync();
        await session.DisposeAsync();
        await session.DisposeAsync();
        Assert.False(session.IsOpen);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => session.Query(s_workMem).ScalarAsync<string>().Within(20.Seconds()));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => session.RunScriptAsync("select 1").Within(20.Seconds()));
    }

    [Fact]
    public async Task ASessionThatIsDisposedWithCommandsInFlightLetsThemEnd()
    {
        PgSession session = await Db.OpenSessionAsync();
        await session.Query(s_sleep, 0).ExecuteAsync();
        Task sleeping = session.Query(s_sleep, 0.3).ExecuteAsync().AsTask();
        Task<string> after = session.Query(s_workMem).ScalarAsync<string>().AsTask();
        await Fixture[0].RunAsync(static () => { });
        await session.DisposeAsync();
        await sleeping.Within(20.Seconds());
        Assert.NotNull(await after.Within(20.Seconds()));
        await using PgSession next = await Db.OpenSessionAsync().Within(20.Seconds());
        Assert.Equal(session.ProcessId, next.ProcessId);
    }

    [Fact]
    public async Task ATransactionCannotBeOpenedOnASharedConnection()
    {
        await using PgFixture fixture = new();
        PgDataSource db = await Databases.OpenAsync<SessionTests>(fixture);
        foreach (string sql in (string[])["begin", "  START transaction", "BEGIN;"])
        {
            var error = await Assert.ThrowsAsync<InvalidOperationException>(
                () => db.Query(db.Statement(sql), default(PgParameterList)).ExecuteAsync().Within(20.Seconds()));
            Assert.Contains(nameof(PgDataSource.OpenSessionAsync), error.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task AHiddenTransactionBreaksItsConnectionAloneAndIsToldToItsCaller()
    {
        PgDataSource db = await TestDatabase.OpenAsync<SessionTests>(
            Fixture,
            static options =>
            {
                options.SharedPerReactor = 1;
                options.MaxPerReactor = 2;
            });
        await using PgSession session = await db.OpenSessionAsync();
        PgBatch hidden = db.CreateBatch();
        db.Query(PgStatement.Create("begin"u8)).Execute(hidden);
        await Assert.ThrowsAsync<PgConnectionException>(() => hidden.RunAsync().Within(20.Seconds()));
        Assert.NotNull(await session.Query(s_workMem).ScalarAsync<string>().Within(20.Seconds()));
        Assert.NotNull(await db.Query(s_workMem).ScalarAsync<string>().Within(20.Seconds()));
        Assert.Equal(3, db.Opened());
    }

    [Fact]
    public async Task ACopyFromStdinOnASharedConnectionMisleadsNobody()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        await server.RunSqlAsync(
            "drop table if exists copied; create table copied(a int)", await server.DatabaseAsync<SessionTests>(), PgUsers.Trust);
        var copy = PgStatement.Create("copy copied from stdin"u8);
        var insert = PgStatement.Create("insert into copied values (1)"u8);
        Assert.NotNull(await Db.Query(copy).ExecuteAsync().AsTask().ErrorWithin(20.Seconds()));
        await Db.Query(insert).ExecuteAsync().Within(20.Seconds());
        Task copying = Db.Query(copy).ExecuteAsync().AsTask();
        Task<PgTag> inserting = Db.Query(insert).ExecuteAsync().AsTask();
        Assert.NotNull(await copying.ErrorWithin(20.Seconds()));
        int expected = 1;
        try
        {
            Assert.Equal(1, (await inserting.Within(20.Seconds())).RowsAffected);
            expected = 2;
        }
        catch (PgConnectionException)
        {
            // It may be lost with the connection, but not said to have run.
        }

        Assert.Equal($"{expected}", await server.RunSqlAsync("select count(*) from copied", await server.DatabaseAsync<SessionTests>()));
    }
}
