using System.Buffers;
using System.IO.Pipelines;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>
/// Handlers that block a reactor until the database has answered get their answer from that same reactor, also where its first connection
/// has to be made inside the wait. Each test counts that the ring turned (<see cref="BlockedWait.Count"/>).
/// </summary>
public class BlockedQueryTests : OneConnectionTests
{
    private static readonly PgStatement<int> s_series = PgStatement.Create<int>("select i, 'row ' || i from generate_series(1, $1) i"u8);
    private static readonly PgStatement<int> s_double = PgStatement.Create<int>("select $1 * 2"u8);
    private static readonly PgStatement<double> s_slowly = PgStatement.Create<double>("select i from pg_sleep($1), generate_series(1, 50) i"u8);

    [Theory]
    [InlineData("Scalar", "disable")]
    [InlineData("First", "disable")]
    [InlineData("List", "disable")]
    [InlineData("ForEach", "disable")]
    [InlineData("Json", "disable")]
    [InlineData("StreamJson", "disable")]
    [InlineData("Execute", "disable")]
    [InlineData("Rows", "disable")]
    [InlineData("Fetch", "disable")]
    [InlineData("Batch", "disable")]
    [InlineData("Transaction", "disable")]
    [InlineData("CopyIn", "disable")]
    [InlineData("CopyOut", "disable")]
    [InlineData("List", "require")]
    [InlineData("Rows", "require")]
    [InlineData("Transaction", "require")]
    public async Task AResultIsThereAfterTheFirstUseBlocksForIt(string kind, string sslMode)
    {
        PgDataSource db = await Databases.OpenAsync<BlockedQueryTests>(Fixture, $"SSL Mode={sslMode}");
        for (int round = 0; round < 3; round++)
        {
            string result = await Fixture[0].RunAsync(() => Ask(db, kind)).Within(40.Seconds(), kind);
            Assert.Equal("3000", result);
        }

        Assert.True(Fixture[0].Blocked.Count >= 1, "the ring turned inside the wait");
        Assert.False(Fixture[0].IsBlocked);
        Assert.Equal(42, await Fixture[0].RunAsync(async () => await db.Query(s_double, 21).ScalarAsync<int>()).Within(20.Seconds()));
    }

    [Fact]
    public async Task AHandlerThatAnAnswerResumedBlocksForTheNextOneOfTheSameConnection()
    {
        long sum = await Fixture[0].RunAsync(async () =>
        {
            long sum = await Db.Query(s_double, 1).ScalarAsync<int>();
            for (int i = 0; i < 20; i++)
            {
                sum += Db.Query(s_double, i).ScalarAsync<int>().AsTask().Result;
                sum += await Db.Query(s_double, i).ScalarAsync<int>();
                sum += Db.Query(s_series, i + 1).ListAsync(static row => row.GetInt32(0)).AsTask().Result.Count;
            }

            return sum;
        }).Within(60.Seconds());

        Assert.Equal(2 + (4 * 190) + 210, sum);
        Assert.Equal(1, Db.Opened());
    }

    [Fact]
    public async Task AReaderOfBatchesBlocksForTheNextBatch()
    {
        PgDataSource db = await Databases.OpenAsync<BlockedQueryTests>(Fixture);
        int count = await Fixture[0].RunAsync(async () =>
        {
            int count = 0;
            PgRows rows = await db.Query(s_series, 20_000).RowsAsync(fetchSize: 500);
            await using (rows)
            {
                // In turns, so that each kind of wait follows the other.
                for (bool isAwaited = true; isAwaited ? await rows.NextBatchAsync() : rows.NextBatchAsync().AsTask().Result; isAwaited = !isAwaited)
                {
                    foreach (PgRow row in rows.Batch)
                    {
                        count += row.GetInt32(0) > 0 ? 1 : 0;
                    }
                }
            }

            return count;
        }).Within(60.Seconds());

        Assert.Equal(20_000, count);
    }

    [Fact]
    public async Task RowsOfABlockedReactorAreReadElsewhere()
    {
        PgDataSource db = await Databases.OpenAsync<BlockedQueryTests>(Fixture);
        Assert.Equal(4, await db.Query(s_double, 2).ScalarAsync<int>());
        using var release = new ManualResetEventSlim();
        var where = new System.Collections.Concurrent.ConcurrentBag<Reactor?>();
        object gate = new();
        int inside = 0;
        bool isEntered = false;
        Task<List<int>> reading = Fixture[0].RunAsync(() => db.Query(s_slowly, 0.3).ListAsync(row =>
        {
            lock (gate)
            {
                where.Add(Reactor.Current);
                isEntered |= inside != 0;
            }

            return row.GetInt32(0);
        }).AsTask());
        Task holding = Fixture[0].RunAsync(() =>
        {
            // The lock is open to its own thread: rows that were read there would come inside.
            lock (gate)
            {
                inside = 1;
                Fixture[0].DelayAsync(800.Milliseconds()).AsTask().Wait();
                inside = 0;
            }

            release.Wait(60.Seconds());
        });
        Assert.Equal(Enumerable.Range(1, 50), await reading.Within(30.Seconds()));
        Assert.True(Fixture[0].IsBlocked);
        Assert.All(where, Assert.Null);
        Assert.False(isEntered);
        release.Set();
        await holding.Within(20.Seconds());
    }

    [Fact]
    public async Task AReaderOfRowsThatBlocksHoldsUpItsOwnConnectionOnly()
    {
        PgDataSource db = await Databases.OpenAsync<BlockedQueryTests>(Fixture);
        using var never = new ManualResetEvent(false);
        Task<List<int>> slow = Fixture[0].RunAsync(() => db.Query(s_series, 50).ListAsync(row =>
        {
            never.WaitOne(5);
            return row.GetInt32(0);
        }).AsTask());
        Task<int>[] others = [.. Enumerable.Range(0, 50).Select(i => Task.Run(async () => await db.Query(s_double, i).ScalarAsync<int>()))];

        Assert.Equal(Enumerable.Range(0, 50).Select(i => i * 2), await Task.WhenAll(others).Within(30.Seconds()));
        Assert.Equal(Enumerable.Range(1, 50), await slow.Within(30.Seconds()));
        Assert.True(Fixture[0].Blocked.Count >= 1);
    }

    [Fact]
    public async Task AReaderOfRowsBlocksForACommandOfItsOwn()
    {
        PgDataSource db = await TestDatabase.OpenAsync<BlockedQueryTests>(Fixture, options => options.SharedPerReactor = 1);
        List<int> doubles = await Fixture[0].RunAsync(() => db.Query(s_series, 30)
            .ListAsync(row => db.Query(s_double, row.GetInt32(0)).ScalarAsync<int>().AsTask().Result).AsTask()).Within(30.Seconds());

        Assert.Equal(Enumerable.Range(1, 30).Select(i => i * 2), doubles);
    }

    [Fact]
    public async Task HandlersOnALockHeldAcrossAResultComeInTurn()
    {
        using PoolThreads threads = new(24);
        await using PgFixture fixture = new();
        PgDataSource db = await Databases.OpenAsync<BlockedQueryTests>(fixture);
        object gate = new();
        int inside = 0;
        int breaches = 0;
        Task<int>[] handlers = [.. Enumerable.Range(0, 12).Select(i => fixture[i % 2].RunAsync(async () =>
        {
            await Task.Yield();
            lock (gate)
            {
                breaches += Interlocked.Increment(ref inside) == 1 ? 0 : 1;
                int result = db.Query(s_double, i).FirstAsync(static row => row.GetInt32(0)).AsTask().Result;
                Interlocked.Decrement(ref inside);
                return result;
            }
        }))];

        Assert.Equal(Enumerable.Range(0, 12).Select(i => i * 2), await Task.WhenAll(handlers).Within(60.Seconds()));
        Assert.Equal(0, breaches);
    }

    private static string Ask(PgDataSource db, string kind)
    {
        switch (kind)
        {
            case "Scalar":
                return $"{db.Query(s_double, 1500).ScalarAsync<int>().AsTask().Result}";
            case "First":
                return $"{db.Query(s_double, 1500).FirstAsync(static row => row.GetInt32(0)).AsTask().Result}";
            case "List":
                return $"{db.Query(s_series, 3000).ListAsync(static row => (row.GetInt32(0), row.GetString(1))).AsTask().Result.Count}";
            case "ForEach":
                int[] count = new int[1];
                db.Query(s_series, 3000).ForEachAsync(static (_, count) => count[0]++, count).AsTask().Wait();
                return $"{count[0]}";
            case "Json":
                var buffer = new ArrayBufferWriter<byte>();
                db.Query(s_series, 3000).WriteJsonAsync(buffer).AsTask().Wait();
                return $"{CountObjects(buffer.WrittenSpan)}";
            case "StreamJson":
                return Piped(writer => db.Query(s_series, 3000).StreamJsonAsync(writer).AsTask(), CountObjects);
            case "Execute":
                return $"{db.Query(s_series, 3000).ExecuteAsync().AsTask().Result.RowsAffected}";
            case "Rows":
                return $"{CountRows(db, 0)}";
            case "Fetch":
                return $"{CountRows(db, 100)}";
            case "Batch":
                PgBatch batch = db.CreateBatch();
                PgPending<int> one = db.Query(s_double, 500).Scalar<int>(batch);
                PgPending<List<int>> two = db.Query(s_series, 2000).List(batch, static row => row.GetInt32(0));
                batch.RunAsync().AsTask().Wait();
                return $"{one.Result + two.Result.Count}";
            case "Transaction":
                return $"{db.TransactionAsync(
                    static async (transaction, _, cancellation) => await transaction.Session.Query(s_double, 1500).ScalarAsync<int>(cancellation), 0).AsTask().Result}";
            case "CopyIn":
                PgSession session = db.OpenSessionAsync().AsTask().Result;
                session.RunScriptAsync("create temp table t (i int)").AsTask().Wait();
                PgCopyIn copy = session.CopyInAsync("copy t from stdin"u8.ToArray()).AsTask().Result;
                copy.WriteAsync(Encoding.ASCII.GetBytes(string.Concat(Enumerable.Range(0, 3000).Select(i => $"{i}\n")))).AsTask().Wait();
                long rows = copy.CompleteAsync().AsTask().Result;
                copy.DisposeAsync().AsTask().Wait();
                session.RunScriptAsync("drop table t").AsTask().Wait();
                session.DisposeAsync().AsTask().Wait();
                return $"{rows}";
            default:
                PgSession other = db.OpenSessionAsync().AsTask().Result;
                string lines = Piped(
                    writer => other.CopyOutAsync("copy (select generate_series(1, 3000)) to stdout"u8.ToArray(), writer).AsTask(),
                    static bytes => bytes.Count((byte)'\n'));
                other.DisposeAsync().AsTask().Wait();
                return lines;
        }
    }

    private static int CountRows(PgDataSource db, int fetchSize)
    {
        int count = 0;
        PgRows rows = db.Query(s_series, 3000).RowsAsync(fetchSize).AsTask().Result;
        while (rows.NextBatchAsync().AsTask().Result)
        {
            foreach (PgRow row in rows.Batch)
            {
                count += row.GetString(1)!.Length > 4 ? 1 : 0;
            }
        }

        rows.DisposeAsync().AsTask().Wait();
        return count;
    }

    private static int CountObjects(ReadOnlySpan<byte> json) => json.Count((byte)'{');

    private delegate int Counter(ReadOnlySpan<byte> bytes);

    private static string Piped(Func<PipeWriter, Task> write, Counter count)
    {
        var stream = new MemoryStream();
        PipeWriter writer = PipeWriter.Create(stream);
        write(writer).Wait();
        writer.Complete();
        return $"{count(stream.ToArray())}";
    }
}
