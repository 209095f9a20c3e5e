using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Ioxide.Pg.Tests;

/// <summary>What else happens to connections while a handler blocks their reactor: notices, notifications, cancelling, loss, the end.</summary>
public class BlockedReactorTests() : PgTests(TestDatabase.OneReactor)
{
    private static readonly PgStatement<double> s_sleep = PgStatement.Create<double>("select pg_sleep($1)::text"u8);
    private static readonly PgStatement<int> s_series = PgStatement.Create<int>("select i from generate_series(1, $1) i"u8);

    [Fact]
    public async Task ANoticeHandlerThatBlocksIsToldInOrder()
    {
        PgDataSource db = await Databases.OpenAsync<BlockedReactorTests>(Fixture);
        var told = new ConcurrentQueue<string>();
        using var never = new ManualResetEvent(false);
        int breaches = 0;
        db.Notice += notice =>
        {
            breaches += Reactor.Current is { IsBlocked: true } ? 1 : 0;
            never.WaitOne(2);
            told.Enqueue(notice.Message);
        };
        const string Sql = "do $$ begin for i in 1..20 loop raise notice 'n%', i; end loop; end $$";
        await Fixture[0].RunAsync(async () =>
        {
            await using PgSession session = await db.OpenSessionAsync();
            await session.RunScriptAsync(Sql);
            Assert.Equal(20, told.Count);
            session.RunScriptAsync(Sql).AsTask().Wait();
        }).Within(30.Seconds());

        Assert.Equal([.. Names(), .. Names()], told);
        Assert.Equal(0, breaches);
        Assert.True(Fixture[0].Blocked.Count >= 1);
        static IEnumerable<string> Names() => Enumerable.Range(1, 20).Select(i => $"n{i}");
    }

    [Theory, AllValues]
    public async Task NoticesBetweenRowsThatAreLentLoseNone(bool isBlocking)
    {
        PgDataSource db = await Databases.OpenAsync<BlockedReactorTests>(Fixture);
        var told = new ConcurrentQueue<string>();
        db.Notice += notice => told.Enqueue(notice.Message);
        List<int> read = await Fixture[0].RunAsync(async () =>
        {
            await using PgSession session = await db.OpenSessionAsync();
            await session.RunScriptAsync(
                "create function pg_temp.loud(i int) returns int language plpgsql as $$ begin raise notice 'n%', i; return i; end $$");
            PgStatement loud = PgStatement.Create("select pg_temp.loud(i), repeat('x', 500) from generate_series(1, 500) i"u8);
            var read = new List<int>();
            PgRows rows = await session.Query(loud).RowsAsync();
            await using (rows)
            {
                while (isBlocking ? rows.NextBatchAsync().AsTask().Result : await rows.NextBatchAsync())
                {
                    foreach (PgRow row in rows.Batch)
                    {
                        read.Add(row.GetInt32(0));
                    }
                }
            }

            return read;
        }).Within(30.Seconds());

        Assert.Equal(Enumerable.Range(1, 500), read);
        Assert.Equal(Enumerable.Range(1, 500).Select(i => $"n{i}"), told);
    }

    [Fact]
    public async Task NotificationsComeWhileAHandlerBlocks()
    {
        PgDataSource db = await Databases.OpenAsync<BlockedReactorTests>(Fixture);
        using var stop = new CancellationTokenSource();
        using var release = new ManualResetEventSlim();
        var heard = new ConcurrentQueue<(string Payload, Reactor? Where)>();
        Task listening = Fixture[0].RunAsync(async () =>
        {
            await foreach (PgNotification notification in db.ListenAsync("blocked", stop.Token))
            {
                heard.Enqueue((notification.Payload, Reactor.Current));
            }
        });
        PgSession other = await db.OpenSessionAsync();
        await Waits.Eventually(
            () =>
            {
                other.RunScriptAsync("notify blocked, 'warm'").AsTask().Wait();
                return !heard.IsEmpty;
            },
            20.Seconds());
        Task holding = Fixture[0].RunAsync(() => release.Wait(60.Seconds()));
        await Waits.Eventually(() => Fixture[0].IsBlocked, 20.Seconds());
        await other.RunScriptAsync("notify blocked, 'now'").AsTask().Within(20.Seconds());
        await Waits.Eventually(() => heard.Any(static told => told.Payload == "now"), 20.Seconds());

        Assert.True(Fixture[0].IsBlocked);
        Assert.Contains(("now", null), heard);
        await other.DisposeAsync();
        stop.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => listening.Within(20.Seconds()));
        release.Set();
        await holding.Within(20.Seconds());
    }

    [Theory, Each("Token", "Limit", "Loss")]
    public async Task ACommandThatIsBlockedForEndsEarly(string kind)
    {
        PgDataSource db = await Databases.OpenAsync<BlockedReactorTests>(Fixture);
        Exception? error = await Fixture[0].RunAsync(() =>
        {
            using var source = new CancellationTokenSource();
            Task<PgTag> command = kind switch
            {
                "Token" => db.Query(s_sleep, 60).ExecuteAsync(source.Token).AsTask(),
                "Limit" => db.Query(s_sleep, 60).WithTimeout(100.Milliseconds()).ExecuteAsync().AsTask(),
                _ => db.Query(s_sleep, 60).ExecuteAsync().AsTask(),
            };
            if (kind == "Token")
            {
                source.CancelAfter(100);
            }
            else if (kind == "Loss")
            {
                // On the other shared connection, or a new one.
                string sql = "select pg_terminate_backend(pid) from pg_stat_activity " +
                    "where query like '%pg_sleep($1)%' and state = 'active' and pid <> pg_backend_pid()";
                while (!command.IsCompleted)
                {
                    PgSession session = db.OpenSessionAsync().AsTask().Result;
                    session.RunScriptAsync(sql).AsTask().Wait();
                    session.DisposeAsync().AsTask().Wait();
                }
            }

            return Record.Exception(() => command.GetAwaiter().GetResult());
        }).Within(40.Seconds());

        Assert.IsAssignableFrom(
            kind switch { "Token" => typeof(OperationCanceledException), "Limit" => typeof(PgTimeoutException), _ => typeof(Exception) }, error);
        Assert.True(kind != "Loss" || error is PgException or PgConnectionException, $"{error}");
        Assert.Equal(3, await Fixture[0].RunAsync(() => db.Query(s_series, 3).ListAsync(static row => row.GetInt32(0)).AsTask().Result.Count).Within(20.Seconds()));
    }

    [Theory]
    [InlineData("Token", false)]
    [InlineData("Limit", false)]
    [InlineData("Close", false)]
    [InlineData("Token", true)]
    [InlineData("Limit", true)]
    [InlineData("Close", true)]
    public async Task ACallerGetsItsListBackOnlyWhenTheReaderIsThroughWithIt(string kind, bool isOnPool)
    {
        PgDataSource db = await Databases.OpenAsync<BlockedReactorTests>(Fixture);
        using var release = new ManualResetEventSlim();
        using var unblock = new ManualResetEventSlim();
        using var source = new CancellationTokenSource();
        var list = new List<int>();
        await db.Query(s_series, 1).ExecuteAsync();
        PgStatement<int> slowly = PgStatement.Create<int>("select i from pg_sleep(0.2), generate_series(1, $1) i"u8);
        TimeSpan limit = 400.Milliseconds();
        Task<List<int>> reading;
        Task holding;
        while (true)
        {
            TaskCompletionSource<Reactor?> entered = Waits.Signal<Reactor?>();
            reading = Fixture[0].RunAsync(() => db.Query(slowly, 100).WithTimeout(kind == "Limit" ? limit : TimeSpan.Zero).ListAsync(
                row =>
                {
                    entered.TrySetResult(Reactor.Current);
                    release.Wait(60.Seconds());
                    return row.GetInt32(0);
                },
                list, source.Token).AsTask());
            holding = isOnPool ? Fixture[0].RunAsync(() => unblock.Wait(60.Seconds())) : Task.CompletedTask;
            if (await Task.WhenAny(entered.Task, reading).Within(20.Seconds()) == entered.Task)
            {
                Assert.Equal(isOnPool ? null : Fixture[0], await entered.Task);
                break;
            }

            // On a busy machine the first row may come behind the limit.
            Assert.IsType<PgTimeoutException>(await Record.ExceptionAsync(() => reading));
            limit *= 2;
            unblock.Set();
            await holding.Within(20.Seconds());
            unblock.Reset();
        }

        Task closing = Task.CompletedTask;
        if (kind == "Token")
        {
            source.Cancel();
        }
        else if (kind == "Close")
        {
            closing = db.CloseAsync(new CancellationToken(canceled: true));
        }

        // The reactor turns while the reader waits: what happened to the command has come to it.
        if (kind == "Limit")
        {
            await Task.Delay(limit + 100.Milliseconds());
        }

        for (int i = 0; i < 10; i++)
        {
            await ReactorWork.OnReactorAsync(Fixture[0], static () => Task.FromResult(true)).Within(20.Seconds());
        }

        Assert.False(reading.IsCompleted);
        release.Set();
        Exception? error = await reading.ErrorWithin(20.Seconds());
        int count = list.Count;
        if (kind == "Limit")
        {
            // Its time stands still while the reader takes its own.
            Assert.True(error is null or PgTimeoutException, $"{error}");
        }
        else
        {
            Assert.True(kind == "Token" ? error is OperationCanceledException : error is PgConnectionException, $"{error}");
            Assert.InRange(count, 1, 99);
        }

        unblock.Set();
        await holding.Within(20.Seconds());
        await closing.Within(20.Seconds());
        Assert.Equal(count, list.Count);
    }

    [Theory, AllValues]
    public async Task AStopEndsAReactorWhoseHandlerBlocksForTheDatabase(bool isInReader)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<BlockedReactorTests>();
        ReactorGroup group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 1 });
        PgDataSource db = PgDataSource.Create(
            $"Host=127.0.0.1;Port={server.Port};Username={PgUsers.Trust};Database={database};SSL Mode=Disable", group);
        using var release = new ManualResetEventSlim();
        TaskCompletionSource<Exception?> ended = Waits.Signal<Exception?>();
        group.Reactors[0].Post(
            async _ =>
            {
                try
                {
                    if (isInReader)
                    {
                        await db.Query(s_series, 10).ListAsync(row =>
                        {
                            release.Wait();
                            return row.GetInt32(0);
                        });
                    }
                    else
                    {
                        db.Query(s_sleep, 600).ExecuteAsync().AsTask().Wait();
                    }

                    ended.SetResult(null);
                }
                catch (Exception exception)
                {
                    ended.SetResult(exception);
                }
            },
            null);
        await Waits.Eventually(() => group.Reactors[0].IsBlocked && db.Opened() > 0, 20.Seconds());
        await group.DisposeAsync().AsTask().Within(20.Seconds(), "the group stops under the blocked handler");
        release.Set();

        Assert.NotNull(await ended.Task.Within(20.Seconds(), "the handler is told"));
        await db.DisposeAsync().AsTask().Within(20.Seconds());
    }

    [Fact]
    public async Task AProviderOfPasswordsAndALoggerRunNoCodeOnTheBlockedStack()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<BlockedReactorTests>();
        int asked = 0;
        var log = new Log();
        PgDataSourceOptions options = TestDatabase.Patient(PgDataSourceOptions.Parse(
            $"Host=127.0.0.1;Port={server.Port};Username={PgUsers.Scram};Database={database};SSL Mode=Disable"));
        options.PasswordProvider = cancellation =>
        {
            log.Breaches += Reactor.Current is { IsBlocked: true } ? 1 : 0;
            Task.Delay(2, cancellation).Wait(cancellation);
            asked++;
            return new ValueTask<string>(PgUsers.Password);
        };
        PgDataSource db = Fixture.Own(PgDataSource.Create(options, Fixture.Group, log));

        // Blocked, then awaited: the provider waits on the thread pool, then on the reactor.
        Assert.Equal(3, await Fixture[0].RunAsync(() => db.Query(s_series, 3).ListAsync(static row => row.GetInt32(0)).AsTask().Result.Count).Within(30.Seconds()));
        await Fixture[0].RunAsync(async () =>
        {
            PgSession one = await db.OpenSessionAsync();
            PgSession two = await db.OpenSessionAsync();
            PgSession three = await db.OpenSessionAsync();
            await one.DisposeAsync();
            await two.DisposeAsync();
            await three.DisposeAsync();
        }).Within(30.Seconds());

        Assert.InRange(asked, 2, 8);
        Assert.True(log.Lines >= 2);
        Assert.Equal(0, log.Breaches);
    }

    private sealed class Log : ILoggerFactory, ILogger
    {
        internal int Breaches { get; set; }

        internal int Lines { get; private set; }

        public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        void ILogger.Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            Breaches += Reactor.Current is { IsBlocked: true } ? 1 : 0;
            Lines++;
        }

        public void Dispose()
        {
        }
    }
}
