using System.Globalization;

namespace Ioxide.Pg.Tests;

/// <summary>Commands of many callers in flight on one connection.</summary>
public class PipelineTests : OneConnectionTests
{
    private const int Callers = 64;
    private const int CommandsEach = 157;

    private static readonly PgStatement<int> s_divide = PgStatement.Create<int>("select 1000 / $1"u8);
    private static readonly PgStatement<int> s_double = PgStatement.Create<int>("select $1 * 2"u8);
    private static readonly PgStatement<string> s_text = PgStatement.Create<string>("select $1::text || '!'"u8);
    private static readonly PgStatement<int, int> s_series = PgStatement.Create<int, int>("select i from generate_series($1, $2) i"u8);
    private static readonly PgStatement<int> s_malformed = PgStatement.Create<int>("selec $1"u8);
    private static readonly PgStatement<int> s_insert = PgStatement.Create<int>("insert into pipelined values ($1)"u8);

    [Fact]
    public async Task TenThousandMixedCommandsOnOneConnectionEachGetTheirOwnAnswer()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        await server.RunSqlAsync(
            "create table pipelined(a int primary key); insert into pipelined values (0)", await server.DatabaseAsync<PipelineTests>(), PgUsers.Trust);
        Task<int>[] callers =
        [
            .. Enumerable.Range(0, Callers).Select(caller => caller % 2 == 0
                ? Fixture[0].RunAsync(() => CallAsync(Db, caller))
                : Task.Run(() => CallAsync(Db, caller))),
        ];
        int[] failed = await Task.WhenAll(callers).Within(120.Seconds());
        Assert.InRange(failed.Sum(), Callers * CommandsEach / 5, Callers * CommandsEach / 5 + Callers);
        Assert.Equal(1, Db.Opened());
    }

    [Fact]
    public async Task AReaderThatThrowsFailsItsCommandAlone()
    {
        for (int i = 0; i < 50; i++)
        {
            Task<List<int>> before = Db.Query(s_series, 1, 10).ListAsync(static row => row.GetInt32(0)).AsTask();
            Task<List<int>> broken = Db.Query(s_series, 1, 1000).ListAsync<int>(static row => throw new InvalidTimeZoneException("mine")).AsTask();
            Task<int> after = Db.Query(s_double, i).ScalarAsync<int>().AsTask();
            Assert.Equal("mine", (await Assert.ThrowsAsync<InvalidTimeZoneException>(() => broken.Within(20.Seconds()))).Message);
            Assert.Equal(Enumerable.Range(1, 10), await before.Within(20.Seconds()));
            Assert.Equal(i * 2, await after.Within(20.Seconds()));
        }

        Assert.Equal(1, Db.Opened());
    }

    [Fact]
    public async Task AValueOfAnotherTypeThanAskedForFailsItsCommandAlone()
    {
        Task<Guid> wrong = Db.Query(s_double, 1).ScalarAsync<Guid>().AsTask();
        Task<int> right = Db.Query(s_double, 2).ScalarAsync<int>().AsTask();
        await Assert.ThrowsAsync<PgTypeException>(() => wrong.Within(20.Seconds()));
        Assert.Equal(4, await right.Within(20.Seconds()));
        Assert.Equal(1, Db.Opened());
    }

    [Fact]
    public async Task ACallerOnAReactorGoesOnThere()
    {
        await using PgFixture fixture = new();
        PgDataSource db = await Databases.OpenAsync<PipelineTests>(fixture);
        foreach (Reactor reactor in fixture.Group.Reactors)
        {
            await reactor.RunAsync(async () =>
            {
                for (int i = 0; i < 20; i++)
                {
                    Assert.Equal(i * 2, await db.Query(s_double, i).ScalarAsync<int>());
                    Assert.Same(reactor, Reactor.Current);
                    await Assert.ThrowsAsync<PgException>(async () => await db.Query(s_divide, 0).ScalarAsync<int>());
                    Assert.Same(reactor, Reactor.Current);
                }
            }).Within(20.Seconds());
        }
    }

    [Fact]
    public async Task ACallerElsewhereDoesNotGoOnOnAReactor()
    {
        await using PgFixture fixture = new();
        PgDataSource db = await Databases.OpenAsync<PipelineTests>(fixture);
        for (int i = 0; i < 50; i++)
        {
            Assert.Equal(i * 2, await Task.Run(async () => await db.Query(s_double, i).ScalarAsync<int>()));
            Assert.Null(Reactor.Current);
        }
    }

    [Fact]
    public async Task CommandsOnAnotherReactorsCallerAreServedByItsOwnPool()
    {
        await using PgFixture fixture = new();
        PgDataSource db = await TestDatabase.OpenAsync<PipelineTests>(fixture, static options => options.SharedPerReactor = 1);
        await fixture[1].RunAsync(async () => Assert.Equal(2, await db.Query(s_double, 1).ScalarAsync<int>())).Within(20.Seconds());
        Assert.Equal((0, 1), (db.Pools[0].Counters.Opened, db.Pools[1].Counters.Opened));
    }

    [Fact]
    public async Task ManyCallersOfANewStatementDoNotExceedThePipelinesDepth()
    {
        PgDataSource db = await TestDatabase.OpenAsync<PipelineTests>(Fixture, TestDatabase.OneConnectionWith(static options => options.PipelineDepth = 4));
        var statement = PgStatement.Create<int>("select $1 + 1"u8);
        await Fixture[0].RunAsync(async () =>
        {
            Assert.Equal(2, await db.Query(s_double, 1).ScalarAsync<int>());
            ValueTask<int>[] answers = [.. Enumerable.Range(0, 100).Select(i => db.Query(statement, i).ScalarAsync<int>())];
            Assert.Equal(96, db.Pools[0].QueueLength);
            for (int i = 0; i < answers.Length; i++)
            {
                Assert.Equal(i + 1, await answers[i]);
            }
        }).Within(20.Seconds());
    }

    private static async Task<int> CallAsync(PgDataSource db, int caller)
    {
        int failed = 0;
        for (int i = 0; i < CommandsEach; i++)
        {
            int number = (caller * CommandsEach) + i;
            if (number % 5 == 0)
            {
                failed++;
                PgException error = await Assert.ThrowsAsync<PgException>(() => FailAsync(db, number));
                Assert.Equal(
                    (number / 5 % 3) switch { 0 => PgSqlState.DivisionByZero, 1 => PgSqlState.SyntaxError, _ => PgSqlState.UniqueViolation },
                    error.SqlState);
                continue;
            }

            switch (number % 4)
            {
                case 0:
                    Assert.Equal(number * 2, await db.Query(s_double, number).ScalarAsync<int>());
                    break;
                case 1:
                    string text = number.ToString(CultureInfo.InvariantCulture);
                    Assert.Equal(text + "!", await db.Query(s_text, text).ScalarAsync<string>());
                    break;
                case 2:
                    List<int> list = await db.Query(s_series, number, number + (number % 50)).ListAsync(static row => row.GetInt32(0));
                    Assert.Equal(Enumerable.Range(number, (number % 50) + 1), list);
                    break;
                default:
                    Assert.Equal(1, (await db.Query(s_insert, number + 1).ExecuteAsync()).RowsAffected);
                    break;
            }
        }

        return failed;
    }

    private static Task FailAsync(PgDataSource db, int number) => (number / 5 % 3) switch
    {
        0 => db.Query(s_divide, 0).ScalarAsync<int>().AsTask(),
        1 => db.Query(s_malformed, number).ExecuteAsync().AsTask(),
        _ => db.Query(s_insert, 0).ExecuteAsync().AsTask(),
    };
}
