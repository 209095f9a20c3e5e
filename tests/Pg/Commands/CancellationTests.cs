namespace Ioxide.Pg.Tests;

/// <summary>Commands that are given up, by a token or by their time limit, between others on the same connection.</summary>
public class CancellationTests : OneConnectionTests
{
    private static readonly PgStatement<double> s_sleep = PgStatement.Create<double>("select pg_sleep($1)::text"u8, PgStatementOptions.KeepsSession);
    private static readonly PgStatement<double> s_unknown = PgStatement.Create<double>("select pg_sleep($1)::text"u8);
    private static readonly PgStatement<int> s_double = PgStatement.Create<int>("select $1 * 2"u8);
    private static readonly PgStatement<int> s_series = PgStatement.Create<int>("select i from generate_series(1, $1) i"u8);

    [Fact]
    public async Task ACancelledCommandHarmsNoneOfItsNeighbours()
    {
        for (int round = 0; round < 10; round++)
        {
            using var source = new CancellationTokenSource();
            Task<int>[] before = Doubles(Db, 20);
            Task sleeping = Db.Query(s_sleep, 60).ExecuteAsync(source.Token).AsTask();
            Task<int>[] after = Doubles(Db, 20);
            await AssertDoublesAsync(before);
            await source.CancelAsync();
            OperationCanceledException cancelled = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sleeping.Within(20.Seconds()));
            Assert.Equal(source.Token, cancelled.CancellationToken);
            await AssertDoublesAsync(after);
        }

        Assert.Equal(1, Db.Opened());
    }

    [Fact]
    public async Task ACommandThatTakesTooLongHarmsNoneOfItsNeighbours()
    {
        for (int round = 0; round < 5; round++)
        {
            Task<int>[] before = Doubles(Db, 20);
            Task sleeping = Db.Query(s_sleep, 60).WithTimeout(50.Milliseconds()).ExecuteAsync().AsTask();
            Task<int>[] after = Doubles(Db, 20);
            PgTimeoutException timeout = await Assert.ThrowsAsync<PgTimeoutException>(() => sleeping.Within(20.Seconds()));
            Assert.Equal(PgTimeoutKind.Command, timeout.Kind);
            await AssertDoublesAsync(before);
            await AssertDoublesAsync(after);
        }

        Assert.Equal(1, Db.Opened());
    }

    [Fact]
    public async Task WaitingBehindOthersDoesNotCountAsACommandsTime()
    {
        await Db.Query(s_sleep, 0).ExecuteAsync();

        // The limit is shorter than the wait and long beside the work; on a busy machine the work takes long, so that it gets more.
        for (int limit = 2; !await IsServedAsync(limit); limit *= 3)
        {
            Assert.InRange(limit, 0, 6);
        }

        async Task<bool> IsServedAsync(int limit)
        {
            Task slow = Db.Query(s_sleep, limit + 0.5).ExecuteAsync().AsTask();
            Task patient = Db.Query(s_sleep, 0.01).WithTimeout(limit.Seconds()).ExecuteAsync().AsTask();
            await slow.Within(20.Seconds());
            return await patient.ContinueWith(static task => task.Exception is null, TaskScheduler.Default).Within(20.Seconds());
        }
    }

    [Fact]
    public async Task ACommandThatWasGivenUpWhileItWaitedDoesNotHoldUpThoseBehindIt()
    {
        await Db.Query(s_sleep, 0).ExecuteAsync();
        using var source = new CancellationTokenSource();
        Task first = Db.Query(s_sleep, 0.5).ExecuteAsync().AsTask();
        Task givenUp = Db.Query(s_sleep, 600).WithTimeout(TimeSpan.Zero).ExecuteAsync(source.Token).AsTask();
        Task<int> behind = Db.Query(s_double, 21).ScalarAsync<int>().AsTask();
        await Fixture[0].RunAsync(static () => { });
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => givenUp.Within(20.Seconds()));
        Assert.Equal(42, await behind.Within(20.Seconds()));
        await first.Within(20.Seconds());
        Assert.Equal(1, Db.Opened());
    }

    [Fact]
    public async Task ACommandThatIsCancelledBeforeItStartsIsNotSent()
    {
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => Db.Query(s_double, 1).ScalarAsync<int>(new CancellationToken(canceled: true)).Within(20.Seconds()));
        Assert.Equal(0, Db.Opened());
    }

    [Fact]
    public async Task CancellingWhileTheStatementIsNewLeavesThoseWhoWaitForItUnharmed()
    {
        for (int round = 0; round < 20; round++)
        {
            var statement = PgStatement.Create<int>("select $1 * 2"u8);
            using var source = new CancellationTokenSource();
            Task<int> given = Db.Query(statement, 1).ScalarAsync<int>(source.Token).AsTask();
            Task<int>[] others = [.. Enumerable.Range(0, 10).Select(i => Db.Query(statement, i).ScalarAsync<int>().AsTask())];
            await source.CancelAsync();
            try
            {
                Assert.Equal(2, await given.Within(20.Seconds()));
            }
            catch (OperationCanceledException)
            {
                // Either may be faster.
            }

            await AssertDoublesAsync(others);
        }
    }

    [Theory, AllValues]
    public async Task CommandsThatACancelRequestStruckByMistakeAreRunAgain(bool isFollowedByAReset)
    {
        PgDataSource db = await TestDatabase.OpenAsync<CancellationTests>(
            Fixture,
            static options =>
            {
                TestDatabase.OneConnection(options);

                // A connection whose cancel a busy machine answers late would be replaced.
                options.CancelTimeout = 20.Seconds();
            });
        for (int round = 0; round < 40; round++)
        {
            // The command is about to end when it is cancelled, so that the request may strike what comes next.
            using var source = new CancellationTokenSource();
            Task racing = db.Query(isFollowedByAReset ? s_unknown : s_sleep, 0.005).ExecuteAsync(source.Token).AsTask();
            Task<List<int>> next = db.Query(s_series, 20_000).ListAsync(static row => row.GetInt32(0)).AsTask();
            Task<int>[] more = Doubles(db, 10);
            await Task.Delay(5);
            await source.CancelAsync();
            await racing.ContinueWith(static task => task.Exception, TaskScheduler.Default).Within(20.Seconds());
            Assert.Equal(20_000, (await next.Within(20.Seconds())).Count);
            await AssertDoublesAsync(more);
        }

        Assert.Equal(1, db.Opened());
    }

    [Fact]
    public async Task OnASessionANeighbourThatACancelRequestStruckSaysSo()
    {
        await using PgSession session = await Db.OpenSessionAsync();
        await session.Query(s_sleep, 0).ExecuteAsync();
        await session.Query(s_series, 1).ListAsync(static row => row.GetInt32(0));
        for (int round = 0; round < 100; round++)
        {
            // The command is about to end when it is cancelled.
            using var source = new CancellationTokenSource();
            (Task racing, Task<List<int>>[] next) = await Fixture[0].RunAsync(() => (
                (Task)session.Query(s_sleep, round * 0.00005).ExecuteAsync(source.Token).AsTask(),
                (Task<List<int>>[])[.. Enumerable.Range(0, 3).Select(_ => session.Query(s_series, 5000).ListAsync(static row => row.GetInt32(0)).AsTask())]));
            await source.CancelAsync();
            await racing.ContinueWith(static task => task.Exception, TaskScheduler.Default).Within(20.Seconds());
            foreach (Task<List<int>> neighbour in next)
            {
                try
                {
                    Assert.Equal(5000, (await neighbour.Within(20.Seconds())).Count);
                }
                catch (PgStrayCancelException struck)
                {
                    // Its caller can tell, and run it again.
                    Assert.True(struck.IsTransient);
                }
            }
        }

        Assert.Equal(1, Db.Opened());
    }

    [Fact]
    public async Task AServersOwnCancellationIsTheCallersToSee()
    {
        await using PgSession session = await Db.OpenSessionAsync();
        await session.RunScriptAsync("set statement_timeout = 50").Within(20.Seconds());
        PgException error = await Assert.ThrowsAsync<PgException>(() => session.Query(s_sleep, 60).ExecuteAsync().Within(20.Seconds()));
        Assert.Equal(PgSqlState.QueryCanceled, error.SqlState);
    }

    private static Task<int>[] Doubles(PgDataSource db, int count)
        => [.. Enumerable.Range(0, count).Select(i => db.Query(s_double, i).ScalarAsync<int>().AsTask())];

    private static async Task AssertDoublesAsync(Task<int>[] answers)
        => Assert.Equal(Enumerable.Range(0, answers.Length).Select(static i => i * 2), await Task.WhenAll(answers).Within(20.Seconds()));
}
