using System.Data.Common;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>Commands in one go with one Sync, against a real server.</summary>
public class BatchTests() : SourceTests(hasOneConnection: false)
{
    private static readonly PgStatement<int> s_double = PgStatement.Create<int>("select $1 * 2"u8);
    private static readonly PgStatement<int> s_divide = PgStatement.Create<int>("select 100 / $1"u8);
    private static readonly PgStatement s_words = PgStatement.Create("select w from unnest(array['a', 'b', 'c']) w"u8);
    private static readonly PgStatement<int> s_insert = PgStatement.Create<int>("insert into batch_rows values ($1)"u8);
    private static readonly PgStatement<double> s_sleep = PgStatement.Create<double>("select pg_sleep($1)::text"u8);
    private static readonly PgStatement s_count = PgStatement.Create("select count(*) from batch_rows"u8);

    [Fact]
    public async Task EachCommandGetsItsOwnResult()
    {
        PgBatch batch = Db.CreateBatch();
        for (int round = 0; round < 3; round++)
        {
            PgPending<int> first = Db.Query(s_double, round).Scalar<int>(batch);
            PgPending<List<string>> words = Db.Query(s_words).List(batch, static row => row.GetString(0)!);
            PgPending<int> second = Db.Query(s_double, 100 + round).Scalar<int>(batch);
            PgPending<PgTag> tag = Db.Query(s_words).Execute(batch);
            await batch.RunAsync().AsTask().Within(20.Seconds());
            Assert.Equal(2 * round, first.Result);
            Assert.Equal(["a", "b", "c"], words.Result);
            Assert.Equal(2 * (100 + round), second.Result);
            Assert.Equal(3, tag.Result.RowsAffected);
            batch.Clear();
            Assert.Throws<InvalidOperationException>(() => first.Result);
        }
    }

    [Fact]
    public async Task AfterACancellationTheObjectServesOtherCommandsAtOnce()
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        PgDataSource db = await TestDatabase.OpenAsync<BatchTests>(fixture, TestDatabase.OneConnection);
        PgBatch batch = db.CreateBatch();
        for (int round = 0; round < 20; round++)
        {
            batch.Clear();
            db.Query(s_double, round).Scalar<int>(batch);
            db.Query(s_sleep, 30.0).Scalar<string>(batch);
            using var source = new CancellationTokenSource();
            Task running = batch.RunAsync(source.Token).AsTask();
            await Task.Delay(round);
            await source.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running.Within(20.Seconds()));

            batch.Clear();
            PgPending<int> first = db.Query(s_double, round).Scalar<int>(batch);
            PgPending<List<string>> words = db.Query(s_words).List(batch, static row => row.GetString(0)!);
            await batch.RunAsync().AsTask().Within(20.Seconds());
            Assert.Equal(2 * round, first.Result);
            Assert.Equal(["a", "b", "c"], words.Result);
        }
    }

    [Fact]
    public async Task CommandsThatTheServerMayStillRunAreNotSentAgain()
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        PgDataSource db = await TestDatabase.OpenAsync<BatchTests>(fixture, TestDatabase.OneConnection);
        PgBatch batch = db.CreateBatch();
        db.Query(s_sleep, 0.0).Scalar<string>(batch);
        await fixture[0].RunAsync(async () =>
        {
            await batch.RunAsync();
            using var source = new CancellationTokenSource();
            ValueTask running = batch.RunAsync(source.Token);
            source.Cancel();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running.AsTask());
            await Assert.ThrowsAsync<InvalidOperationException>(() => batch.RunAsync().AsTask());
        }).Within(20.Seconds());
    }

    [Theory, Each("", "Pooler=Transaction")]
    public async Task ANewStatementThatIsThereManyTimesRunsOnceForEach(string settings)
    {
        PgDataSource db = await Databases.OpenAsync<BatchTests>(Fixture, settings);
        await using (PgSession session = await db.OpenSessionAsync())
        {
            await session.RunScriptAsync("drop table if exists many_rows; create table many_rows (i int)");
        }

        // Not a static: its columns must not be known yet.
        PgStatement<int> insert = PgStatement.Create<int>("insert into many_rows values ($1)"u8);
        PgStatement<int> select = PgStatement.Create<int>("select i from many_rows where i <= $1 order by i"u8);
        for (int round = 0; round < 2; round++)
        {
            PgBatch batch = db.CreateBatch();
            List<PgPending<PgTag>> inserted = [.. Enumerable.Range(0, 20).Select(i => db.Query(insert, 20 * round + i).Execute(batch))];
            PgPending<List<int>> first = db.Query(select, 20 * round + 4).List(batch, static row => row.GetInt32(0));
            PgPending<List<int>> all = db.Query(select, int.MaxValue).List(batch, static row => row.GetInt32(0));
            await batch.RunAsync().AsTask().Within(20.Seconds());
            Assert.All(inserted, static tag => Assert.Equal(1, tag.Result.RowsAffected));
            Assert.Equal(Enumerable.Range(0, 20 * round + 5), first.Result);
            Assert.Equal(Enumerable.Range(0, 20 * (round + 1)), all.Result);
            batch.Clear();
        }

        PgStatement count = PgStatement.Create("select count(*) from many_rows"u8);
        Assert.Equal(40, await db.Query(count).ScalarAsync<long>());
    }

    [Fact]
    public async Task AnErrorNamesItsCommandAndUndoesTheOnesBefore()
    {
        await using (PgSession session = await Db.OpenSessionAsync())
        {
            await session.RunScriptAsync("drop table if exists batch_rows; create table batch_rows (i int)");
        }

        PgBatch batch = Db.CreateBatch();
        PgPending<PgTag> inserted = Db.Query(s_insert, 1).Execute(batch);
        PgPending<int> failing = Db.Query(s_divide, 0).Scalar<int>(batch);
        PgPending<int> skipped = Db.Query(s_double, 1).Scalar<int>(batch);
        PgException error = await Assert.ThrowsAsync<PgException>(() => batch.RunAsync().AsTask().Within(20.Seconds()));
        Assert.Equal((PgSqlState.DivisionByZero, 1), (error.SqlState, error.BatchIndex));
        Assert.Equal(1, inserted.Result.RowsAffected);
        Assert.Same(error, Assert.Throws<PgException>(() => failing.Result));
        Assert.Same(error, Assert.Throws<PgException>(() => skipped.Result));
        Assert.Equal(0, await Db.Query(s_count).ScalarAsync<long>());
    }

    /// <summary>Half of a surrogate pair is found when the commands before it are written, and perhaps sent.</summary>
    [Theory, AllValues]
    public async Task AValueThatCannotBeSentUndoesTheCommandsBefore(bool isKnown)
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        PgDataSource db = await TestDatabase.OpenAsync<BatchTests>(fixture, TestDatabase.OneConnection);
        await using (PgSession session = await db.OpenSessionAsync())
        {
            await session.RunScriptAsync("drop table if exists texts; create table texts (t text)");
        }

        // Not a static: its columns are known to one of the two runs only.
        PgStatement<string> insert = PgStatement.Create<string>(Encoding.UTF8.GetBytes($"insert into texts values ($1) returning length(t) -- {isKnown}"));
        PgStatement count = PgStatement.Create("select count(*) from texts"u8);
        if (isKnown)
        {
            Assert.Equal(1, await db.Query(insert, "a").ScalarAsync<int>().Within(20.Seconds()));
        }

        PgBatch batch = db.CreateBatch();
        _ = db.Query(insert, "b").Scalar<int>(batch);
        PgPending<int> failing = db.Query(insert, "c\ud800").Scalar<int>(batch);
        PgPending<int> skipped = db.Query(insert, "d").Scalar<int>(batch);
        EncoderFallbackException error = await Assert.ThrowsAsync<EncoderFallbackException>(() => batch.RunAsync().Within(20.Seconds()));
        Assert.Same(error, Assert.Throws<EncoderFallbackException>(() => failing.Result));
        Assert.Same(error, Assert.Throws<EncoderFallbackException>(() => skipped.Result));
        Assert.Equal(isKnown ? 1 : 0, await db.Query(count).ScalarAsync<long>().Within(20.Seconds()));
        Assert.Equal(3, await db.Query(insert, "abc").ScalarAsync<int>().Within(20.Seconds()));
        Assert.Equal(1, db.Opened());
    }

    /// <summary>As the control, the command that is alone in its transaction leaves it as it is.</summary>
    [Fact]
    public async Task OverAdoNetAValueThatCannotBeSentUndoesTheStatementsBefore()
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        PgDataSource db = await TestDatabase.OpenAsync<BatchTests>(fixture, TestDatabase.OneConnection);
        await using DbConnection connection = await db.AsDbDataSource().OpenConnectionAsync();
        await connection.NonQueryAsync("drop table if exists texts; create table texts (t text)");
        await using DbCommand two = connection.Command("insert into texts values ('a'); insert into texts values (@t)");
        two.Add("t", "c\ud800");
        for (int round = 0; round < 2; round++)
        {
            await Assert.ThrowsAsync<EncoderFallbackException>(() => two.ExecuteNonQueryAsync().Within(20.Seconds()));
            Assert.Equal(0L, await connection.ScalarAsync("select count(*) from texts"));
        }

        await using DbTransaction transaction = await connection.BeginTransactionAsync();
        await using DbCommand one = connection.Command("insert into texts values (@t)");
        one.Add("t", "c\ud800");
        await Assert.ThrowsAsync<EncoderFallbackException>(() => one.ExecuteNonQueryAsync().Within(20.Seconds()));
        one.Parameters[0].Value = "c";
        Assert.Equal(1, await one.ExecuteNonQueryAsync().Within(20.Seconds()));
        await transaction.CommitAsync();
        Assert.Equal(1L, await connection.ScalarAsync("select count(*) from texts"));
        Assert.Equal(1, db.Opened());
    }

    [Fact]
    public async Task AStatementThatCannotBeParsedFailsTheBatchAndNothingElse()
    {
        PgDataSource db = await Databases.OpenAsync<BatchTests>(Fixture, "SharedPerReactor=1;MaxPerReactor=1");
        PgBatch batch = db.CreateBatch();
        _ = db.Query(s_double, 1).Scalar<int>(batch);
        _ = db.Query(PgStatement.Create("selec 1"u8)).Scalar<int>(batch);
        _ = db.Query(s_divide, 1).Scalar<int>(batch);
        PgException error = await Assert.ThrowsAsync<PgException>(() => batch.RunAsync().AsTask().Within(20.Seconds()));
        Assert.Equal((PgSqlState.SyntaxError, 1), (error.SqlState, error.BatchIndex));
        Assert.Equal(50, await db.Query(s_divide, 2).ScalarAsync<int>().AsTask().Within(20.Seconds()));
        Assert.Equal(4, await db.Query(s_double, 2).ScalarAsync<int>().AsTask().Within(20.Seconds()));
    }

    [Fact]
    public async Task BatchesAndSingleCommandsOfManyCallersDoNotMixUp()
    {
        await Task.WhenAll(Enumerable.Range(0, 40).Select(caller => Task.Run(async () =>
        {
            PgBatch batch = Db.CreateBatch();
            for (int round = 0; round < 25; round++)
            {
                int value = (caller * 1000) + round;
                PgPending<int> one = Db.Query(s_double, value).Scalar<int>(batch);
                PgPending<int> two = Db.Query(s_divide, 1 + (value % 7)).Scalar<int>(batch);
                Task<int> single = Db.Query(s_double, -value).ScalarAsync<int>().AsTask();
                await batch.RunAsync();
                Assert.Equal(2 * value, one.Result);
                Assert.Equal(100 / (1 + (value % 7)), two.Result);
                Assert.Equal(-2 * value, await single);
                batch.Clear();
            }
        }))).Within(30.Seconds());
    }
}
