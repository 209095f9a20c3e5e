using System.Data.Common;

namespace Ioxide.Pg.Tests;

/// <summary>A network that cuts, slices, or falls silent between the driver and a real server.</summary>
/// <remarks>Takes 11 s: each message of a session is the last one once, on a connection of its own.</remarks>
public class NetworkFaultTests() : PgTests(TestDatabase.OneReactor)
{
    private static readonly PgStatement<int> s_double = PgStatement.Create<int>("select $1 * 2"u8);
    private static readonly PgStatement<int> s_divide = PgStatement.Create<int>("select 100 / $1"u8);
    private static readonly PgStatement<int, int> s_wide = PgStatement.Create<int, int>("select i, repeat('x', $2) from generate_series(1, $1) i"u8);
    private static readonly PgStatement<double> s_sleep = PgStatement.Create<double>("select pg_sleep($1)::text"u8, PgStatementOptions.KeepsSession);

    [Fact]
    public async Task BytesThatComeOneByOneAreReadAsEver()
    {
        await using FaultProxy proxy = await StartProxyAsync(
            ProxyFault.SliceAfter(Direction.ToClient, 0, 1), ProxyFault.SliceAfter(Direction.ToServer, 0, 1));
        PgDataSource db = TestDatabase.Open(Fixture, proxy.Port, TestDatabase.OneConnection);
        await ExchangeAsync(db).Within(60.Seconds());
        Assert.Equal(1, db.Opened());
    }

    [Theory, AllValues]
    public async Task AnEndAfterAnyMessageIsAnErrorOrARightAnswer(bool isReset)
    {
        await using FaultProxy proxy = await StartProxyAsync();
        int failures = 0;
        foreach (Direction direction in (Direction[])[Direction.ToClient, Direction.ToServer])
        {
            bool isUndisturbed = false;
            for (int message = 0; !isUndisturbed && message < 400; message++)
            {
                ProxyFault fault = isReset ? ProxyFault.ResetAfter(direction, 0) : ProxyFault.CutAfter(direction, 0);
                proxy.SetFaults(fault.AtMessage(message).On(proxy.Connections));
                await using PgDataSource db = PgDataSource.Create(
                    $"Host=127.0.0.1;Port={proxy.Port};Username={PgUsers.Trust};Database=postgres;SSL Mode=Disable;Max Per Reactor=1", Fixture.Group);
                try
                {
                    await ExchangeAsync(db).Within(20.Seconds());
                    isUndisturbed = db.Opened() == 1;
                }
                catch (DbException)
                {
                    failures++;
                }
                catch (IOException)
                {
                    failures++;
                }

                // Whatever happened, the next is served; the fault itself may only come now.
                try
                {
                    Assert.Equal(8, await db.Query(s_double, 4).ScalarAsync<int>().Within(20.Seconds()));
                }
                catch (DbException)
                {
                    // Until the next attempt each caller gets the cause of the last one.
                    isUndisturbed = false;
                    await Task.Delay(new PgDataSourceOptions().ReconnectDelay * 1.2);
                    Assert.Equal(8, await db.Query(s_double, 4).ScalarAsync<int>().Within(20.Seconds()));
                }
            }

            Assert.True(isUndisturbed, "The exchange has more messages than were tried.");
        }

        Assert.InRange(failures, 10, 800);
    }

    [Fact]
    public async Task AServerThatFallsSilentCostsItsConnectionAndNobodyHangs()
    {
        await using FaultProxy proxy = await StartProxyAsync();
        PgDataSource db = TestDatabase.Open(Fixture, proxy.Port, TestDatabase.OneConnectionWith(static options => options.CancelTimeout = 300.Milliseconds()));
        await db.Query(s_double, 1).ScalarAsync<int>().Within(20.Seconds());
        proxy.CutAll();
        await Waits.Eventually(() => db.Pools[0].OpenCount == 0, 20.Seconds());

        // Everything after the welcome disappears, and so does what cancels say.
        proxy.SetFaults(ProxyFault.StallAfter(Direction.ToClient, 0).AtMessage(16), ProxyFault.StallAfter(Direction.ToServer, 0).AtMessage(1));
        Task<int> first = db.Query(s_double, 1).WithTimeout(300.Milliseconds()).ScalarAsync<int>().AsTask();
        Task<int> second = db.Query(s_double, 2).WithTimeout(TimeSpan.Zero).ScalarAsync<int>().AsTask();
        await Assert.ThrowsAnyAsync<DbException>(() => first.Within(20.Seconds()));
        proxy.SetFaults();
        try
        {
            Assert.Equal(4, await second.Within(20.Seconds()));
        }
        catch (PgConnectionException)
        {
            // It was on the silent connection.
        }

        Assert.Equal(6, await db.Query(s_double, 3).ScalarAsync<int>().Within(20.Seconds()));
    }

    [Fact]
    public async Task ACancelThatNobodyAnswersIsGivenUpWithTheConnection()
    {
        await using FaultProxy proxy = await StartProxyAsync();
        PgDataSource db = TestDatabase.Open(Fixture, proxy.Port, TestDatabase.OneConnectionWith(static options => options.CancelTimeout = 300.Milliseconds()));
        await db.Query(s_sleep, 0).ExecuteAsync().Within(20.Seconds());
        proxy.SetFaults(ProxyFault.StallAfter(Direction.ToServer, 0).On(1));
        Task sleeping = db.Query(s_sleep, 600).WithTimeout(100.Milliseconds()).ExecuteAsync().AsTask();
        Task<int> behind = db.Query(s_double, 2).ScalarAsync<int>().AsTask();
        await Assert.ThrowsAsync<PgTimeoutException>(() => sleeping.Within(20.Seconds()));
        await Assert.ThrowsAsync<PgConnectionException>(() => behind.Within(20.Seconds()));
        Assert.Equal(6, await db.Query(s_double, 3).ScalarAsync<int>().Within(20.Seconds()));

        // The connection of the cancel goes too.
        await Waits.Eventually(() => Fixture.Connections == 1, 20.Seconds());
    }

    [Fact]
    public async Task AConnectThatTakesTooLongIsGivenUp()
    {
        await using FaultProxy proxy = await StartProxyAsync(ProxyFault.StallAfter(Direction.ToClient, 0));
        PgDataSource db = TestDatabase.Open(Fixture, proxy.Port, static options => options.ConnectTimeout = 300.Milliseconds());
        var error = await Assert.ThrowsAsync<PgTimeoutException>(() => db.Query(s_double, 1).ScalarAsync<int>().Within(20.Seconds()));
        Assert.Equal(PgTimeoutKind.Connect, error.Kind);
        await Waits.Eventually(() => Fixture.Connections == 0, 20.Seconds());
    }

    [Fact]
    public async Task ADataSourceThatIsClosedGivesUpItsConnects()
    {
        await using FaultProxy proxy = await StartProxyAsync(ProxyFault.StallAfter(Direction.ToClient, 0));
        PgDataSource db = TestDatabase.Open(Fixture, proxy.Port);
        Task<int> waiting = db.Query(s_double, 1).ScalarAsync<int>().AsTask();
        await Waits.Eventually(() => Fixture.Connections == 1, 20.Seconds());
        await db.CloseAsync().Within(20.Seconds());
        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting.Within(20.Seconds()));
        await Waits.Eventually(() => Fixture.Connections == 0, 20.Seconds());
    }

    [Fact]
    public async Task AResetInTheMiddleOfALargeResultIsAnErrorAndNoShortResult()
    {
        await using FaultProxy proxy = await StartProxyAsync(ProxyFault.CutAfter(Direction.ToClient, 300_000).On(0));
        PgDataSource db = TestDatabase.Open(Fixture, proxy.Port, TestDatabase.OneConnection);
        var error = await Assert.ThrowsAsync<PgConnectionException>(
            () => db.Query(s_wide, 10_000, 100).ListAsync(static row => row.GetInt32(0)).Within(20.Seconds()));
        Assert.Contains("closed the connection", error.Message, StringComparison.Ordinal);
        Assert.Equal(10_000, (await db.Query(s_wide, 10_000, 100).ListAsync(static row => row.GetInt32(0)).Within(20.Seconds())).Count);
    }

    [Fact]
    public async Task BatchesThatAreReadWhenTheConnectionIsLostStayReadable()
    {
        await using FaultProxy proxy = await StartProxyAsync();
        PgDataSource db = TestDatabase.Open(Fixture, proxy.Port, TestDatabase.OneConnection);
        await using PgRows rows = await db.Query(s_wide, 100_000, 100).RowsAsync();
        Assert.True(await rows.NextBatchAsync().Within(20.Seconds()));
        proxy.CutAll(isReset: true);
        int count = 0;
        await Assert.ThrowsAsync<PgConnectionException>(async () =>
        {
            do
            {
                foreach (PgRow row in rows.Batch)
                {
                    Assert.Equal(++count, row.GetInt32(0));
                    Assert.Equal(100, row.GetUtf8(1).Length);
                }
            }
            while (await rows.NextBatchAsync().Within(20.Seconds()));
        });
        Assert.InRange(count, 1, 99_999);
    }

    [Fact]
    public async Task SeededFaultsLeadToErrorsOrRightAnswersOnly()
    {
        int seed = TestSeed.Next();
        var random = new Random(seed);
        await using PgFixture fixture = new();
        await using FaultProxy proxy = await StartProxyAsync();
        PgDataSource db = TestDatabase.Open(fixture, proxy.Port, static options =>
        {
            options.ReconnectDelay = 20.Milliseconds();

            // A fault that ends every connection before it has started leaves callers to this alone.
            options.QueueTimeout = 2.Seconds();
        });
        int rightAnswers = 0;
        for (int round = 0; round < 40; round++)
        {
            proxy.SetFaults(ProxyFault.Draw(random, 5000));
            bool[] areRight = await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => IsServedAsync())).Within(30.Seconds(), $"round {round} of seed {seed}");
            rightAnswers += areRight.Count(static isRight => isRight);
            if (round % 8 == 7)
            {
                proxy.CutAll(isReset: round % 16 == 7);
            }
        }

        Assert.True(rightAnswers > 0, $"No exchange of seed {seed} was served.");

        // Connections with a fault are cut. Until the next attempt each caller gets the cause of the last one.
        proxy.SetFaults();
        proxy.CutAll();
        await Waits.Until(IsServedAsync, static isServed => isServed, 30.Seconds(), $"an exchange behind the faults of seed {seed}");

        async Task<bool> IsServedAsync()
        {
            try
            {
                await ExchangeAsync(db);
                return true;
            }
            catch (DbException)
            {
                // Told is all that is asked for.
                return false;
            }
        }
    }

    /// <summary>Some commands of each kind. Throws what the driver throws; a wrong answer fails the test.</summary>
    private static async Task ExchangeAsync(PgDataSource db)
    {
        Task<int> pipelined = db.Query(s_double, 20).ScalarAsync<int>().AsTask();
        Task<int> failing = db.Query(s_divide, 0).ScalarAsync<int>().AsTask();
        Task<List<int>> list = db.Query(s_wide, 20, 50).ListAsync(static row => row.GetInt32(0)).AsTask();
        await Task.WhenAll(pipelined, failing, list).ContinueWith(static task => task.Exception, TaskScheduler.Default);
        Exception? lost = null;
        await CheckAsync(async () => Assert.Equal(40, await pipelined));
        await CheckAsync(async () => Assert.Equal(Enumerable.Range(1, 20), await list));
        await CheckAsync(async () =>
        {
            try
            {
                await failing;
                Assert.Fail("A division by zero has a result.");
            }
            catch (PgException exception)
            {
                Assert.True(exception.SqlState == PgSqlState.DivisionByZero || !exception.SqlState.StartsWith("22", StringComparison.Ordinal));
            }
        });
        if (lost is not null)
        {
            throw lost;
        }

        await using PgRows rows = await db.Query(s_wide, 10, 500).RowsAsync(fetchSize: 4);
        int count = 0;
        while (await rows.NextBatchAsync())
        {
            foreach (PgRow row in rows.Batch)
            {
                Assert.Equal(++count, row.GetInt32(0));
            }
        }

        Assert.Equal(10, count);

        async Task CheckAsync(Func<Task> check)
        {
            try
            {
                await check();
            }
            catch (DbException exception)
            {
                lost = exception;
            }
        }
    }

    private static async Task<FaultProxy> StartProxyAsync(params ProxyFault[] faults)
        => FaultProxy.Start((await PostgresServer.SharedAsync()).EndPoint, faults);
}
