using System.Data.Common;
using Ioxide.Pg.Data;
using static Ioxide.Pg.Tests.BackendMessages;

namespace Ioxide.Pg.Tests;

/// <summary>The first use of a text: one round trip where a text that differs in its values alone was used before.</summary>
public class FirstUseTests : OneConnectionTests
{
    public static TheoryData<string, string, bool> Texts => new()
    {
        { "select a from t where b = 1", "select a from t where b = 2000000", true },
        { "select a from t where b = 'x'", "select a from t where b = 'y''; drop table t'", true },
        { "select a from t where b = 1 -- first", "/* second */ select a from t where b = 1", true },
        { "select a from t where b in ($$x$$, 1.5)", "select a from t where b in ($tag$it's$tag$, 2.5)", true },
        { "insert into t values (1, E'x\\'') returning a", "insert into t values (2, E'y') returning a", true },
        { "select count(*) from t where b = 1", "select count(*) from t where b = 2", true },
        { "select a from t where b = 1", "select a from u where b = 1", false },
        { "select a from t where b = 1", "select \"a\" from t where b = 1", false },
        { "select a from t where b = 1", "select a from t where b = '1'", false },
        { "select a from t where b = 'x'", "select a from t where b = E'x'", false },
        { "select a from t where b = 1", "select a::text from t where b = 1", false },
        { "select * from t where b = 1", "select * from t where b = 2", false },
        { "select 1, t.* from t where b = 1", "select 1, t.* from t where b = 2", false },
        { "delete from t where b = 1 returning *", "delete from t where b = 2 returning *", false },
        { "fetch 1 from c", "fetch 2 from c", false },
        { "show a", "show b", false },
    };

    [Theory, MemberData(nameof(Texts))]
    public async Task ATextThatDiffersInItsValuesAloneTakesOneRoundTrip(string first, string second, bool isOne)
    {
        byte[] described = [.. ParseComplete(), .. ParameterDescription(), .. RowDescription(("a", Int4, 0))];
        byte[] rows = [.. BindComplete(), .. Int4Row(7), .. CommandComplete("SELECT 1"), .. ReadyForQuery()];
        Script script = Script.Welcome().Expect("PDH").Send(described).Expect("BES").Send(rows);
        await using FakeServer server = FakeServer.Start(
            isOne ? script.Expect("PDBES").Send(described, rows) : script.Expect("PDH").Send(described).Expect("BES").Send(rows));
        await using DbConnection connection = await OpenAsync(Fixture, server.Port);
        foreach (string sql in (string[])[first, second])
        {
            Assert.Equal(7, await ScalarAsync(connection, sql));
        }

        Assert.Null(server.Sessions[0].Failure);
    }

    [Fact]
    public async Task OfManyTextsNoneIsReadAsAnother()
    {
        await using DbConnection connection = await Db.AsDbDataSource().OpenConnectionAsync();
        for (int value = 0; value < 50; value++)
        {
            // Long and numeric above what an int holds: the same text but for its values has another type then.
            object? number = await ScalarAsync(connection, $"select {1_000_000_000L * value}");
            Assert.Equal(1_000_000_000L * value, Convert.ToInt64(number, null));
            Assert.IsType(value < 3 ? typeof(int) : typeof(long), number);
            Assert.Equal($"it's {value}", await ScalarAsync(connection, $"select 'it''s {value}'"));
            Assert.Equal(value + 0.5m, await ScalarAsync(connection, $"select {value}.5"));
            Assert.Equal(new DateTime(2024, 1, 1).AddDays(value), await ScalarAsync(connection, $"select timestamp '2024-01-01' + {value} * interval '1 day'"));
            Assert.Equal(new[] { value, 1 }, await ScalarAsync(connection, $"select array[{value}, 1]"));
            Assert.Equal(new object[] { value, "x" }, await ScalarAsync(connection, $"select row({value}, 'x'::text)"));
        }
    }

    [Fact]
    public async Task ATextIsForgottenWhenItsLikesAreMany()
    {
        await using DbConnection connection = await Db.AsDbDataSource().OpenConnectionAsync();
        for (int value = 0; value < 2 * ColumnsCache.MaxTemplates + 10; value++)
        {
            Assert.Equal(value, await ScalarAsync(connection, $"select {value} as c{value}"));
        }
    }

    [Theory, AllValues]
    public async Task AColumnThatHasChangedItsTypeIsReadOrRefusedOnce(bool isInTransaction)
    {
        await using DbConnection connection = await Db.AsDbDataSource().OpenConnectionAsync();
        string table = $"changing_{isInTransaction}";
        await ChangeAsync($"create table {table} (a int, b text); insert into {table} values (1, '7')");
        Assert.Equal("7", await ScalarAsync(connection, $"select b from {table} where a = 1"));
        await ChangeAsync($"alter table {table} alter b type int using b::int");
        await using DbTransaction? transaction = isInTransaction ? await connection.BeginTransactionAsync() : null;
        Assert.Equal(7, await ScalarAsync(connection, $"select b from {table} where a = 1 and 2 = 2"));
        Assert.Equal(7, await ScalarAsync(connection, $"select b from {table} where a = 1 and 3 = 3"));
        if (transaction is not null)
        {
            await transaction.CommitAsync();
        }

        // Nothing here reads the binary form that was asked for. The command has run, so it is not repeated.
        await ChangeAsync($"alter table {table} alter b type tsvector using 'cat'");
        await Assert.ThrowsAsync<PgTypeException>(() => ScalarAsync(connection, $"select b from {table} where a = 1 and 4 = 4"));
        Assert.Equal("'cat'", (await ScalarAsync(connection, $"select b from {table} where a = 1 and 5 = 5"))?.ToString());
    }

    private static async Task ChangeAsync(string sql)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        await server.RunSqlAsync(sql, await server.DatabaseAsync<FirstUseTests>(), PgUsers.Trust);
    }

    private static async Task<DbConnection> OpenAsync(PgFixture fixture, int port)
        => await TestDatabase.Open(fixture, port, static options =>
        {
            TestDatabase.OneConnection(options);
            options.LoadTypes = false;
        }).AsDbDataSource().OpenConnectionAsync();

    private static async Task<object?> ScalarAsync(DbConnection connection, string sql)
    {
        return await connection.ScalarAsync(sql).Within(30.Seconds());
    }
}
