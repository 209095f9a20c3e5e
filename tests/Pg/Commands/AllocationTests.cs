namespace Ioxide.Pg.Tests;

/// <summary>What a query allocates once everything is warm: nothing.</summary>
public class AllocationTests : OneConnectionTests
{
    private const int WarmUp = 5_000;
    private const int Count = 100_000;

    private static readonly PgStatement<int> s_item = PgStatement.Create<int>("select $1, $1::int8 * 2, $1 % 2 = 0"u8);
    private static readonly PgStatement<int> s_series = PgStatement.Create<int>("select i, i::int8 * 2, i % 2 = 0 from generate_series(1, $1) i"u8);

    private static readonly PgStatement<int, long, bool, double, Guid, decimal> s_six =
        PgStatement.Create<int, long, bool, double, Guid, decimal>("select $1 + $2 + $3::int + $4::int + $6::int from (select $5) q"u8);

    private readonly record struct Item(int Id, long Twice, bool IsEven)
    {
        internal static Item Read(PgRow row) => new(row.GetInt32(0), row.GetInt64(1), row.GetBoolean(2));
    }

    private sealed class Sum
    {
        internal long Value { get; set; }
    }

    [Fact]
    public Task AScalarAllocatesNothing() => MeasureAsync(static async (db, count) =>
    {
        long sum = 0;
        for (int i = 0; i < count; i++)
        {
            sum += await db.Query(s_item, i).ScalarAsync<int>();
        }

        return sum;
    });

    [Fact]
    public Task SixValuesAllocateNothing() => MeasureAsync(static async (db, count) =>
    {
        long sum = 0;
        for (int i = 0; i < count; i++)
        {
            sum += await db.Query(s_six, i, 0L, false, 0.0, Guid.Empty, 0m).ScalarAsync<long>();
        }

        return sum;
    });

    [Fact]
    public Task AFirstRowAsAStructAllocatesNothing() => MeasureAsync(static async (db, count) =>
    {
        long sum = 0;
        for (int i = 0; i < count; i++)
        {
            sum += (await db.Query(s_item, i).FirstAsync(Item.Read)).Id;
        }

        return sum;
    });

    [Fact]
    public Task ForEachAllocatesNothing() => MeasureAsync(static async (db, count) =>
    {
        var sum = new Sum();
        for (int i = 0; i < count; i++)
        {
            await db.Query(s_item, i).ForEachAsync(static (row, sum) => sum.Value += row.GetInt32(0), sum);
        }

        return sum.Value;
    });

    [Fact]
    public Task ABatchThatIsUsedAgainAllocatesNothing() => MeasureAsync(static async (db, count) =>
    {
        const int BatchSize = 10;
        long sum = 0;
        PgBatch batch = db.CreateBatch();
        var pending = new PgPending<int>[BatchSize];
        for (int i = 0; i < count; i += BatchSize)
        {
            batch.Clear();
            for (int j = 0; j < BatchSize; j++)
            {
                pending[j] = db.Query(s_item, i + j).Scalar<int>(batch);
            }

            await batch.RunAsync();
            for (int j = 0; j < BatchSize; j++)
            {
                sum += pending[j].Result;
            }
        }

        return sum;
    });

    [Fact]
    public async Task RowsByCallbackAllocateNothing()
    {
        var sum = new Sum();
        await MeasureRowsAsync(async (db, count) =>
        {
            sum.Value = 0;
            await db.Query(s_series, count).ForEachAsync(static (row, sum) => sum.Value += Item.Read(row).Id, sum);
            return sum.Value;
        });
    }

    [Fact]
    public Task RowsByBatchAllocateNothing() => MeasureRowsAsync(static async (db, count) =>
    {
        long sum = 0;
        await using PgRows rows = await db.Query(s_series, count).RowsAsync();
        while (await rows.NextBatchAsync())
        {
            foreach (PgRow row in rows.Batch)
            {
                sum += Item.Read(row).Id;
            }
        }

        return sum;
    });

    // The loop awaits in one state machine, so that only what the driver allocates is counted.
    private static async Task MeasureAsync(Func<PgDataSource, int, Task<long>> loop)
    {
        const int Callers = 20;
        const int CountEach = Count / Callers;
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        PgDataSource db = await TestDatabase.OpenAsync<AllocationTests>(fixture, TestDatabase.OneConnection);
        long allocated = await fixture[0].RunAsync(async () =>
        {
            await Task.WhenAll(Enumerable.Range(0, Callers).Select(_ => loop(db, WarmUp / Callers)));
            long before = GC.GetAllocatedBytesForCurrentThread();
            long[] sums = await Task.WhenAll(Enumerable.Range(0, Callers).Select(_ => loop(db, CountEach)));
            long after = GC.GetAllocatedBytesForCurrentThread();
            Assert.All(sums, static sum => Assert.Equal(CountEach * (CountEach - 1L) / 2, sum));
            return after - before;
        }).Within(120.Seconds());
        Assert.InRange(allocated, 0, Count - 1);
    }

    private static async Task MeasureRowsAsync(Func<PgDataSource, int, ValueTask<long>> read)
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        PgDataSource db = await TestDatabase.OpenAsync<AllocationTests>(fixture, TestDatabase.OneConnection);
        long allocated = await fixture[0].RunAsync(async () =>
        {
            for (int i = 0; i < 20; i++)
            {
                await read(db, 1000);
            }

            long before = GC.GetAllocatedBytesForCurrentThread();
            long sum = await read(db, Count);
            long after = GC.GetAllocatedBytesForCurrentThread();
            Assert.Equal(Count * (Count + 1L) / 2, sum);
            return after - before;
        }).Within(60.Seconds());
        Assert.InRange(allocated, 0, Count - 1);
    }
}
