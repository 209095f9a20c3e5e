using System.Globalization;
using System.IO.Pipelines;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>COPY in and out, in each format, against a real server.</summary>
public class CopyTests : PgTests
{
    private static readonly PgStatement s_sum = PgStatement.Create("select count(*), coalesce(sum(i), 0)::bigint, min(t), max(t) from copied"u8);

    [Fact]
    public async Task BinaryRowsArriveAsTheyWereWritten()
    {
        await using PgSession session = await OpenAsync(Fixture);
        await using (PgCopyIn copy = await session.CopyInAsync("copy copied from stdin (format binary)"u8.ToArray()))
        {
            Assert.True(copy.IsBinary);
            for (int i = 1; i <= 20_000; i++)
            {
                copy.BeginRow(3);
                copy.Write(i);
                copy.WriteUtf8(Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"row {i:D6} \u00e4")));
                copy.WriteNull();
                await copy.FlushIfFullAsync();
            }

            Assert.Equal(20_000, await copy.CompleteAsync().AsTask().Within(20.Seconds()));
        }

        string result = await session.Query(s_sum).FirstAsync(
            static row => $"{row.GetInt64(0)} {row.GetInt64(1)} {row.GetString(2)} {row.GetString(3)}").AsTask().Within(20.Seconds());
        Assert.Equal("20000 200010000 row 000001 \u00e4 row 020000 \u00e4", result);
    }

    [Fact]
    public async Task AValueThatCannotBeWrittenTakesNoPlace()
    {
        await using PgSession session = await OpenAsync(Fixture);
        await using (PgCopyIn copy = await session.CopyInAsync("copy copied (i, t) from stdin (format binary)"u8.ToArray()))
        {
            copy.BeginRow(2);
            copy.Write(1);
            Assert.Throws<EncoderFallbackException>(() => copy.Write("\ud800"));
            copy.WriteNull();
            Assert.Throws<InvalidOperationException>(copy.WriteNull);
            Assert.Equal(1, await copy.CompleteAsync().AsTask().Within(20.Seconds()));
        }
    }

    [Fact]
    public async Task NullAndEmptyAreToldApart()
    {
        await using PgSession session = await OpenAsync(Fixture);
        await using (PgCopyIn copy = await session.CopyInAsync("copy copied (i, t) from stdin (format binary)"u8.ToArray()))
        {
            foreach ((int? number, string? text) in ((int?, string?)[])[(1, null), (2, ""), (null, "three")])
            {
                copy.BeginRow(2);
                copy.Write(number);
                copy.Write(text);
            }

            Assert.Equal(3, await copy.CompleteAsync().AsTask().Within(20.Seconds()));
        }

        PgStatement rows = PgStatement.Create("select i, t from copied order by i"u8);
        Assert.Equal<(int?, string?)>(
            [(1, null), (2, ""), (null, "three")], await session.Query(rows).ListAsync(static row => (row.Get<int?>(0), row.GetString(1))));
    }

    [Theory]
    [InlineData("copy copied from stdin", "1\tone\t\\N\n2\ttwo\t2.5\n")]
    [InlineData("copy copied from stdin (format csv)", "1,one,\n2,\"two\",2.5\n")]
    public async Task TextIsPassedOnAsItIs(string sql, string data)
    {
        await using PgSession session = await OpenAsync(Fixture);
        await using PgCopyIn copy = await session.CopyInAsync(Encoding.UTF8.GetBytes(sql));
        await copy.WriteAsync(Encoding.UTF8.GetBytes(data));
        Assert.Equal(2, await copy.CompleteAsync().AsTask().Within(20.Seconds()));
        Assert.Equal("2 3", await session.Query(s_sum).FirstAsync(static row => $"{row.GetInt64(0)} {row.GetInt64(1)}"));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(20_000)] // Most of it is sent before.
    public async Task NothingIsKeptOfACopyThatIsGivenUp(int rows)
    {
        await using PgSession session = await OpenAsync(Fixture);
        await using (PgCopyIn copy = await session.CopyInAsync("copy copied from stdin"u8.ToArray()))
        {
            for (int i = 0; i < rows; i++)
            {
                await copy.WriteAsync("1\tone\t1\n"u8.ToArray());
            }
        }

        Assert.Equal(0, await session.Query(s_sum).ScalarAsync<long>().AsTask().Within(20.Seconds()));
    }

    [Fact]
    public async Task AServerThatRefusesARowSaysSoAndTheSessionGoesOn()
    {
        await using PgSession session = await OpenAsync(Fixture);
        PgException error = await Assert.ThrowsAsync<PgException>(async () =>
        {
            await using PgCopyIn copy = await session.CopyInAsync("copy copied from stdin"u8.ToArray());
            await copy.WriteAsync("no number\tone\t1\n"u8.ToArray());
            await copy.CompleteAsync().AsTask().Within(20.Seconds());
        });
        Assert.Equal(PgSqlState.InvalidTextRepresentation, error.SqlState);
        Assert.Equal(0, await session.Query(s_sum).ScalarAsync<long>().AsTask().Within(20.Seconds()));
    }

    [Fact]
    public async Task ACommandThatCannotBeginSaysWhy()
    {
        await using PgSession session = await OpenAsync(Fixture);
        PgException error = await Assert.ThrowsAsync<PgException>(
            () => session.CopyInAsync("copy no_such_table from stdin"u8.ToArray()).AsTask().Within(20.Seconds()));
        Assert.Equal(PgSqlState.UndefinedTable, error.SqlState);
        await Assert.ThrowsAsync<InvalidOperationException>(() => session.CopyInAsync("select 1"u8.ToArray()).AsTask().Within(20.Seconds()));
        Assert.Equal(0, await session.Query(s_sum).ScalarAsync<long>().AsTask().Within(20.Seconds()));
    }

    [Fact]
    public async Task WhatIsCopiedOutIsReadAtTheReadersPace()
    {
        await using PgSession session = await OpenAsync(Fixture);
        await session.RunScriptAsync("insert into copied select i, 'row ' || i, null from generate_series(1, 100000) i");
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 64 * 1024, resumeWriterThreshold: 32 * 1024));
        Task<PgTag> copying = CopyAsync();
        long lines = 0;
        long bytes = 0;
        bool isOver = false;
        while (!isOver)
        {
            ReadResult read = await pipe.Reader.ReadAsync().AsTask().Within(20.Seconds());
            Assert.InRange(read.Buffer.Length, 0, 1024 * 1024);
            isOver = read.IsCompleted;
            foreach (ReadOnlyMemory<byte> segment in read.Buffer)
            {
                lines += segment.Span.Count((byte)'\n');
                bytes += segment.Length;
            }

            pipe.Reader.AdvanceTo(read.Buffer.End);
        }

        Assert.Equal(100_000, (await copying.Within(20.Seconds())).RowsAffected);
        Assert.Equal(100_000, lines);
        Assert.Equal(Enumerable.Range(1, 100_000).Sum(static i => (2L * i.ToString(CultureInfo.InvariantCulture).Length) + "row ,,\n".Length), bytes);

        async Task<PgTag> CopyAsync()
        {
            PgTag tag = await session.CopyOutAsync("copy copied to stdout (format csv)"u8.ToArray(), pipe.Writer);
            await pipe.Writer.CompleteAsync();
            return tag;
        }
    }

    [Fact]
    public async Task AReaderThatGoesAwayEndsTheCopyAndTheSessionGoesOn()
    {
        await using PgSession session = await OpenAsync(Fixture);
        await session.RunScriptAsync("insert into copied select i, 'row ' || i, null from generate_series(1, 200000) i");
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 64 * 1024, resumeWriterThreshold: 32 * 1024));
        Task<PgTag> copying = session.CopyOutAsync("copy copied to stdout"u8.ToArray(), pipe.Writer).AsTask();
        ReadResult read = await pipe.Reader.ReadAsync().AsTask().Within(20.Seconds());
        pipe.Reader.AdvanceTo(read.Buffer.End);
        await pipe.Reader.CompleteAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => copying.Within(20.Seconds()));
        Assert.Equal(200_000, await session.Query(s_sum).ScalarAsync<long>().AsTask().Within(20.Seconds()));
    }

    /// <summary>The limit is one of each wait for the server. Rows of more than 8 KiB leave the server at once.</summary>
    [Theory, AllValues]
    public async Task AnAnswerThatKeepsComingHasAllTheTime(bool isJson)
    {
        const int RowCount = 200;
        const string Rows = "select repeat('x', 9000), pg_sleep(0.01) from generate_series(1, 200)";
        PgDataSource db = await TestDatabase.OpenAsync<CopyTests>(Fixture, static options => options.CommandTimeout = 1.Seconds());
        await using PgSession session = await db.OpenSessionAsync();
        var stream = new MemoryStream();
        PipeWriter writer = PipeWriter.Create(stream);
        if (isJson)
        {
            await session.Query(PgStatement.Create(Encoding.UTF8.GetBytes(Rows))).StreamJsonAsync(writer).AsTask().Within(20.Seconds());
        }
        else
        {
            PgTag tag = await session.CopyOutAsync(Encoding.UTF8.GetBytes($"copy ({Rows}) to stdout"), writer).AsTask().Within(20.Seconds());
            Assert.Equal(RowCount, tag.RowsAffected);
        }

        await writer.CompleteAsync();
        Assert.InRange(stream.ToArray().Length, RowCount * 9000, RowCount * 9100);
    }

    private static async Task<PgSession> OpenAsync(PgFixture fixture)
    {
        PgDataSource db = await Databases.OpenAsync<CopyTests>(fixture);
        PgSession session = await db.OpenSessionAsync();
        await session.RunScriptAsync("create temp table copied (i int, t text collate \"C\", n numeric)");
        return session;
    }
}
