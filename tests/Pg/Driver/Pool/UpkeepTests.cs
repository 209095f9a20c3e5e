using static Ioxide.Pg.Tests.BackendMessages;

namespace Ioxide.Pg.Tests;

/// <summary>What a pool does by itself: it tries again after failures, and closes what is idle.</summary>
public class UpkeepTests() : PgTests(TestDatabase.OneReactor)
{
    private static readonly PgStatement s_one = PgStatement.Create("select 1"u8);

    [Fact]
    public async Task ARefusedPoolAnswersBetweenItsAttemptsAndAsksAgainOnDemand()
    {
        TaskCompletionSource ends = Waits.Signal();
        byte[] answer = [.. BindComplete(), .. Int4Row(1), .. CommandComplete("SELECT 1"), .. ReadyForQuery()];
        Script served = Script.Welcome().ExpectUntil('H').Send(ParseComplete(), ParameterDescription(), RowDescription(("one", Int4, 0)))
            .ExpectUntil('S').Send(answer).WaitFor(ends.Task).End();
        await using FakeServer server = FakeServer.Start(index => index == 1 ? served : new Script().ExpectStartup().End());
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnectionWith(static options => options.ReconnectDelay = 1.Seconds()));

        // Each caller has an exception of its own: the stacks of many in one would grow.
        PgConnectionException[] causes = await Fixture[0].RunAsync(async () =>
        {
            PgConnectionException[] causes = [await FailAsync(), await FailAsync(), await FailAsync()];
            Assert.Equal(1, db.Pools[0].Counters.ConnectFailures);
            return causes;
        }).Within(20.Seconds());
        Assert.Equal(3, causes.Distinct().Count());
        Assert.Single(causes.Select(static cause => cause.Message).Distinct());
        await Task.Delay(1100.Milliseconds());
        Assert.Equal(1, await db.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
        ends.SetResult();
        await Waits.Eventually(() => db.Pools[0].OpenCount == 0, 20.Seconds());

        // A success has ended the wait.
        await FailAsync();
        Assert.Equal(2, db.Pools[0].Counters.ConnectFailures);

        Task<PgConnectionException> FailAsync()
            => Assert.ThrowsAnyAsync<PgConnectionException>(() => db.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
    }

    [Fact]
    public async Task ASharedConnectionThatIsNeverIdleIsReplacedWhenItIsOld()
    {
        PgDataSource db = await TestDatabase.OpenAsync<UpkeepTests>(Fixture, static options =>
        {
            options.SharedPerReactor = 1;
            options.MaxPerReactor = 2;
            options.ConnectionLifetime = 300.Milliseconds();
        });
        int old = await db.Query(PgStatement.Create("select pg_backend_pid()"u8)).ScalarAsync<int>().Within(20.Seconds());
        bool isGone = false;
        Task load = Fixture[0].RunAsync(() => Task.WhenAll(Enumerable.Range(0, 8).Select(async _ =>
        {
            while (!Volatile.Read(ref isGone))
            {
                Assert.Equal(1, await db.Query(s_one).ScalarAsync<int>());
            }
        })));
        PostgresServer server = await PostgresServer.SharedAsync();
        try
        {
            await Waits.Eventually(
                () => server.RunSqlAsync($"select count(*) from pg_stat_activity where pid = {old}").Result == "0", 20.Seconds());
        }
        finally
        {
            Volatile.Write(ref isGone, true);
        }

        await load.Within(20.Seconds());
    }

    [Fact]
    public async Task IdleConnectionsBelowTheMinimumStay()
    {
        PgDataSource db = await TestDatabase.OpenAsync<UpkeepTests>(Fixture, static options =>
        {
            options.MinPerReactor = 2;
            options.MaxPerReactor = 4;
            options.IdleLifetime = 1.Milliseconds();
        });
        ReactorPool pool = db.Pools[0];
        await using (await db.OpenSessionAsync())
        await using (await db.OpenSessionAsync())
        await using (await db.OpenSessionAsync())
        {
            Assert.Equal(3, pool.OpenCount);
        }

        // The one beyond the minimum goes; then looking changes nothing.
        await Waits.Eventually(() => LookAsync().Result == 2, 20.Seconds());
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(2, await LookAsync());
        }

        Assert.Equal((3, 1), (pool.Counters.Opened, pool.Counters.Closed));

        Task<int> LookAsync() => Fixture[0].RunAsync(async () =>
        {
            long began = Fixture[0].NowTick();
            while (Fixture[0].NowTick() < began + 2)
            {
                await Task.Yield();
            }

            pool.Look();
            return pool.OpenCount;
        });
    }
}
