namespace Ioxide.Pg.Tests;

/// <summary>Servers that refuse, end, or are killed.</summary>
public class ServerFaultTests : OneConnectionTests
{
    private static readonly PgStatement<int> s_double = PgStatement.Create<int>("select $1 * 2"u8);
    private static readonly PgStatement<double> s_sleep = PgStatement.Create<double>("select pg_sleep($1)::text"u8, PgStatementOptions.KeepsSession);

    [Fact]
    public async Task ABackendThatIsEndedWhileIdleIsReplacedUnseen()
    {
        Assert.Equal(2, await Db.Query(s_double, 1).ScalarAsync<int>().Within(20.Seconds()));
        await TerminateBackendsAsync();
        await Waits.Eventually(() => Db.Pools[0].OpenCount == 0, 20.Seconds());
        Assert.Equal(4, await Db.Query(s_double, 2).ScalarAsync<int>().Within(20.Seconds()));
        Assert.Equal(2, Db.Opened());
    }

    [Fact]
    public async Task ABackendThatIsEndedWhileBusyTellsEveryCaller()
    {
        await Db.Query(s_sleep, 0).ExecuteAsync();
        await Db.Query(s_double, 0).ExecuteAsync();
        Task sleeping = Db.Query(s_sleep, 60).ExecuteAsync().AsTask();
        Task<int>[] behind = [.. Enumerable.Range(0, 5).Select(i => Db.Query(s_double, i).ScalarAsync<int>().AsTask())];
        await Fixture[0].RunAsync(static () => { });
        await TerminateBackendsAsync();
        PgException error = await Assert.ThrowsAsync<PgException>(() => sleeping.Within(20.Seconds()));
        Assert.Equal(PgSqlState.AdminShutdown, error.SqlState);
        foreach (Task<int> answer in behind)
        {
            var lost = await Assert.ThrowsAsync<PgConnectionException>(() => answer.Within(20.Seconds()));
            Assert.Same(error, lost.InnerException);
        }

        Assert.Equal(4, await Db.Query(s_double, 2).ScalarAsync<int>().Within(20.Seconds()));
    }

    /// <summary>The end comes in the bytes that let the client in: the connection is lost before the pool has it.</summary>
    [Theory]
    [InlineData(true, 1)]
    [InlineData(true, 5)]
    [InlineData(false, 1)]
    [InlineData(false, 5)]
    public async Task ASessionThatEndsAsItBeginsFailsWhoWaitsForItAndNobodyLater(bool isTold, int callers)
    {
        await using FakeServer server = FakeServer.Start(index => index == 0
            ? new Script().ExpectStartup()
                .Send([.. BackendMessages.Welcome(), .. isTold ? [BackendMessages.ErrorResponse("57P01", "terminating connection", "FATAL")] : (byte[][])[]]).End()
            : Script.Welcome().Repeat(8, new Script().ExpectUntil('H').Send(BackendMessages.ErrorResponse("22012", "division by zero"))
                .ExpectUntil('S').Send(BackendMessages.ReadyForQuery())));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnectionWith(static options => options.ReconnectDelay = 1.Milliseconds()));

        // In one turn of the reactor: one that came later could meet the next connection.
        Task<int>[] first = await Fixture[0].RunAsync(() => Enumerable.Range(0, callers).Select(i => db.Query(s_double, i).ScalarAsync<int>().AsTask()).ToArray());
        foreach (Task<int> answer in first)
        {
            var lost = await Assert.ThrowsAnyAsync<System.Data.Common.DbException>(() => answer.Within(20.Seconds()));
            Assert.Equal(isTold, lost.SqlState == PgSqlState.AdminShutdown);
        }

        // Before the next attempt is due, a caller gets the last cause.
        await Task.Delay(50.Milliseconds());
        for (int i = 0; i < 3; i++)
        {
            var refused = await Assert.ThrowsAsync<PgException>(() => db.Query(s_double, i).ScalarAsync<int>().Within(20.Seconds()));
            Assert.Equal("22012", refused.SqlState);
        }
    }

    [Fact]
    public async Task ABackendThatIsEndedWhileAStatementIsNewLeavesNobodyWaiting()
    {
        await using FakeServer server = FakeServer.Start(index => index == 0
            ? Script.Welcome().ExpectUntil('H').Send(BackendMessages.ErrorResponse("57P01", "terminating connection", "FATAL")).End()
            : Script.Welcome().Repeat(8, new Script().ExpectUntil('H').Send(BackendMessages.ErrorResponse("22012", "division by zero"))
                .ExpectUntil('S').Send(BackendMessages.ReadyForQuery())));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection);
        Task<int>[] answers = [.. Enumerable.Range(0, 1).Concat([1, 2, 3]).Select(i => db.Query(s_double, i).ScalarAsync<int>().AsTask())];
        foreach (Task<int> answer in answers)
        {
            await Assert.ThrowsAnyAsync<System.Data.Common.DbException>(() => answer.Within(20.Seconds()));
        }
    }

    [Fact]
    public async Task AKilledServerProcessIsSurvived()
    {
        await using PgFixture fixture = new();
        await using PostgresServer server = await PostgresServer.StartAsync();
        PgDataSource db = TestDatabase.Open(fixture, server.Port);
        Assert.Equal(2, await db.Query(s_double, 1).ScalarAsync<int>().Within(20.Seconds()));
        await using (PgSession session = await db.OpenSessionAsync().Within(20.Seconds()))
        {
            await session.Query(s_sleep, 0).ExecuteAsync();
            Task sleeping = session.Query(s_sleep, 60).ExecuteAsync().AsTask();
            server.KillBackend(session.ProcessId);
            await Assert.ThrowsAsync<PgConnectionException>(() => sleeping.Within(20.Seconds()));
            Assert.False(session.IsOpen);
        }

        await EventuallyServesAsync(db);
    }

    [Theory, Each(StopMode.Fast, StopMode.Immediate)]
    public async Task AServerThatIsRestartedUnderLoadServesAgain(object mode)
    {
        await using PgFixture fixture = new();
        await using PostgresServer server = await PostgresServer.StartAsync();
        PgDataSource db = TestDatabase.Open(fixture, server.Port, static options => options.ReconnectDelay = 20.Milliseconds());
        int generation = 0;
        int[] served = new int[16];
        using var stop = new CancellationTokenSource();
        Task[] callers =
        [
            .. Enumerable.Range(0, served.Length).Select(caller => Task.Run(async () =>
            {
                for (int i = 0; !stop.IsCancellationRequested; i++)
                {
                    int seen = Volatile.Read(ref generation);
                    try
                    {
                        Assert.Equal(i * 2, await db.Query(s_double, i).ScalarAsync<int>().Within(20.Seconds()));
                        Volatile.Write(ref served[caller], seen + 1);
                    }
                    catch (System.Data.Common.DbException)
                    {
                        await Task.Delay(1);
                    }
                }
            })),
        ];
        for (int round = 0; round < 2; round++)
        {
            await Waits.Eventually(() => served.All(value => value == generation + 1), 30.Seconds());
            await server.RestartAsync((StopMode)mode);
            Interlocked.Increment(ref generation);
        }

        await Waits.Eventually(() => served.All(value => value == generation + 1), 30.Seconds());
        await stop.CancelAsync();
        await Task.WhenAll(callers).Within(30.Seconds());
    }

    [Fact]
    public async Task AUserWhomTheServerRefusesIsTold()
    {
        await using PgFixture fixture = new();
        PostgresServer server = await PostgresServer.SharedAsync();
        PgDataSource db = TestDatabase.Open(fixture, server.Port, user: PgUsers.Rejected);
        var error = await Assert.ThrowsAsync<PgException>(() => db.Query(s_double, 1).ScalarAsync<int>().Within(20.Seconds()));
        Assert.Equal(PgSqlState.InvalidAuthorizationSpecification, error.SqlState);
    }

    [Fact]
    public async Task AServerWithoutFreeConnectionsIsWaitedForWhereThePoolHasOthers()
    {
        await using PostgresServer server = await PostgresServer.StartAsync(new PostgresServerOptions { MaxConnections = 5 });
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, static options => options.MaxPerReactor = 8);
        PgSession first = await db.OpenSessionAsync().Within(20.Seconds());
        PgSession second = await db.OpenSessionAsync().Within(20.Seconds());
        Task<PgSession> third = db.OpenSessionAsync().AsTask();
        await Waits.Eventually(() => db.Pools[0].Counters.ConnectFailures > 0, 20.Seconds());
        Assert.False(third.IsCompleted);
        await first.DisposeAsync();
        PgSession got = await third.Within(20.Seconds());
        await got.DisposeAsync();
        await second.DisposeAsync();
    }

    [Fact]
    public async Task AServerWithoutFreeConnectionsIsSaidSoWhereThePoolHasNone()
    {
        await using PostgresServer server = await PostgresServer.StartAsync(new PostgresServerOptions { MaxConnections = 5 });
        PgDataSource other = TestDatabase.Open(Fixture, server.Port);
        PgSession first = await other.OpenSessionAsync().Within(20.Seconds());
        PgSession second = await other.OpenSessionAsync().Within(20.Seconds());
        PgDataSource db = TestDatabase.Open(Fixture, server.Port);
        var error = await Assert.ThrowsAsync<PgException>(() => db.Query(s_double, 1).ScalarAsync<int>().Within(20.Seconds()));
        Assert.Equal(PgSqlState.TooManyConnections, error.SqlState);
        await first.DisposeAsync();
        await second.DisposeAsync();
    }

    private static async Task EventuallyServesAsync(PgDataSource db)
    {
        for (int i = 0; ; i++)
        {
            try
            {
                Assert.Equal(6, await db.Query(s_double, 3).ScalarAsync<int>().Within(20.Seconds()));
                return;
            }
            catch (System.Data.Common.DbException) when (i < 200)
            {
                await Task.Delay(10);
            }
        }
    }

    private static async Task TerminateBackendsAsync()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<ServerFaultTests>();
        await server.RunSqlAsync($"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{database}'");
    }
}
