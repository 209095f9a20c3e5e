using System.Data.Common;
using System.IO.Pipelines;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>Rows that are longer than the receive buffer, and rows above the limit: one connection reads them all and lives on.</summary>
public class LongRowTests : OneConnectionTests
{
    private const int LongBytes = 80 * 1024 * 1024;
    private const int LimitBytes = 64 * 1024;

    private static readonly PgStatement<int> s_row = PgStatement.Create<int>("select repeat('x', $1)"u8);
    private static readonly PgStatement<int[]> s_rows =
        PgStatement.Create<int[]>("select n::int4, repeat(chr(97 + n % 26), n) from unnest($1) with ordinality as u(n, i) order by i"u8);
    private static readonly PgStatement s_one = PgStatement.Create("select 1"u8);

    [Fact]
    public async Task ARowAbove64MiBIsReadInLittleMoreMemoryThanItself()
    {
        var lengths = new List<int>();
        long before = GC.GetTotalAllocatedBytes(precise: true);
        await Db.Query(s_row, LongBytes).ForEachAsync(static (row, lengths) => lengths.Add(row.GetUtf8(0).Length), lengths).Within(60.Seconds());

        // The buffer doubles up to the row's length.
        Assert.InRange(GC.GetTotalAllocatedBytes(precise: true) - before, 0, 3L * LongBytes);
        Assert.Equal([LongBytes], lengths);
        Assert.Equal(1, await Db.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
        Assert.Equal(1, Db.Opened());
    }

    [Fact]
    public async Task ARowAbove64MiBIsReadInPlaceAndByTheFacadeAsNpgsqlReadsIt()
    {
        await using (PgRows rows = await Db.Query(s_row, LongBytes).RowsAsync())
        {
            var lengths = new List<int>();
            await rows.EachAsync(row => lengths.Add(row.GetUtf8(0).Length));

            Assert.Equal([LongBytes], lengths);
        }

        await using DbCommand command = Db.AsDbDataSource().CreateCommand($"select repeat('x', {LongBytes})");
        string ours = (string)(await command.ExecuteScalarAsync().Within(60.Seconds()))!;
        PostgresServer server = await PostgresServer.SharedAsync();
        await using var connection = new NpgsqlConnection(Databases.ForNpgsql(server, await server.DatabaseAsync<LongRowTests>()));
        await connection.OpenAsync();
        await using var theirs = new NpgsqlCommand(command.CommandText, connection);
        Assert.True(ours == (string)(await theirs.ExecuteScalarAsync())!);
    }

    [Fact]
    public async Task RowsAroundTheLengthsAtWhichTheyAreReadDifferentlyComeWholeAndInOrder()
    {
        int threshold = LongMessage.ThresholdBytes;
        int[] lengths =
        [
            1, threshold - 20, threshold - 19, threshold - 18, threshold, 5, 3 * threshold, 2, 2, 10 * threshold, threshold + 1, 7,
            .. Enumerable.Range(0, 40).Select(i => threshold - 60 + (3 * i)), 1_000_003, 1,
        ];
        List<int> called = await Db.Query(s_rows, lengths).ListAsync(Check).Within(60.Seconds());
        Assert.Equal(lengths, called);
        List<int> lent = [];
        await using (PgRows rows = await Db.Query(s_rows, lengths).RowsAsync())
        {
            await rows.EachAsync(row => lent.Add(Check(row)));
        }

        Assert.Equal(lengths, lent);
        Assert.Equal(1, Db.Opened());
    }

    [Theory, Each(70_000, 5_000_000)]
    public async Task ARowAboveTheLimitFailsItsCommandAlone(int lengthBytes)
    {
        PgDataSource db = await OpenLimitedAsync(Fixture);
        Assert.Equal([60_000], await db.Query(s_rows, [60_000]).ListAsync(Check).Within(20.Seconds()));
        Task<List<int>> failing = db.Query(s_rows, [1, lengthBytes, 2]).ListAsync(Check).AsTask();
        Task<int> neighbour = db.Query(s_one).ScalarAsync<int>().AsTask();
        PgResultTooLargeException error = await Assert.ThrowsAsync<PgResultTooLargeException>(() => failing.Within(20.Seconds()));
        Assert.Contains(nameof(PgDataSourceOptions.MaxMessageBytes), error.Message, StringComparison.Ordinal);
        Assert.Equal(1, await neighbour.Within(20.Seconds()));
        Assert.Equal(1, db.Opened());
    }

    [Fact]
    public async Task RowsBeforeOneThatIsAboveTheLimitAreReadInPlace()
    {
        PgDataSource db = await OpenLimitedAsync(Fixture);
        List<int> lent = [];
        await using (PgRows rows = await db.Query(s_rows, [1, 2, 5_000_000, 3]).RowsAsync())
        {
            await Assert.ThrowsAsync<PgResultTooLargeException>(() => rows.EachAsync(row => lent.Add(Check(row))));
        }

        Assert.Equal([1, 2], lent);
        Assert.Equal(1, await db.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));
        Assert.Equal(1, db.Opened());
    }

    [Fact]
    public async Task InABatchTheOtherCommandsHaveTheirResults()
    {
        PgDataSource db = await OpenLimitedAsync(Fixture);
        PgBatch batch = db.CreateBatch();
        PgPending<int> before = db.Query(s_one).Scalar<int>(batch);
        PgPending<List<int>> failing = db.Query(s_rows, [200_000]).List(batch, Check);
        PgPending<int> behind = db.Query(s_one).Scalar<int>(batch);
        await Assert.ThrowsAsync<PgResultTooLargeException>(() => batch.RunAsync().Within(20.Seconds()));
        Assert.Equal(1, before.Result);
        Assert.Throws<PgResultTooLargeException>(() => failing.Result);
        Assert.Equal(1, behind.Result);
    }

    [Fact]
    public async Task ACopyPassesRowsOfAnyLengthOn()
    {
        PgDataSource db = await OpenLimitedAsync(Fixture);
        await using PgSession session = await db.OpenSessionAsync();
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 64 * 1024, resumeWriterThreshold: 32 * 1024));
        Task<PgTag> copying = CopyAsync();
        int[] letters = new int[256];
        ReadResult read;
        do
        {
            read = await pipe.Reader.ReadAsync().Within(20.Seconds());
            Assert.InRange(read.Buffer.Length, 0, 4 * 1024 * 1024);
            foreach (ReadOnlyMemory<byte> segment in read.Buffer)
            {
                foreach (byte letter in segment.Span)
                {
                    letters[letter]++;
                }
            }

            pipe.Reader.AdvanceTo(read.Buffer.End);
        }
        while (!read.IsCompleted);
        Assert.Equal(3, (await copying.Within(20.Seconds())).RowsAffected);
        Assert.Equal((20_000_000, 100_000, 10, 3), (letters['x'], letters['y'], letters['z'], letters['\n']));
        Assert.Equal(1, await session.Query(s_one).ScalarAsync<int>().Within(20.Seconds()));

        async Task<PgTag> CopyAsync()
        {
            PgTag tag = await session.CopyOutAsync(
                "copy (values (repeat('x', 20000000)), (repeat('y', 100000)), (repeat('z', 10))) to stdout"u8.ToArray(), pipe.Writer);
            await pipe.Writer.CompleteAsync();
            return tag;
        }
    }

    private static int Check(PgRow row)
    {
        int length = row.GetInt32(0);
        ReadOnlySpan<byte> text = row.GetUtf8(1);
        Assert.Equal(length, text.Length);
        Assert.False(text.ContainsAnyExcept((byte)(97 + (length % 26))));
        return length;
    }

    private static Task<PgDataSource> OpenLimitedAsync(PgFixture fixture) => TestDatabase.OpenAsync<LongRowTests>(fixture, TestDatabase.OneConnectionWith(static options => options.MaxMessageBytes = LimitBytes));

    [Theory, Each("scalar", "read", "blocking read")]
    public async Task AReaderOfTheFacadeThrowsAtARowAboveTheLimit(string way)
    {
        PgDataSource db = await TestDatabase.OpenAsync<LongRowTests>(Fixture, TestDatabase.OneConnectionWith(static options => options.MaxMessageBytes = 64 * 1024));
        await using DbConnection connection = await db.AsDbDataSource().OpenConnectionAsync();
        await using DbCommand command = connection.CreateCommand();
        for (int round = 0; round < 3; round++)
        {
            if (way == "scalar")
            {
                command.CommandText = "select repeat('x', 100000)";
                await Assert.ThrowsAsync<PgResultTooLargeException>(() => command.ExecuteScalarAsync().Within(20.Seconds()));
            }
            else
            {
                command.CommandText = "select repeat('x', case i when 2 then 100000 else 1 end) from generate_series(1, 3) i";
                await using DbDataReader reader = await command.ExecuteReaderAsync().Within(20.Seconds());
                await Assert.ThrowsAsync<PgResultTooLargeException>(async () =>
                {
                    while (way == "read" ? await reader.ReadAsync().Within(20.Seconds()) : reader.Read())
                    {
                        Assert.Equal("x", reader.GetString(0));
                    }
                });
            }

            command.CommandText = "select 1";
            Assert.Equal(1, await command.ExecuteScalarAsync().Within(20.Seconds()));
        }

        Assert.Equal(1, db.Opened());
    }
}
