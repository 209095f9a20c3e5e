using System.Buffers;
using System.Data.Common;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>
/// Tables that change while statements on them are in use: whichever connection runs a statement next, and whichever face asks, a value is
/// read in the form in which it was sent.
/// </summary>
public class SchemaChangeTests : OneConnectionTests
{
    private const string Types = """
        create extension if not exists ltree;
        create extension if not exists citext;
        do $$ begin create type pair as (a int, b text); exception when duplicate_object then null; end $$;
        do $$ begin create type mood as enum ('sad', 'glad'); exception when duplicate_object then null; end $$;
        """;

    public static TheoryData<string, string> Values => new()
    {
        { "tsvector", "'a fat cat'" },
        { "tsquery", "'fat & cat'" },
        { "ltree", "'top.science'" },
        { "pair", "'(7,\"seven, or so\")'" },
        { "pair[]", "array['(1,a)'::pair, '(2,b)']" },
        { "pg_lsn", "'16/B374D848'" },
        { "citext", "'MiXed'" },
        { "citext[]", "array['A'::citext, 'b']" },
        { "mood", "'glad'" },
        { "mood[]", "array['sad'::mood, 'glad']" },
        { "aclitem", "'=r/postgres'" },
        { "xml", "'<a/>'" },
        { "timestamptz", "'2024-02-29 12:00+00'" },
        { "bytea", "'\\x00ff'" },
        { "numeric", "12.50" },
        { "hstore", "'a=>1, b=>NULL'" },
    };

    [Theory, MemberData(nameof(Values))]
    public async Task AnAddedColumnIsReadByAConnectionThatUsesTheStatementForTheFirstTime(string type, string value)
        => await ChangeAsync(type, value, "a int", "alter table {0} add attrs {1} not null default {2}::{1}", column: 1);

    [Theory, MemberData(nameof(Values))]
    public async Task AColumnInThePlaceOfADroppedOneIsReadAsWhatItIs(string type, string value)
        => await ChangeAsync(
            type, value, "attrs int, a int", "alter table {0} drop attrs; alter table {0} add attrs {1} not null default {2}::{1}", column: 1);

    [Theory, MemberData(nameof(Values))]
    public async Task AColumnThatBecomesAnIntegerIsReadAsOne(string type, string value)
    {
        _ = value;
        await ChangeAsync("int", "7", $"attrs {type}, a int", "alter table {0} drop attrs; alter table {0} add attrs {1} not null default {2}", column: 1);
    }

    [Theory, Each("select * from {0}", "insert into {0} (a) values (2) returning *", "update {0} set a = a returning *")]
    public async Task AnUnnamedStatementReadsWhatItAskedForOrSaysThatItCannot(string sql)
    {
        PgDataSource db = await TestDatabase.OpenAsync<SchemaChangeTests>(Fixture, static options => options.Pooler = PgPooler.Transaction);
        string table = $"unnamed_{sql.Length}";
        string database = await PrepareAsync($"{Types} drop table if exists {table}; create table {table} (a int, b int default 1); insert into {table} values (1, 1)");
        var statement = PgStatement.Create(Encoding.UTF8.GetBytes(string.Format(null, sql, table)));
        Assert.Equal("1", (await ReadAsync(db, statement, 1))[0]);

        // Another number of columns: the server compares it, and nothing was run.
        await RunAsync(database, $"alter table {table} add c pg_lsn not null default '0/1'");
        Assert.Equal("0/1", (await ReadAsync(db, statement, 2))[0]);

        // As many as before: the command runs, and its rows come in a form that nothing here reads.
        await RunAsync(database, $"alter table {table} drop b; alter table {table} drop c; alter table {table} add d int default 5; alter table {table} add e int default 6");
        Assert.All(await ReadAsync(db, statement, 2), static value => Assert.Equal("6", value));
        await RunAsync(database, $"alter table {table} drop e; alter table {table} add e tsvector not null default 'cat'");
        PgTypeException error = await Assert.ThrowsAsync<PgTypeException>(() => ReadAsync(db, statement, 2));
        Assert.Contains("Column e", error.Message, StringComparison.Ordinal);
        Assert.All(await ReadAsync(db, statement, 2), static value => Assert.Equal("'cat'", value));
    }

    [Fact]
    public async Task ABatchReadsTheTableThatItMakes()
    {
        await using PgSession session = await Db.OpenSessionAsync();
        PgBatch batch = session.CreateBatch();
        for (int round = 0; round < 3; round++)
        {
            session.Query(PgStatement.Create(Encoding.UTF8.GetBytes($"create temp table made_{round}(a int, b pg_lsn)"))).Execute(batch);
            session.Query(PgStatement.Create(Encoding.UTF8.GetBytes($"insert into made_{round} values (1, '0/2')"))).Execute(batch);
            PgPending<string?> read = session.Query(PgStatement.Create(Encoding.UTF8.GetBytes($"select b from made_{round}"))).Scalar<string?>(batch);
            await batch.RunAsync().AsTask().Within(60.Seconds());
            Assert.Equal("0/2", read.Result);
            batch.Clear();
        }
    }

    [Fact]
    public async Task ABatchReturnsToASavepointAndReads()
    {
        await using PgSession session = await Db.OpenSessionAsync();
        await session.RunScriptAsync("begin; savepoint before_it");
        await Assert.ThrowsAsync<PgException>(() => session.RunScriptAsync("select 1 / 0").AsTask());
        PgBatch batch = session.CreateBatch();
        session.Query(PgStatement.Create("rollback to savepoint before_it"u8)).Execute(batch);
        PgPending<int> read = session.Query(PgStatement.Create("select 5"u8)).Scalar<int>(batch);
        await batch.RunAsync().AsTask().Within(60.Seconds());
        Assert.Equal(5, read.Result);
        await session.RunScriptAsync("rollback");
    }

    [Fact]
    public async Task AStatementOfAFailedTransactionIsThereAfterIt()
    {
        await using PgSession session = await Db.OpenSessionAsync();
        var statement = PgStatement.Create("select 5"u8);
        await session.RunScriptAsync("begin");
        await Assert.ThrowsAsync<PgException>(() => session.RunScriptAsync("select 1 / 0").AsTask());
        for (int round = 0; round < 2; round++)
        {
            PgException error = await Assert.ThrowsAsync<PgException>(() => session.Query(statement).ScalarAsync<int>().Within(60.Seconds()));
            Assert.Equal(PgSqlState.InFailedSqlTransaction, error.SqlState);
        }

        await session.RunScriptAsync("rollback");
        Assert.Equal(5, await session.Query(statement).ScalarAsync<int>().Within(60.Seconds()));
    }

    /// <summary>Some connections use a statement, the table changes, and all of them use it.</summary>
    private static async Task ChangeAsync(string type, string value, string columns, string change, int column)
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        PgDataSource db = await TestDatabase.OpenAsync<SchemaChangeTests>(fixture, static options =>
        {
            options.MaxPerReactor = 6;

            // What no codec knows is then its text, on the facade too.
            options.LoadTypes = false;
        });
        PostgresServer server = await PostgresServer.SharedAsync();
        Assert.SkipWhen((type + columns).Contains("hstore", StringComparison.Ordinal) && !server.HasHstore, "The server has no hstore.");
        string table = $"t_{Guid.NewGuid():N}";
        string database = await PrepareAsync($"{Types} create table {table} ({columns}); insert into {table} (a) values (1)");
        var statement = PgStatement.Create(Encoding.UTF8.GetBytes($"select * from {table} order by a"));
        PgSession[] sessions = [await db.OpenSessionAsync(), await db.OpenSessionAsync(), await db.OpenSessionAsync()];
        await using DbConnection used = await db.AsDbDataSource().OpenConnectionAsync();
        await using DbConnection unused = await db.AsDbDataSource().OpenConnectionAsync();
        await sessions[0].Query(statement).ListAsync(static row => row.Count);
        await CountAsync(used);

        await RunAsync(database, string.Format(null, change, table, type, value));
        string expected = await server.RunSqlAsync($"select attrs::text from {table}", database, PgUsers.Trust);
        foreach (PgSession session in (PgSession[])[sessions[1], sessions[0], sessions[2], sessions[1]])
        {
            Assert.Equal(type == "int" ? 7 : null, await session.Query(statement).FirstAsync(
                row => row.GetTypeId(column) == PgTypeId.Int4 ? row.GetInt32(column) : (int?)null).Within(60.Seconds()));
            Assert.Equal(expected, await session.Query(statement).FirstAsync(row => TextOf(row, column)).Within(60.Seconds()));
        }

        foreach (DbConnection connection in (DbConnection[])[unused, used, unused])
        {
            await using DbDataReader reader = await connection.FirstRowAsync($"select * from {table} order by a");
            Assert.Equal(type.Contains("timestamp", StringComparison.Ordinal) ? new DateTime(2024, 2, 29, 12, 0, 0, DateTimeKind.Utc)
                : type == "bytea" ? (byte[])[0, 255]
                : type == "numeric" ? 12.50m
                : type == "int" ? 7
                : expected, reader.GetValue(column));
        }

        foreach (PgSession session in sessions)
        {
            await session.DisposeAsync();
        }

        async Task CountAsync(DbConnection connection)
        {
            await using DbCommand command = connection.Command($"select * from {table} order by a");
            await using DbDataReader reader = await command.ExecuteReaderAsync();
            Assert.True(await reader.ReadAsync());
        }
    }

    private static string TextOf(PgRow row, int column)
    {
        var writer = new ArrayBufferWriter<byte>();
        row.WriteText(column, writer);
        return Encoding.UTF8.GetString(writer.WrittenSpan);
    }

    private static async Task<List<string>> ReadAsync(PgDataSource db, PgStatement statement, int column)
        => await db.Query(statement).ListAsync(row => TextOf(row, column)).Within(60.Seconds());

    private static async Task<string> PrepareAsync(string sql)
    {
        string database = await (await PostgresServer.SharedAsync()).DatabaseAsync<SchemaChangeTests>();

        // One after the other: the types of all tests are made by the first that comes.
        await RunAsync(database, "select pg_advisory_lock(77);" + sql);
        return database;
    }

    private static async Task RunAsync(string database, string sql)
        => await (await PostgresServer.SharedAsync()).RunSqlAsync(sql, database, PgUsers.Trust);
}
