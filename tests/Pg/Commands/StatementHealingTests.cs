using System.Buffers;
using System.Globalization;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>Prepared statements: what makes them unusable behind the driver's back is mended unseen.</summary>
public class StatementHealingTests : OneConnectionTests
{
    private static readonly PgStatement s_prepared = PgStatement.Create("select count(*)::int from pg_prepared_statements"u8);

    [Fact]
    public async Task AChangedTableIsReadWithItsNewColumns()
    {
        await MakeTableAsync("changed");
        var statement = PgStatement.Create("select * from changed"u8);
        await CheckAsync(1);
        await ChangeAsync("alter table changed add b text default 'new'");
        await CheckAsync(2);
        await ChangeAsync("alter table changed alter a type text");
        Assert.Equal("1", await Db.Query(statement).ScalarAsync<string>());
        await ChangeAsync("alter table changed drop b, alter a type int using a::int");
        await CheckAsync(1);

        async Task CheckAsync(int columns)
        {
            Assert.Equal(1, await Db.Query(statement).ScalarAsync<int>().Within(20.Seconds()));
            Assert.Equal([columns], await Db.Query(statement).ListAsync(static row => row.Count).Within(20.Seconds()));
        }
    }

    [Theory, Each("for each", "json", "json to a pipe", "rows", "rows by portal")]
    public async Task AChangedTableIsReadAlsoWhereRowsCannotBeTakenBack(string way)
    {
        await MakeTableAsync("streamed");
        var statement = PgStatement.Create("select * from streamed"u8);
        Assert.Equal(1, await ReadAsync().Within(20.Seconds()));
        await ChangeAsync("alter table streamed add b text default 'new'");
        Assert.Equal(2, await ReadAsync().Within(20.Seconds()));
        Assert.Equal(1, Db.Opened());

        async Task<int> ReadAsync()
        {
            switch (way)
            {
                case "for each":
                    int[] columns = [0];
                    await Db.Query(statement).ForEachAsync(static (row, columns) => columns[0] = row.Count, columns);
                    return columns[0];
                case "json":
                    var writer = new ArrayBufferWriter<byte>();
                    await Db.Query(statement).WriteJsonAsync(writer);
                    return writer.WrittenSpan.Count((byte)':');
                case "json to a pipe":
                    var pipe = new System.IO.Pipelines.Pipe();
                    await Db.Query(statement).StreamJsonAsync(pipe.Writer);
                    return (int)(await pipe.Reader.ReadAsync()).Buffer.ToArray().Count(static value => value == ':');
                default:
                    await using (PgRows rows = await Db.Query(statement).RowsAsync(way == "rows" ? 0 : 10))
                    {
                        int count = 0;
                        while (await rows.NextBatchAsync())
                        {
                            foreach (PgRow row in rows.Batch)
                            {
                                count = row.Count;
                            }
                        }

                        return count;
                    }
            }
        }
    }

    [Theory, Each("do $$ begin execute 'deallocate all'; end $$", "deallocate all")]
    public async Task StatementsThatTheServerForgotAreParsedAgain(string sql)
    {
        var double2 = PgStatement.Create<int>("select $1 * 2"u8);
        var triple = PgStatement.Create<int>("select $1 * 3"u8);
        for (int round = 0; round < 5; round++)
        {
            if (round == 0 || sql.StartsWith("deallocate", StringComparison.Ordinal))
            {
                await using PgSession session = await Db.OpenSessionAsync().Within(20.Seconds());
                await session.RunScriptAsync(sql).Within(20.Seconds());
            }
            else
            {
                await Db.Query(Db.Statement(sql), default(PgParameterList)).ExecuteAsync().Within(20.Seconds());
            }

            Task<int>[] doubled = [.. Enumerable.Range(0, 20).Select(i => Db.Query(double2, i).ScalarAsync<int>().AsTask())];
            Task<int>[] tripled = [.. Enumerable.Range(0, 20).Select(i => Db.Query(triple, i).ScalarAsync<int>().AsTask())];
            Assert.Equal(Enumerable.Range(0, 20).Select(static i => i * 2), await Task.WhenAll(doubled).Within(20.Seconds()));
            Assert.Equal(Enumerable.Range(0, 20).Select(static i => i * 3), await Task.WhenAll(tripled).Within(20.Seconds()));
        }

        Assert.Equal(1, Db.Opened());
    }

    [Fact]
    public async Task DiscardAllInASessionIsHealed()
    {
        await using PgSession session = await Db.OpenSessionAsync();
        var statement = PgStatement.Create<int>("select $1 * 2"u8);
        Assert.Equal(2, await session.Query(statement, 1).ScalarAsync<int>());
        await session.RunScriptAsync("discard all");
        Assert.Equal(4, await session.Query(statement, 2).ScalarAsync<int>().Within(20.Seconds()));
    }

    [Fact]
    public async Task AConnectionKeepsNoMoreStatementsThanItMay()
    {
        PgDataSource db = await TestDatabase.OpenAsync<StatementHealingTests>(Fixture, TestDatabase.OneConnectionWith(static options => options.MaxPreparedPerConnection = 10));
        PgStatement<int>[] statements =
            [.. Enumerable.Range(0, 50).Select(i => PgStatement.Create<int>(Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"select $1 + {i}"))))];
        for (int round = 0; round < 2; round++)
        {
            for (int i = 0; i < statements.Length; i++)
            {
                Assert.Equal(100 + i, await db.Query(statements[i], 100).ScalarAsync<int>().Within(20.Seconds()));
            }
        }

        Assert.Equal(10, await db.Query(s_prepared).ScalarAsync<int>().Within(20.Seconds()));
    }

    [Fact]
    public async Task ManyStatementsAtOnceOnASmallTableStayRight()
    {
        PgDataSource db = await TestDatabase.OpenAsync<StatementHealingTests>(
            Fixture,
            static options =>
            {
                TestDatabase.OneConnection(options);
                options.MaxPreparedPerConnection = 3;
                options.QueueLimit = 4096;
            });
        PgStatement<int>[] statements =
            [.. Enumerable.Range(0, 20).Select(i => PgStatement.Create<int>(Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"select $1 + {i}"))))];
        int[] answers = await Task.WhenAll(
            Enumerable.Range(0, 2000).Select(i => db.Query(statements[i * 7 % 20], i).ScalarAsync<int>().AsTask())).Within(30.Seconds());
        Assert.Equal(Enumerable.Range(0, 2000).Select(static i => i + (i * 7 % 20)), answers);
        Assert.InRange(await db.Query(s_prepared).ScalarAsync<int>(), 1, 3);
    }

    [Fact]
    public async Task EachOfTwoPipelinedCommandsOfABadStatementGetsItsOwnError()
    {
        var bad = PgStatement.Create<int>("select $1 from nowhere"u8);
        var good = PgStatement.Create<int>("select $1 + 1"u8);
        Task<int>[] wrong = [.. Enumerable.Range(0, 5).Select(i => Db.Query(bad, i).ScalarAsync<int>().AsTask())];
        Task<int> right = Db.Query(good, 1).ScalarAsync<int>().AsTask();
        foreach (Task<int> answer in wrong)
        {
            PgException error = await Assert.ThrowsAsync<PgException>(() => answer.Within(20.Seconds()));
            Assert.Equal(PgSqlState.UndefinedTable, error.SqlState);
        }

        Assert.Equal(2, await right.Within(20.Seconds()));
        Assert.Equal(1, Db.Opened());
    }

    [Fact]
    public async Task BehindATransactionPoolerNothingIsPrepared()
    {
        PgDataSource db = await TestDatabase.OpenAsync<StatementHealingTests>(Fixture, TestDatabase.OneConnectionWith(static options => options.Pooler = PgPooler.Transaction));
        var statement = PgStatement.Create<int>("select $1 + 1"u8);
        int[] answers = await Task.WhenAll(Enumerable.Range(0, 50).Select(i => db.Query(statement, i).ScalarAsync<int>().AsTask())).Within(20.Seconds());
        Assert.Equal(Enumerable.Range(1, 50), answers);
        Assert.Equal(0, await db.Query(s_prepared).ScalarAsync<int>());
    }

    [Fact]
    public async Task ANewStatementOfManyCallersIsParsedOnceAConnection()
    {
        await using PgFixture fixture = new();
        PgDataSource db = await Databases.OpenAsync<StatementHealingTests>(fixture);
        var statement = PgStatement.Create<int>("select $1 + 1"u8);
        int[] answers = await Task.WhenAll(Enumerable.Range(0, 1000).Select(i => db.Query(statement, i).ScalarAsync<int>().AsTask())).Within(20.Seconds());
        Assert.Equal(Enumerable.Range(1, 1000), answers);
    }

    [Fact]
    public async Task TimesOfBothKindsGoThroughOneStatement()
    {
        var statement = PgStatement.Create<DateTime>("select pg_typeof($1)::text"u8);
        for (int round = 0; round < 3; round++)
        {
            Assert.Equal("timestamp with time zone", await Db.Query(statement, DateTime.UtcNow).ScalarAsync<string>());
            Assert.Equal("timestamp without time zone", await Db.Query(statement, new DateTime(2024, 2, 29)).ScalarAsync<string>());
        }
    }

    [Fact]
    public async Task AsManyParametersAsTheProtocolHasAreSentAndOneMoreIsRefused()
    {
        Assert.Equal(65_535L * 65_534 / 2, await SumAsync(65_535).Within(60.Seconds()));
        for (int round = 0; round < 2; round++)
        {
            var error = await Assert.ThrowsAsync<ArgumentException>(() => SumAsync(65_536).Within(30.Seconds()));
            Assert.Contains("unnest", error.Message, StringComparison.Ordinal);
        }

        var unnest = PgStatement.Create<int[]>("select sum(v) from unnest($1) v"u8);
        Assert.Equal(65_536L * 65_535 / 2, await Db.Query(unnest, [.. Enumerable.Range(0, 65_536)]).ScalarAsync<long>().Within(20.Seconds()));
        Assert.Equal(1, Db.Opened());

        async Task<long> SumAsync(int count)
        {
            string values = string.Join(',', Enumerable.Range(1, count).Select(static i => string.Create(CultureInfo.InvariantCulture, $"(${i}::int)")));
            var parameters = new PgParameterList([.. Enumerable.Range(0, count).Select(PgParameterValue.Of)]);
            return await Db.Query(Db.Statement($"select sum(v) from (values {values}) t(v)"), parameters).ScalarAsync<long>();
        }
    }

    [Fact]
    public async Task RowsWithoutColumnsAreCounted()
    {
        await using PgFixture fixture = new();
        PgDataSource db = await Databases.OpenAsync<StatementHealingTests>(fixture);
        var statement = PgStatement.Create("select from generate_series(1, 3)"u8);
        Assert.Equal(3, (await db.Query(statement).ExecuteAsync()).RowsAffected);
        Assert.Equal([0, 0, 0], await db.Query(statement).ListAsync(static row => row.Count));
        var writer = new ArrayBufferWriter<byte>();
        await db.Query(statement).WriteJsonAsync(writer);
        Assert.Equal("[{},{},{}]", Encoding.UTF8.GetString(writer.WrittenSpan));
        await Assert.ThrowsAsync<PgNoRowException>(() => db.Query(statement).ScalarAsync<int>().AsTask());
    }

    [Fact]
    public async Task AnEmptyStatementDoesNothing()
    {
        await using PgFixture fixture = new();
        PgDataSource db = await Databases.OpenAsync<StatementHealingTests>(fixture);
        PgTag tag = await db.Query(PgStatement.Create(""u8)).ExecuteAsync().Within(20.Seconds());
        Assert.Equal(("", -1), (tag.Command, tag.RowsAffected));
    }

    private static async Task MakeTableAsync(string name)
        => await ChangeAsync($"drop table if exists {name}; create table {name}(a int); insert into {name} values (1)");

    private static async Task ChangeAsync(string sql)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        await server.RunSqlAsync(sql, await server.DatabaseAsync<StatementHealingTests>(), PgUsers.Trust);
    }
}
