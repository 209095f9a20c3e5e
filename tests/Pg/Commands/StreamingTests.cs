using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using System.Text.Json;

namespace Ioxide.Pg.Tests;

/// <summary>Results that are read at the reader's pace.</summary>
public class StreamingTests : OneConnectionTests
{
    private static readonly PgStatement<int, int> s_wide = PgStatement.Create<int, int>(
        "select i, repeat('x', $2) as text from generate_series(1, $1) i"u8);
    private static readonly PgStatement<int> s_series = PgStatement.Create<int>("select i from generate_series(1, $1) i"u8);
    private static readonly PgStatement s_one = PgStatement.Create("select 1"u8);

    [Fact]
    public async Task ASlowReaderStopsTheServer()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<StreamingTests>();
        long before = GC.GetTotalMemory(forceFullCollection: true);
        await using (PgRows rows = await Db.Query(s_wide, 200_000, 1000).RowsAsync())
        {
            Assert.True(await rows.NextBatchAsync());
            await UntilAsync(async () => await server.RunSqlAsync(
                $"select count(*) from pg_stat_activity where datname = '{database}' and wait_event = 'ClientWrite'") == "1");
            Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, 8 * 1024 * 1024);
        }

        Assert.Equal(1, await Db.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
        Assert.Equal(1, Db.Opened());
        Assert.Equal(1, Db.Cancels());
    }

    [Theory, Each(0, 10)]
    public async Task RowsThatAreDisposedBeforeTheirFirstEndTheCommand(int fetchSize)
    {
        PgDataSource db = await TestDatabase.OpenAsync<StreamingTests>(Fixture, static options => options.CommandTimeout = TimeSpan.Zero);
        PostgresServer server = await PostgresServer.SharedAsync();
        await using PgSession session = await db.OpenSessionAsync();
        await using (await session.Query(PgStatement.Create("select 1 from pg_sleep(600)"u8)).RowsAsync(fetchSize))
        {
            await server.SleepsAsync(session.ProcessId);
        }

        Assert.Equal(1, await session.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
    }

    [Fact]
    public async Task RowsThatAreDisposedBehindACancelDoNotGiveASilentServerMoreTime()
    {
        PgDataSource db = await TestDatabase.OpenAsync<StreamingTests>(Fixture, static options =>
        {
            options.CommandTimeout = TimeSpan.Zero;
            options.CancelTimeout = 3.Seconds();
        });
        PostgresServer server = await PostgresServer.SharedAsync();
        await using PgSession session = await db.OpenSessionAsync();
        await using (await session.Query(PgStatement.Create("select 1 from pg_sleep(600)"u8)).RowsAsync(fetchSize: 10))
        {
            await server.SleepsAsync(session.ProcessId);
            server.FreezeBackend(session.ProcessId);
            await session.CancelAsync().AsTask().Within(20.Seconds());
        }

        try
        {
            await Waits.Eventually(() => !session.IsOpen, 20.Seconds());
        }
        finally
        {
            server.ThawBackend(session.ProcessId);
        }
    }

    [Theory, Each(true, false)]
    public async Task ACommandBehindTheSessionsOwnOpenRowsIsRefused(bool isOnReactor)
    {
        await (isOnReactor ? Fixture[0].RunAsync(RunAsync) : RunAsync()).Within(20.Seconds());

        async Task RunAsync()
        {
            await using PgSession session = await Db.OpenSessionAsync();
            await using (PgRows rows = await session.Query(s_series, 3).RowsAsync())
            {
                Assert.True(await rows.NextBatchAsync());
                var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => session.Query(s_one).ScalarAsync<int>().AsTask());
                Assert.Contains(nameof(PgRows), refused.Message, StringComparison.Ordinal);
                Assert.False(await rows.NextBatchAsync());
                Assert.Equal(1, await session.Query(s_one).ScalarAsync<int>());
            }

            await using (PgRows rest = await session.Query(s_series, 10_000).RowsAsync())
            {
                Assert.True(await rest.NextBatchAsync());
            }

            Assert.Equal(1, await session.Query(s_one).ScalarAsync<int>());
        }
    }

    [Fact]
    public async Task ARestThatIsReceivedAlreadyIsDroppedWithoutACancel()
    {
        await Fixture[0].RunAsync(async () =>
        {
            for (int i = 0; i < 20; i++)
            {
                await using PgRows rows = await Db.Query(s_series, 3).RowsAsync();
                Assert.True(await rows.NextBatchAsync());
            }
        }).Within(20.Seconds());
        Assert.Equal(0, Db.Cancels());
        Assert.Equal(1, Db.Opened());
    }

    [Theory, Each(0, 1, 100, 5000)]
    public async Task EveryRowComesOnceAndInOrder(int fetchSize)
    {
        for (int round = 0; round < 2; round++)
        {
            int count = 0;
            await using PgRows rows = await Db.Query(s_wide, 1050, 300).RowsAsync(fetchSize);
            await rows.EachAsync(row =>
            {
                Assert.Equal(++count, row.GetInt32(0));
                Assert.Equal(300, row.GetUtf8(1).Length);
            });

            Assert.Equal(1050, count);
            Assert.Equal("SELECT", rows.Tag.Command);
            Assert.False(await rows.NextBatchAsync());
        }

        Assert.Equal(0, Db.Cancels());
    }

    [Theory, Each(0, 10)]
    public async Task RowsThatAreDisposedInTheMiddleLeaveTheConnectionUsable(int fetchSize)
    {
        for (int round = 0; round < 5; round++)
        {
            await using (PgRows rows = await Db.Query(s_wide, 100_000, 500).RowsAsync(fetchSize))
            {
                Assert.True(await rows.NextBatchAsync().Within(20.Seconds()));
            }

            Assert.Equal(1, await Db.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
        }

        Assert.Equal(1, Db.Opened());
    }

    [Fact]
    public async Task APortalThatIsDisposedNeedsNoCancel()
    {
        await using (PgRows rows = await Db.Query(s_series, 100_000).RowsAsync(fetchSize: 10))
        {
            Assert.True(await rows.NextBatchAsync().Within(20.Seconds()));
        }

        Assert.Equal(1, await Db.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
        Assert.Equal(0, Db.Cancels());
    }

    [Theory, Each(0, 2)]
    public async Task AnErrorAfterSomeRowsComesAfterThem(int fetchSize)
    {
        var failing = PgStatement.Create("select 10 / (5 - i) from generate_series(1, 10) i"u8);
        int count = 0;
        await using (PgRows rows = await Db.Query(failing).RowsAsync(fetchSize))
        {
            PgException error = await Assert.ThrowsAsync<PgException>(() => rows.EachAsync(row => count++));
            Assert.Equal(PgSqlState.DivisionByZero, error.SqlState);
        }

        Assert.Equal(4, count);
        Assert.Equal(1, await Db.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
        Assert.Equal(1, Db.Opened());
    }

    [Fact]
    public async Task ObjectsAreReadOneByOne()
    {
        await using PgFixture fixture = new();
        PgDataSource db = await Databases.OpenAsync<StreamingTests>(fixture);
        int count = 0;
        await using PgRows rows = await db.Query(s_series, 10_000).RowsAsync();
        await foreach (int value in rows.ReadAllAsync(static row => row.GetInt32(0)))
        {
            Assert.Equal(++count, value);
        }

        Assert.Equal(10_000, count);
    }

    [Fact]
    public async Task WaitingForRowsCanBeCancelled()
    {
        var slow = PgStatement.Create("select pg_sleep(60)::text"u8);
        using var source = new CancellationTokenSource(100.Milliseconds());
        await using (PgRows rows = await Db.Query(slow).RowsAsync())
        {
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => rows.NextBatchAsync(source.Token).Within(20.Seconds()));
        }

        Assert.Equal(1, await Db.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
        Assert.Equal(1, Db.Opened());
    }

    [Fact]
    public async Task JsonWaitsForASlowReaderAndComesWhole()
    {
        const int RowCount = 20_000;
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 64 * 1024, resumeWriterThreshold: 32 * 1024));
        Task<PgTag> writing = Db.Query(s_wide, RowCount, 1000).StreamJsonAsync(pipe.Writer).AsTask();
        using var text = new MemoryStream();
        long most = 0;
        _ = writing.ContinueWith(_ => pipe.Writer.Complete(), TaskScheduler.Default);
        while (true)
        {
            ReadResult result = await pipe.Reader.ReadAsync().AsTask().Within(20.Seconds());
            most = Math.Max(most, result.Buffer.Length);
            text.Write(result.Buffer.ToArray());
            pipe.Reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                break;
            }
        }

        Assert.Equal(RowCount, (await writing).RowsAffected);
        Assert.InRange(most, 1, 4 * 1024 * 1024);
        using JsonDocument document = JsonDocument.Parse(text.ToArray());
        Assert.Equal(Enumerable.Range(1, RowCount), document.RootElement.EnumerateArray().Select(static row => row.GetProperty("i").GetInt32()));
    }

    [Fact]
    public async Task JsonForAReaderThatIsGoneEndsItsCommandAlone()
    {
        for (int round = 0; round < 2; round++)
        {
            var pipe = new Pipe();
            if (round == 0)
            {
                await pipe.Reader.CompleteAsync();
            }

            Task<PgTag> writing = Db.Query(s_wide, 200_000, 1000).StreamJsonAsync(pipe.Writer).AsTask();
            if (round == 1)
            {
                await pipe.Reader.ReadAsync().AsTask().Within(20.Seconds());
                await pipe.Reader.CompleteAsync();
            }

            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => writing.Within(20.Seconds()));
            Assert.Equal(1, await Db.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
        }

        Assert.Equal(1, Db.Opened());
    }

    [Theory, Each(8 * 1024 * 1024, 50 * 1024 * 1024)]
    public async Task ALargeValueGoesThereAndBack(int lengthBytes)
    {
        byte[] value = new byte[lengthBytes];
        new Random(1).NextBytes(value);
        var echo = PgStatement.Create<byte[]>("select $1"u8);
        byte[] back = await Db.Query(echo, value).ScalarAsync<byte[]>().Within(60.Seconds());
        Assert.True(value.AsSpan().SequenceEqual(back));
        Assert.Equal(1, await Db.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
    }

    [Fact]
    public async Task JsonAboveTheBuffersLimitFailsItsCommandAlone()
    {
        var writer = new ArrayBufferWriter<byte>();
        await Assert.ThrowsAsync<PgResultTooLargeException>(() => Db.Query(s_wide, 2000, 1000).WriteJsonAsync(writer).Within(20.Seconds()));
        Assert.Equal(1, await Db.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
        Assert.Equal(1, Db.Opened());
    }

    private static async Task UntilAsync(Func<Task<bool>> condition)
    {
        long started = Environment.TickCount64;
        while (!await condition())
        {
            Assert.InRange(Environment.TickCount64 - started, 0, 60_000);
        }
    }
}
