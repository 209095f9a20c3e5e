using System.Runtime.CompilerServices;

namespace Ioxide.Pg.Tests;

/// <summary>Rows that are collected without having been disposed: their only connection serves the next caller.</summary>
/// <remarks>Slow: a batch that is out is left to its reader for 10 s.</remarks>
public class ForgottenRowsTests() : PgTests(TestDatabase.OneReactor)
{
    private static readonly PgStatement<int> s_series = PgStatement.Create<int>("select i, repeat('x', 100) from generate_series(1, $1) i"u8);
    private static readonly PgStatement s_one = PgStatement.Create("select 1"u8);

    [Theory]
    [InlineData(100_000, 0)] // None was read.
    [InlineData(100_000, 1)] // A batch is out, and the server has more.
    [InlineData(1, int.MaxValue)] // All were read.
    public async Task TheConnectionComesBack(int rows, int batches)
    {
        using var log = new EventLog();
        PgDataSource db = await TestDatabase.OpenAsync<ForgottenRowsTests>(Fixture, TestDatabase.OneConnection, log);
        await ForgetAsync(db, rows, batches);
        Task<int> next = db.Query(s_one).ScalarAsync<int>().AsTask();
        await Waits.Eventually(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return next.IsCompleted;
            },
            20.Seconds());
        Assert.Equal(1, await next);
        Assert.Equal(1, db.Opened());
        Assert.Equal(1, log.Count("RowsNotDisposed"));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task ForgetAsync(PgDataSource db, int count, int batches)
    {
        PgRows rows = await db.Query(s_series, count).RowsAsync();
        while (batches-- > 0 && await rows.NextBatchAsync().Within(20.Seconds()))
        {
            foreach (PgRow row in rows.Batch)
            {
                Assert.Equal(100, row.GetUtf8(1).Length);
            }
        }
    }
}
