namespace Ioxide.Pg.Tests;

/// <summary>A transaction that the server gave up for another's sake is run again.</summary>
public class TransactionRetryTests : PgTests
{
    private const int Callers = 4;

    private static readonly PgStatement s_read = PgStatement.Create("select value from retry_rows where id = 1"u8);
    private static readonly PgStatement<int> s_write = PgStatement.Create<int>("update retry_rows set value = $1 where id = 1"u8);

    [Fact]
    public async Task IncrementsThatCollideAreAllKept()
    {
        PgDataSource db = await OpenAsync(Fixture);
        int runs = 0;
        int readers = 0;
        TaskCompletionSource allHaveRead = Waits.Signal();
        await Task.WhenAll(Enumerable.Range(0, Callers).Select(_ => Task.Run(async () =>
        {
            for (int i = 0; i < 10; i++)
            {
                await db.TransactionAsync(
                    async (transaction, _, token) =>
                    {
                        Interlocked.Increment(ref runs);
                        int value = await transaction.Session.Query(s_read).ScalarAsync<int>(token);

                        // The first ones have all read before one writes, so that only one of them can be kept at once.
                        if (Interlocked.Increment(ref readers) == Callers)
                        {
                            allHaveRead.SetResult();
                        }

                        await allHaveRead.Task.Within(20.Seconds());
                        await transaction.Session.Query(s_write, value + 1).ExecuteAsync(token);
                        return value;
                    },
                    0,
                    new PgTransactionOptions(PgIsolation.Serializable),
                    PgRetry.Serialization(1000));
            }
        }))).Within(60.Seconds());
        Assert.Equal(10 * Callers, await db.Query(s_read).ScalarAsync<int>());
        Assert.InRange(runs, (10 * Callers) + Callers - 1, int.MaxValue);
    }

    [Theory]
    [InlineData(PgSqlState.SerializationFailure, 3)]
    [InlineData(PgSqlState.DeadlockDetected, 3)]
    [InlineData(PgSqlState.UniqueViolation, 1)]
    public async Task AsManyRunsAsAllowedAndOnlyForAnothersSake(string sqlState, int expected)
    {
        PgDataSource db = await OpenAsync(Fixture);
        int runs = 0;
        PgException error = await Assert.ThrowsAsync<PgException>(() => db.TransactionAsync<int, int>(
            async (transaction, _, token) =>
            {
                runs++;
                await transaction.Session.RunScriptAsync($"do $$ begin raise exception using errcode = '{sqlState}'; end $$", token);
                return 0;
            },
            0,
            retry: PgRetry.Serialization(3)).AsTask().Within(20.Seconds()));
        Assert.Equal(sqlState, error.SqlState);
        Assert.Equal(expected, runs);
    }

    [Fact]
    public async Task WhatTheWorkThrowsRollsBackAndIsNotRepeated()
    {
        PgDataSource db = await OpenAsync(Fixture);
        int runs = 0;
        await Assert.ThrowsAsync<TimeZoneNotFoundException>(() => db.TransactionAsync<int, int>(
            async (transaction, _, token) =>
            {
                runs++;
                await transaction.Session.Query(s_write, 7).ExecuteAsync(token);
                throw new TimeZoneNotFoundException();
            },
            0,
            retry: PgRetry.Serialization(5)).AsTask().Within(20.Seconds()));
        Assert.Equal(1, runs);
        Assert.Equal(0, await db.Query(s_read).ScalarAsync<int>());
    }

    private static async Task<PgDataSource> OpenAsync(PgFixture fixture)
    {
        PgDataSource db = await Databases.OpenAsync<TransactionRetryTests>(fixture);
        await using PgSession session = await db.OpenSessionAsync();
        await session.RunScriptAsync("drop table if exists retry_rows; create table retry_rows (id int primary key, value int); insert into retry_rows values (1, 0)");
        return db;
    }
}
