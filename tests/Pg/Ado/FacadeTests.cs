using System.Data;
using System.Data.Common;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>What the facade promises beyond plain questions and answers: threads, ends, limits, transactions.</summary>
public class FacadeTests : PgTests
{
    [Fact]
    public async Task RowsStayValidFromReadToReadOnAnyThread()
    {
        await using PgDbConnection connection = await OpenAsync(Fixture);
        await using PgDbCommand command = new("select i, repeat(chr(65 + i % 26), i % 3000) from generate_series(0, 20000) i", connection);
        await using DbDataReader reader = await command.ExecuteReaderAsync();
        for (int i = 0; i <= 20000; i++)
        {
            Assert.True(await reader.ReadAsync());
            if (i % 1000 == 0)
            {
                await Task.Yield();
            }

            Assert.Equal(i, reader.GetInt32(0));
            string text = reader.GetString(1);
            Assert.Equal(i % 3000, text.Length);
            Assert.True(text.Length == 0 || (text[0] == 'A' + (i % 26) && text[^1] == text[0]));
        }

        Assert.False(await reader.ReadAsync());
    }

    [Fact]
    public async Task AReadWithinABatchCompletesAtOnceAndAllocatesNothing()
    {
        await using PgDbConnection connection = await OpenAsync(Fixture);
        await using PgDbCommand command = new("select i from generate_series(1, 1000) i", connection);
        for (int round = 0; round < 3; round++)
        {
            await using PgDbDataReader reader = (PgDbDataReader)await command.ExecuteReaderAsync();
            Assert.True(await reader.ReadAsync());
            long before = GC.GetAllocatedBytesForCurrentThread();
            long sum = 0;
            for (int i = 0; i < 500; i++)
            {
                Task<bool> read = reader.ReadAsync();
                Assert.True(read.IsCompletedSuccessfully);
                sum += reader.GetInt32(0);
            }

            Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
            Assert.True(sum > 0);
        }
    }

    [Fact]
    public async Task AReaderThatIsDisposedEarlyLetsLaterStatementsRun()
    {
        await using PgDbConnection connection = await OpenAsync(Fixture);
        await connection.NonQueryAsync("create temp table t (x int)").Within(20.Seconds());
        await using (DbTransaction transaction = await connection.BeginTransactionAsync())
        {
            const string Text = "select generate_series(1, 300000); insert into t values (1)";
            await using (DbDataReader reader = await connection.ReaderAsync(Text).Within(20.Seconds()))
            {
                Assert.True(await reader.ReadAsync());
            }

            await transaction.CommitAsync();
        }

        Assert.Equal(1L, await connection.ScalarAsync("select count(*) from t").Within(20.Seconds()));
    }

    [Fact]
    public async Task AnErrorOfAStatementThatNobodyReadIsNotLost()
    {
        await using PgDbConnection connection = await OpenAsync(Fixture);
        DbDataReader reader = await connection.ReaderAsync("select 1; select 1/0").Within(20.Seconds());
        PgException error = await Assert.ThrowsAsync<PgException>(async () => await reader.DisposeAsync());
        Assert.Equal((PgSqlState.DivisionByZero, 1), (error.SqlState, error.BatchIndex));
        Assert.Equal(2, await connection.ScalarAsync("select 2").Within(20.Seconds()));
    }

    [Fact]
    public async Task ACommandThatTakesTooLongEndsByItsOwnLimit()
    {
        await using PgDbConnection connection = await OpenAsync(Fixture);
        await using PgDbCommand command = new("select pg_sleep(600)", connection);
        command.CommandTimeout = 1;
        PgTimeoutException error = await Assert.ThrowsAsync<PgTimeoutException>(() => command.ExecuteNonQueryAsync().Within(20.Seconds()));
        Assert.Contains("sent nothing for 1 s", error.Message, StringComparison.Ordinal);

        // Code that is written for any provider asks so, as on Npgsql.
        Assert.IsType<TimeoutException>(error.InnerException);
        Assert.Equal(3, await connection.ScalarAsync("select 3").Within(20.Seconds()));
    }

    /// <summary>As on Npgsql, the limit is one of each wait for the server. Rows of more than 8 KiB leave the server at once.</summary>
    [Theory]
    [InlineData(true, false)]
    [InlineData(true, true)]
    [InlineData(false, false)]
    public async Task AnAnswerThatKeepsComingHasAllTheTime(bool isOurs, bool isSynchronous)
    {
        int seconds = (int)Waits.Stretched(2.Seconds()).TotalSeconds;
        int rowCount = 150 * seconds;
        await using DataPair pair = await DataPair.OpenAsync<FacadeTests>(Fixture, "select 1");
        await using DbCommand command = (isOurs ? pair.Ours : pair.Theirs).CreateCommand();
        command.CommandText = $"select repeat('x', 9000), pg_sleep(0.01) from generate_series(1, {rowCount})";
        command.CommandTimeout = seconds;
        int rows = 0;
        await using DbDataReader reader = isSynchronous ? await Task.Run(command.ExecuteReader) : await command.ExecuteReaderAsync();
        while (isSynchronous ? reader.Read() : await reader.ReadAsync())
        {
            rows++;
        }

        Assert.Equal(rowCount, rows);
    }

    [Fact]
    public async Task ACommandIsCancelledByItsToken()
    {
        await using PgDbConnection connection = await OpenAsync(Fixture);
        await using PgDbCommand command = new("select pg_sleep(600)", connection);
        using (var source = new CancellationTokenSource(200))
        {
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => command.ExecuteNonQueryAsync(source.Token).Within(20.Seconds()));
        }

        Assert.Equal(4, await connection.ScalarAsync("select 4").Within(20.Seconds()));
    }

    [Fact]
    public async Task ASavepointTakesBackAPartOfATransaction()
    {
        await using PgDbConnection connection = await OpenAsync(Fixture);
        await connection.NonQueryAsync("create temp table t (x int primary key)").Within(20.Seconds());
        await using DbTransaction transaction = await connection.BeginTransactionAsync(IsolationLevel.Serializable);
        Assert.Equal("serializable", await connection.ScalarAsync("show transaction_isolation").Within(20.Seconds()));
        await connection.NonQueryAsync("insert into t values (1)").Within(20.Seconds());
        await transaction.SaveAsync("a \"point\"");
        await Assert.ThrowsAsync<PgException>(() => connection.NonQueryAsync("insert into t values (1)").Within(20.Seconds()));
        await transaction.RollbackAsync("a \"point\"");
        await connection.NonQueryAsync("insert into t values (2)").Within(20.Seconds());
        await transaction.CommitAsync();
        Assert.Same(connection, transaction.Connection);
        Assert.Equal(2L, await connection.ScalarAsync("select count(*) from t").Within(20.Seconds()));
    }

    [Fact]
    public async Task ACommitOfAFailedTransactionSaysSo()
    {
        await using PgDbConnection connection = await OpenAsync(Fixture);
        await using DbTransaction transaction = await connection.BeginTransactionAsync();
        await Assert.ThrowsAsync<PgException>(() => connection.NonQueryAsync("select 1/0").Within(20.Seconds()));
        await Assert.ThrowsAsync<InvalidOperationException>(() => transaction.CommitAsync());
        Assert.Equal(6, await connection.ScalarAsync("select 6").Within(20.Seconds()));
    }

    [Fact]
    public async Task TheSchemaIsKnownWithoutARow()
    {
        await using PgDbConnection connection = await OpenAsync(Fixture);
        await using PgDbCommand command = new("select 1 as id, 'a'::varchar(7) as name, 1.5::numeric(9,3) as price", connection);
        for (int i = 0; i < 2; i++)
        {
            await using DbDataReader reader = await command.ExecuteReaderAsync(CommandBehavior.SchemaOnly);
            Assert.False(await reader.ReadAsync());
            System.Collections.ObjectModel.ReadOnlyCollection<DbColumn> columns = await reader.GetColumnSchemaAsync();
            Assert.Equal(["id", "name", "price"], columns.Select(static column => column.ColumnName));
            Assert.Equal((7, 9, 3), (columns[1].ColumnSize, columns[2].NumericPrecision, columns[2].NumericScale));
            Assert.Equal(3, reader.GetSchemaTable()!.Rows.Count);
        }
    }

    [Fact]
    public async Task ClosingTheReaderClosesTheConnectionWhereThatWasAskedFor()
    {
        PgDbConnection connection = await OpenAsync(Fixture);
        await using PgDbCommand command = new("select 1", connection);
        await using (await command.ExecuteReaderAsync(CommandBehavior.CloseConnection))
        {
            Assert.Equal(ConnectionState.Open, connection.State);
            Assert.StartsWith("1", connection.ServerVersion, StringComparison.Ordinal);
        }

        Assert.Equal(ConnectionState.Closed, connection.State);
        Assert.Throws<InvalidOperationException>(() => connection.ChangeDatabase("other"));
        await Assert.ThrowsAsync<InvalidOperationException>(() => command.ExecuteScalarAsync());
    }

    private static async Task<PgDbDataSource> SourceAsync(PgFixture fixture) => (await Databases.OpenAsync<FacadeTests>(fixture)).AsDbDataSource();

    private static async Task<PgDbConnection> OpenAsync(PgFixture fixture) => await (await SourceAsync(fixture)).OpenConnectionAsync();
}
