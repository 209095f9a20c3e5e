using System.Data.Common;
using System.Text;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>
/// What one user leaves of a connection the next one does not find, over either face, as with Npgsql: each question about a session has
/// the same answer here and there, on the very connection that was left.
/// </summary>
public class SessionResetTests : OneConnectionTests
{
    private const string Setting = "select coalesce(current_setting('app.tenant', true), '')";

    private const string Objects = """
        create sequence if not exists counted;
        create table if not exists serialised (id serial, a int);
        create table if not exists watched (a int);
        create table if not exists ran (a int);
        create or replace function leave_setting(value text) returns text language sql as $$ select set_config('app.tenant', value, false) $$;
        create or replace function leave_on_change() returns trigger language plpgsql as
            $$ begin perform set_config('app.tenant', 'by trigger', false); return new; end $$;
        create or replace trigger leaves before insert on watched for each row execute function leave_on_change();
        """;

    private static readonly PgStatement s_one = PgStatement.Create("select 1"u8);

    public static TheoryData<string, string> Left => new()
    {
        { "select set_config('app.tenant', '42', false)", Setting },
        { "select leave_setting('42')", Setting },
        { "select pg_catalog.set_config('app.tenant', '42', 1 = 2)", Setting },
        { "do $$ begin perform set_config('app.tenant', '42', false); end $$", Setting },
        { "insert into watched values (1)", Setting },
        { "set app.tenant = '42'", Setting },
        { "set search_path to pg_catalog", "select current_setting('search_path')" },
        { "set timezone to 'Asia/Tokyo'", "select current_setting('TimeZone')" },
        { "set role pg_monitor", "select current_user::text" },
        { "select pg_advisory_lock(77)", "select count(*)::text from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()" },
        { "select pg_try_advisory_lock_shared(77)", "select count(*)::text from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()" },
        { "create temp table left_behind (a int)", "select count(*)::text from pg_class where relnamespace = pg_my_temp_schema()" },
        { "select 1 as a into temp left_behind", "select count(*)::text from pg_class where relnamespace = pg_my_temp_schema()" },
        { "create table pg_temp.left_behind (a int)", "select count(*)::text from pg_class where relnamespace = pg_my_temp_schema()" },
        { "listen left_behind", "select count(*)::text from pg_listening_channels()" },
        { "declare left_behind cursor with hold for select 1", "select count(*)::text from pg_cursors where name = 'left_behind'" },
        { "prepare left_behind as select 1", "select count(*)::text from pg_prepared_statements where from_sql" },
        { "prepare \"left behind\" (int) as select $1", "select count(*)::text from pg_prepared_statements where from_sql" },
        { "select nextval('counted')", "select lastval()::text" },
        { "insert into serialised (a) values (1)", "select lastval()::text" },
    };

    [Theory, MemberData(nameof(Left))]
    public async Task ConnectionsOfAdoNetAreAsCleanAsThoseOfNpgsql(string leaving, string question)
    {
        string database = await PrepareAsync();
        string text = Databases.ForNpgsql(await PostgresServer.SharedAsync(), database).Replace("Pooling=false", "Maximum Pool Size=1", StringComparison.Ordinal);
        await using NpgsqlDataSource theirs = NpgsqlDataSource.Create(text);
        Assert.Equal(await LeaveAndAskAsync(theirs, leaving, question), await LeaveAndAskAsync(Db.AsDbDataSource(), leaving, question));
        Assert.Equal(1, Db.Opened());
    }

    [Theory, MemberData(nameof(Left))]
    public async Task SessionsAreAsCleanAsConnectionsOfNpgsql(string leaving, string question)
    {
        string database = await PrepareAsync();
        string text = Databases.ForNpgsql(await PostgresServer.SharedAsync(), database).Replace("Pooling=false", "Maximum Pool Size=1", StringComparison.Ordinal);
        await using NpgsqlDataSource theirs = NpgsqlDataSource.Create(text);
        string expected = await LeaveAndAskAsync(theirs, leaving, question);
        foreach (bool isScript in (bool[])[true, false])
        {
            await using (PgSession session = await Db.OpenSessionAsync())
            {
                Task left = isScript ? session.RunScriptAsync(leaving).AsTask() : session.Query(StatementOf(leaving)).ExecuteAsync().AsTask();
                await left.Within(60.Seconds());
            }

            await using PgSession next = await Db.OpenSessionAsync();
            Assert.Equal(expected, await AskAsync(() => next.Query(StatementOf(question)).ScalarAsync<string?>()));
        }

        Assert.Equal(1, Db.Opened());
    }

    [Fact]
    public async Task AReturnThatProvablyChangedNothingCostsNothing()
    {
        await PrepareAsync();
        foreach (string sql in (string[])[
            "select 1", "begin; select set_config('app.tenant', '42', true); commit", "select upper('a'), now(), count(*) from watched",
            "begin; set local work_mem = '1MB'; select pg_advisory_xact_lock(1); rollback", "show work_mem", "with a(x) as (select 1), b(y) as (select 2) select * from a, b",
            "select 'set_config(' || $$pg_advisory_lock(1)$$ /* set x = 1 */ -- listen\n as \"a\" where 1 in (1, 2)"])
        {
            await using PgSession session = await Db.OpenSessionAsync();
            await session.RunScriptAsync(sql).Within(60.Seconds());
        }

        await using (DbConnection connection = await Db.AsDbDataSource().OpenConnectionAsync())
        {
            Assert.Equal("1", await AskAsync(connection, "select 1"));
        }

        Assert.Equal(0, Db.Pools[0].Counters.Resets);
    }

    [Fact]
    public async Task TheNextUserDoesNotWaitForTheReset()
    {
        await Fixture[0].RunAsync(async () =>
        {
            PgSession session = await Db.OpenSessionAsync();
            await session.RunScriptAsync("set app.tenant = '42'");
            await session.DisposeAsync();
            ValueTask<PgSession> opening = Db.OpenSessionAsync();
            Assert.True(opening.IsCompletedSuccessfully);
            await using PgSession next = await opening;
            Assert.Equal("", await next.Query(StatementOf(Setting)).ScalarAsync<string>());
        }).Within(60.Seconds());
        Assert.Equal(1, Db.Pools[0].Counters.Resets);
    }

    [Fact]
    public async Task WithoutResetsTheNextUserFindsWhatWasLeft()
    {
        await PrepareAsync();
        PgDataSource db = await Databases.OpenAsync<SessionResetTests>(Fixture, "No Reset On Close=true;max_per_reactor=1;shared_per_reactor=1");
        Assert.Equal("42", await LeaveAndAskAsync(db.AsDbDataSource(), "select set_config('app.tenant', '42', false)", Setting));
        Assert.Equal(0, db.Pools[0].Counters.Resets);
    }

    [Fact]
    public async Task ATransactionThatHasFailedIsOverForTheNextUser()
    {
        await using (PgSession session = await Db.OpenSessionAsync())
        {
            await Assert.ThrowsAsync<PgException>(() => session.RunScriptAsync("begin; select 1 / 0").AsTask());
            Assert.True(session.IsInTransaction);
        }

        await using (PgSession next = await Db.OpenSessionAsync().Within(60.Seconds()))
        {
            Assert.False(next.IsInTransaction);
            Assert.Equal(1, await next.Query(s_one).ScalarAsync<int>().Within(60.Seconds()));
            await using PgTransaction transaction = await next.BeginAsync();
            await transaction.CommitAsync();
        }

        Assert.Equal(1, await Db.Query(s_one).ScalarAsync<int>().Within(60.Seconds()));
        Assert.Equal(1, Db.Opened());
    }

    [Fact]
    public async Task ACommandBehindAResetThatFailsDoesNotRun()
    {
        string database = await PrepareAsync();
        PostgresServer server = await PostgresServer.SharedAsync();
        PgSession session = await Db.OpenSessionAsync();
        await session.RunScriptAsync("create temp table held (a int)").Within(60.Seconds());
        string schema = (await session.RunScriptAsync("select pg_my_temp_schema()::regnamespace::text")).Rows[0][0]!;
        await using NpgsqlConnection holder = new(Databases.ForNpgsql(server, database).Replace(PgUsers.Trust, PgUsers.Super, StringComparison.Ordinal)
            .Replace($"Host={server.EndPoint.Address}", $"Host={server.SocketFolder}", StringComparison.Ordinal));
        await holder.OpenAsync();
        await using NpgsqlTransaction hold = await holder.BeginTransactionAsync();
        await using (var locking = new NpgsqlCommand($"lock table {schema}.held in access share mode", holder))
        {
            await locking.ExecuteNonQueryAsync();
        }

        await session.DisposeAsync();
        PgSession next = await Db.OpenSessionAsync().Within(60.Seconds());
        Task<PgScriptResult> behind = next.RunScriptAsync("insert into ran values (1)").AsTask();
        await Waits.Eventually(() => server.RunSqlAsync($"select wait_event_type from pg_stat_activity where pid = {next.ProcessId}").Result == "Lock", 60.Seconds());
        await server.RunSqlAsync($"select pg_cancel_backend({next.ProcessId})");
        PgConnectionException error = await Assert.ThrowsAsync<PgConnectionException>(() => behind.Within(60.Seconds()));
        Assert.Contains("could not be reset", error.Message, StringComparison.Ordinal);
        await hold.RollbackAsync();
        await next.DisposeAsync();
        Assert.Equal("0", await server.RunSqlAsync("select count(*) from ran", database, PgUsers.Trust));
        Assert.Equal(1, await Db.Query(s_one).ScalarAsync<int>().Within(60.Seconds()));
    }

    [Theory]
    [InlineData("discard all", false)]
    [InlineData("discard all", true)]
    [InlineData("deallocate all", false)]
    [InlineData("deallocate all", true)]
    [InlineData("deallocate prepare all", true)]
    public async Task APipelineBehindACommandThatForgetsStatementsRuns(string forgetting, bool isScript)
    {
        await using PgSession session = await Db.OpenSessionAsync();
        PgStatement<int>[] statements = [.. Enumerable.Range(0, 4).Select(i => PgStatement.Create<int>(Encoding.UTF8.GetBytes($"select $1 + {i}")))];
        foreach (PgStatement<int> statement in statements)
        {
            await session.Query(statement, 1).ScalarAsync<int>().Within(60.Seconds());
        }

        PgStatement forget = StatementOf(forgetting);
        for (int round = 0; round < 3; round++)
        {
            await Fixture[0].RunAsync(async () =>
            {
                Task forgotten = isScript ? session.RunScriptAsync(forgetting).AsTask() : session.Query(forget).ExecuteAsync().AsTask();
                Task<int>[] answers = [.. statements.Concat(statements).Select(statement => session.Query(statement, 10).ScalarAsync<int>().AsTask())];
                await forgotten;
                int[] got = await Task.WhenAll(answers);
                Assert.Equal([10, 11, 12, 13, 10, 11, 12, 13], got);
            }).Within(60.Seconds());
        }

        Assert.Equal(1, Db.Opened());
    }

    private static PgStatement StatementOf(string sql) => PgStatement.Create(Encoding.UTF8.GetBytes(sql));

    private static async Task<string> PrepareAsync()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<SessionResetTests>();
        await server.RunSqlAsync($"grant pg_monitor to {PgUsers.Trust}");
        await server.RunSqlAsync(Objects, database, PgUsers.Trust);
        return database;
    }

    /// <summary>Runs a command on a connection that is closed then, and a question on the next one, which is the same on the server.</summary>
    private static async Task<string> LeaveAndAskAsync(DbDataSource source, string leaving, string question)
    {
        string before;
        await using (DbConnection connection = await source.OpenConnectionAsync())
        {
            before = await AskAsync(connection, "select pg_backend_pid()::text");
            await connection.NonQueryAsync(leaving);
        }

        await using DbConnection next = await source.OpenConnectionAsync();
        Assert.Equal(before, await AskAsync(next, "select pg_backend_pid()::text"));
        return await AskAsync(next, question);
    }

    private static async Task<string> AskAsync(DbConnection connection, string question)
    {
        return await AskAsync(async () => Convert.ToString(await connection.ScalarAsync(question), null));
    }

    private static async Task<string> AskAsync(Func<ValueTask<string?>> ask)
    {
        try
        {
            return await ask().AsTask().Within(60.Seconds()) ?? "NULL";
        }
        catch (DbException error)
        {
            return error.SqlState ?? error.Message;
        }
    }
}
