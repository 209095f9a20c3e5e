using System.Data.Common;
using System.Diagnostics;
using Ioxide.Pg.Data;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>A total is the process's, whatever the number of reactors: so many connections, all of them for whoever asks, and nobody waits in vain.</summary>
public class PoolTotalTests : PgTests
{
    private static readonly PgStatement s_one = PgStatement.Create("select 1"u8);

    [Theory]
    [InlineData(1, 2)]
    [InlineData(3, 2)]
    [InlineData(2, 4)]
    [InlineData(10, 3)]
    public async Task SoManyConnectionsAreOpenedAndEverybodyIsServed(int total, int reactors)
    {
        await using PgFixture fixture = new(options => options.ReactorCount = reactors);
        PgDataSource db = await TestDatabase.OpenAsync<PoolTotalTests>(fixture, options => options.MaxConnections = total);
        using var stop = new CancellationTokenSource();
        int most = 0;
        var watching = Task.Run(async () =>
        {
            while (!stop.IsCancellationRequested)
            {
                most = Math.Max(most, db.Pools.Sum(static pool => pool.OpenCount));
                await Task.Delay(1);
            }
        });
        await Task.WhenAll(Enumerable.Range(0, 12).Select(caller => caller % 3 == 0
            ? Task.Run(() => UseAsync(db, caller))
            : fixture[caller % reactors].RunAsync(() => UseAsync(db, caller)))).Within(60.Seconds());
        await stop.CancelAsync();
        await watching;
        Assert.InRange(most, 1, total);
        await Waits.Eventually(() => db.Pools.All(static pool => pool is { QueueLength: 0, Sessions: 0 }), 20.Seconds());

        // Whoever asks can have all of them at once, on one reactor too.
        await fixture[0].RunAsync(async () =>
        {
            PgSession[] sessions = await Task.WhenAll(Enumerable.Range(0, total).Select(_ => db.OpenSessionAsync().AsTask()));
            Assert.Equal(total, sessions.Select(static session => session.ProcessId).Distinct().Count());
            foreach (PgSession session in sessions)
            {
                await session.DisposeAsync();
            }
        }).Within(60.Seconds());
        Assert.InRange(db.Pools.Sum(static pool => pool.OpenCount), 1, total);
    }

    [Fact]
    public async Task AConnectionThatIsReturnedOnOneReactorServesWhoWaitsOnAnother()
    {
        PgDataSource db = await TestDatabase.OpenAsync<PoolTotalTests>(Fixture, static options => options.MaxConnections = 1);
        PgSession held = await Fixture[0].RunAsync(() => db.OpenSessionAsync().AsTask());
        Task<int> command = Fixture[1].RunAsync(() => db.Query(s_one).ScalarAsync<int>().AsTask());
        Task<int> session = Fixture[1].RunAsync(async () =>
        {
            await using PgSession session = await db.OpenSessionAsync();
            int answer = await session.Query(s_one).ScalarAsync<int>();
            Assert.Same(Fixture[1], Reactor.Current);
            return answer;
        });
        await Waits.Eventually(() => db.Pools[0].QueueLength == 2, 20.Seconds());
        await held.DisposeAsync();
        Assert.Equal((1, 1), (await command.Within(20.Seconds()), await session.Within(20.Seconds())));
        Assert.Equal(1, db.Opened());
    }

    [Fact]
    public async Task APoolWithoutAConnectionGetsThePlaceOfAnIdleOne()
    {
        PgDataSource db = await TestDatabase.OpenAsync<PoolTotalTests>(Fixture, static options => options.MaxConnections = 1);
        Assert.Equal(1, await Fixture[0].RunAsync(() => db.Query(s_one).ScalarAsync<int>().AsTask()).Within(20.Seconds()));

        // As a command that found room when its reactor was chosen. So often that each look of a pool's clock, once per second, is too late.
        Task moves = Task.Run(async () =>
        {
            for (int i = 1; i <= 60; i++)
            {
                int to = i % 2;
                var late = new ScriptRoundTrip("select 2"u8.ToArray());
                PgScriptResult result = await Fixture[to].RunAsync(() => late.RunAsync(db.Pools[to]).AsTask());
                Assert.Equal("2", result.Rows[0][0]);
            }
        });
        await moves.Within(20.Seconds());
        await Waits.Eventually(() => db.Pools.Sum(static pool => pool.OpenCount) == 1, 20.Seconds());
    }

    [Fact]
    public async Task TimeoutLimitsTheWaitAndTheMessageHasTheKeywordsAndTheCounts()
    {
        int seconds = (int)Waits.Stretched(1.Seconds()).TotalSeconds; // The first connection is opened within it, too.
        PostgresServer server = await PostgresServer.SharedAsync();
        string text = $"Host=127.0.0.1;Port={server.Port};Username={PgUsers.Trust};Database={await server.DatabaseAsync<PoolTotalTests>()};Timeout={seconds};Maximum Pool Size=1;SSL Mode=Disable";
        await using var ours = new PgDbDataSource(ConnectionText.Get(text), Fixture.Group);
        await using var theirs = NpgsqlDataSource.Create(text);
        DbException expected = await WaitInVainAsync(theirs);
        DbException error = await WaitInVainAsync(ours);
        Assert.Equal((expected.SqlState, expected.IsTransient), (error.SqlState, error.IsTransient));
        Assert.IsType<PgPoolExhaustedException>(error);
        Assert.Contains($"within {seconds} s (Timeout (ConnectTimeout)): there are 1 open connections, 1 of them leased", error.Message, StringComparison.Ordinal);
        Assert.Contains("Maximum Pool Size (MaxConnections), which is 1", error.Message, StringComparison.Ordinal);

        async Task<DbException> WaitInVainAsync(DbDataSource source)
        {
            await using DbConnection held = await source.OpenConnectionAsync();
            long began = Stopwatch.GetTimestamp();
            DbException error = await Assert.ThrowsAnyAsync<DbException>(() => source.OpenConnectionAsync().AsTask().Within(20.Seconds()));
            Assert.InRange(Stopwatch.GetElapsedTime(began), seconds * 900.Milliseconds(), seconds * 5.Seconds());
            return error;
        }
    }

    [Fact]
    public async Task AsManyWaitAsCallWhereOnlyAStringIsGiven()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string text = $"Host=127.0.0.1;Port={server.Port};Username={PgUsers.Trust};Database={await server.DatabaseAsync<PoolTotalTests>()};Timeout=60;Maximum Pool Size=2;SSL Mode=Disable";
        await using var source = new PgDbDataSource(ConnectionText.Get(text), Fixture.Group);
        int[] answers = await Task.WhenAll(Enumerable.Range(0, 3000).Select(async i =>
        {
            await using PgDbConnection connection = await source.OpenConnectionAsync();
            return (int)(await connection.ScalarAsync("select 1"))!;
        })).Within(60.Seconds());
        Assert.Equal(3000, answers.Sum());
        Assert.InRange(source.Source.Opened(), 1, 2);
    }

    private static async Task UseAsync(PgDataSource db, int caller)
    {
        for (int round = 0; round < 20; round++)
        {
            if ((caller + round) % 2 == 0)
            {
                Assert.Equal(1, await db.Query(s_one).ScalarAsync<int>());
                continue;
            }

            await using PgSession session = await db.OpenSessionAsync();
            Assert.Equal(1, await session.Query(s_one).ScalarAsync<int>());
        }
    }
}
