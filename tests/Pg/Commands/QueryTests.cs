using System.Globalization;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>Statements with values, and what becomes of their rows, against a real server.</summary>
public class QueryTests() : SourceTests(hasOneConnection: false)
{
    private static readonly PgStatement<int> s_double = PgStatement.Create<int>("select $1 * 2"u8);
    private static readonly PgStatement<int, int> s_series = PgStatement.Create<int, int>(
        "select i, 'row ' || i as name, i % 3 = 0 as third, null::text as nothing from generate_series($1, $2) i"u8);

    [Fact]
    public async Task RowsBecomeObjects()
    {
        List<string> rows = await Db.Query(s_series, 1, 5).ListAsync(
            static row => string.Create(
                CultureInfo.InvariantCulture,
                $"{row.GetInt32(0)} {row.GetString(1)} {row.GetBoolean(2)} {row.IsNull(3)} {Encoding.UTF8.GetString(row.GetUtf8(1))}"));
        Assert.Equal(
            ["1 row 1 False True row 1", "2 row 2 False True row 2", "3 row 3 True True row 3", "4 row 4 False True row 4", "5 row 5 False True row 5"],
            rows);
    }

    [Fact]
    public async Task OfManyRowsTheFirstIsTakenAndOfNoneTheDefaultOrAnException()
    {
        Assert.Equal(3, await Db.Query(s_series, 3, 9).ScalarAsync<int>());
        Assert.Equal("row 3", await Db.Query(s_series, 3, 9).FirstAsync(static row => row.GetString(1)));
        Assert.Equal("row 3", await Db.Query(s_series, 3, 9).FirstOrDefaultAsync(static row => row.GetString(1)));
        Assert.Equal(0, await Db.Query(s_series, 3, 2).ScalarOrDefaultAsync<int>());
        Assert.Null(await Db.Query(s_series, 3, 2).FirstOrDefaultAsync(static row => row.GetString(1)));
        await Assert.ThrowsAsync<PgNoRowException>(() => Db.Query(s_series, 3, 2).ScalarAsync<int>().AsTask());
        await Assert.ThrowsAsync<PgNoRowException>(() => Db.Query(s_series, 3, 2).FirstAsync(static row => row.GetString(1)).AsTask());
    }

    [Fact]
    public async Task ManyCallersShareAFewConnections()
    {
        int[] results = await Task.WhenAll(Enumerable.Range(0, 500).Select(i => Db.Query(s_double, i).ScalarAsync<int>().AsTask()))
            .Within(20.Seconds());
        Assert.Equal(Enumerable.Range(0, 500).Select(static i => i * 2), results);
        Assert.InRange(Db.Pools.Sum(static pool => pool.OpenCount), 1, Db.Options.SharedPerReactor * Db.Pools.Count);
    }

    [Fact]
    public async Task RowsAreReadInBatchesAtTheReadersPace()
    {
        long sum = 0;
        int count = 0;
        await using (PgRows rows = await Db.Query(s_series, 1, 50_000).RowsAsync())
        {
            while (await rows.NextBatchAsync())
            {
                foreach (PgRow row in rows.Batch)
                {
                    sum += row.GetInt32(0);
                    count++;
                }
            }

            Assert.Equal(50_000, rows.Tag.RowsAffected);
        }

        Assert.Equal(50_000, count);
        Assert.Equal(50_000L * 50_001 / 2, sum);
    }

    [Fact]
    public async Task RowsAreWrittenAsJson()
    {
        var writer = new System.Buffers.ArrayBufferWriter<byte>();
        PgTag tag = await Db.Query(s_series, 2, 3).WriteJsonAsync(writer);
        Assert.Equal(2, tag.RowsAffected);
        Assert.Equal(
            """[{"i":2,"name":"row 2","third":false,"nothing":null},{"i":3,"name":"row 3","third":true,"nothing":null}]""",
            Encoding.UTF8.GetString(writer.WrittenSpan));
    }

    [Fact]
    public async Task AnErrorHasTheServersDetailHintAndPosition()
    {
        await using PgSession session = await Db.OpenSessionAsync();
        PgException raised = await Assert.ThrowsAsync<PgException>(() => session.RunScriptAsync(
            "do $$ begin raise exception 'no' using detail = 'why', hint = 'do this'; end $$").AsTask().Within(20.Seconds()));
        Assert.Equal(("no", "why", "do this", 0), (raised.MessageText, raised.Detail, raised.Hint, raised.Position));

        // Positions count characters from 1.
        PgException unknown = await Assert.ThrowsAsync<PgException>(
            () => session.RunScriptAsync("select 'ä', nothing_of_that_name").AsTask().Within(20.Seconds()));
        Assert.Equal(13, unknown.Position);
    }
}
