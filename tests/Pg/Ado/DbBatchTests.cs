using System.Data;
using System.Data.Common;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>A batch of ADO.NET that goes wrong, on the facade and on Npgsql: where the error comes, which command it names, what is undone.</summary>
public class DbBatchTests : PgTests
{
    private const string Script = "drop table if exists batched; create table batched (x int primary key)";

    [Theory]
    [InlineData(0, "select 1/0", "insert into batched values (1)", "22012")]
    [InlineData(1, "insert into batched values (1)", "insert into batched values (1)", "23505")]
    [InlineData(0, "selekt", "select 1", "42601")]
    [InlineData(1, "insert into batched values (1)", "select * from nowhere", "42P01")]
    public async Task AnErrorNamesItsCommandAndLeavesNothing(int index, string first, string second, string sqlState)
    {
        await using DataPair pair = await DataPair.OpenAsync<DbBatchTests>(Fixture, Script);
        foreach (DbConnection connection in pair.Both)
        {
            await using DbBatch batch = connection.Batch(first, second, "insert into batched values (3)");
            DbException error = await Assert.ThrowsAnyAsync<DbException>(() => batch.ExecuteNonQueryAsync());
            Assert.Equal(sqlState, error.SqlState);
            Assert.Same(batch.BatchCommands[index], error.BatchCommand);
            Assert.Equal("0", await pair.RunAsync("select count(*) from batched"));

            // The connection goes on.
            await using DbBatch next = connection.Batch("select 1", "select 2");
            Assert.Equal(1, await next.ExecuteScalarAsync());
        }
    }

    [Fact]
    public Task TheResultsBeforeAnErrorAreRead() => DataPair.EachAsync<DbBatchTests>(Script, async connection =>
    {
        await using DbBatch batch = connection.Batch("select 1", "select generate_series(1, 3)", "select 1/0", "select 4");
        DbDataReader reader = await batch.ExecuteReaderAsync();
        Assert.True(await reader.ReadAsync());
        Assert.Equal(1, reader.GetInt32(0));
        Assert.True(await reader.NextResultAsync());
        int count = 0;
        while (await reader.ReadAsync())
        {
            count++;
        }

        Assert.Equal(3, count);
        DbException error = await Assert.ThrowsAnyAsync<DbException>(() => reader.NextResultAsync());
        Assert.Equal("22012", error.SqlState);
        Assert.Same(batch.BatchCommands[2], error.BatchCommand);
        await reader.DisposeAsync();
    });

    [Fact]
    public async Task TheColumnsBeforeAnErrorAreToldToo()
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        await using DataPair pair = await DataPair.OpenAsync<DbBatchTests>(fixture, "select 1");
        List<string> expected = [];
        foreach (DbConnection connection in pair.Both)
        {
            List<string> seen = [];
            await using DbBatch batch = connection.Batch("values (1, 'a')", "select 1 as only", "select missing", "select 2");
            await using DbDataReader reader = await batch.ExecuteReaderAsync(CommandBehavior.SchemaOnly).Within(20.Seconds());
            try
            {
                do
                {
                    seen.Add($"{reader.FieldCount} {reader.GetName(0)} {await reader.ReadAsync()}");
                }
                while (await reader.NextResultAsync().Within(20.Seconds()));
            }
            catch (DbException error)
            {
                seen.Add($"{error.SqlState} {error.BatchCommand?.CommandText}");
            }

            if (connection == pair.Theirs)
            {
                expected = seen;
            }
            else
            {
                Assert.Equal(expected, seen);
            }
        }
    }

    [Fact]
    public Task AnErrorInATransactionLeavesItFailed() => DataPair.EachAsync<DbBatchTests>(Script, async connection =>
    {
        await using DbTransaction transaction = await connection.BeginTransactionAsync();
        await using DbBatch batch = connection.Batch("insert into batched values (1)", "select 1/0");
        batch.Transaction = transaction;
        await Assert.ThrowsAnyAsync<DbException>(() => batch.ExecuteNonQueryAsync());
        await using DbBatch next = connection.Batch("select 1");
        Assert.Equal("25P02", (await Assert.ThrowsAnyAsync<DbException>(() => next.ExecuteScalarAsync())).SqlState);
        await transaction.RollbackAsync();
        Assert.Equal(1, await next.ExecuteScalarAsync());
    });

    [Fact]
    public Task ABatchIsUsedAgainAndCountsForEachCommand() => DataPair.EachAsync<DbBatchTests>(Script, async connection =>
    {
        await using DbBatch batch = connection.Batch(
            "insert into batched select generate_series(1, 5)", "delete from batched where x > 2", "select 1", "delete from batched");
        for (int round = 0; round < 3; round++)
        {
            Assert.Equal(10, await batch.ExecuteNonQueryAsync());
            Assert.Equal([5, 3, 2], batch.BatchCommands.Where(static (_, i) => i != 2).Select(static command => command.RecordsAffected));
        }
    });

    [Fact]
    public Task ABatchEndsByItsOwnLimit() => DataPair.EachAsync<DbBatchTests>("select 1", async connection =>
    {
        await using DbBatch batch = connection.Batch("select pg_sleep(600)");
        batch.Timeout = 1;
        await Assert.ThrowsAnyAsync<DbException>(() => batch.ExecuteNonQueryAsync().Within(20.Seconds()));
    });

    [Fact]
    public async Task ABatchWithoutCommandsDoesNothingAndOneWithAStrangersIsRefused()
    {
        await using DataPair pair = await DataPair.OpenAsync<DbBatchTests>(Fixture, Script);
        await using DbBatch batch = pair.Ours.CreateBatch();
        await using DbBatch theirs = pair.Theirs.CreateBatch();
        Assert.Equal(await theirs.ExecuteNonQueryAsync(), await batch.ExecuteNonQueryAsync());
        Assert.Throws<InvalidCastException>(() => batch.BatchCommands.Add(new Npgsql.NpgsqlBatchCommand("select 1")));
        batch.BatchCommands.Add(new PgDbBatchCommand());
        await Assert.ThrowsAsync<InvalidOperationException>(() => batch.ExecuteNonQueryAsync());
        batch.BatchCommands[0].CommandText = "select @x";
        ((PgDbBatchCommand)batch.BatchCommands[0]).Parameters.AddWithValue("x", new object());
        await Assert.ThrowsAsync<InvalidCastException>(() => batch.ExecuteNonQueryAsync());

        // The control: nothing of that was sent.
        batch.BatchCommands.Clear();
        batch.BatchCommands.Add(new PgDbBatchCommand("select 7"));
        Assert.Equal(7, await batch.ExecuteScalarAsync());
    }
}
