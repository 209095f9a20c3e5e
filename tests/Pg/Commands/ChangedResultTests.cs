using System.Data;
using System.Data.Common;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>
/// Tables that are altered while their statements are prepared: no transaction fails that has only begun, no connection fails after the
/// first, and what has to fail says why.
/// </summary>
public class ChangedResultTests : OneConnectionTests
{
    [Fact]
    public async Task ATransactionWhoseFirstStatementHasChangedIsBegunAnew()
    {
        Table table = await Table.MakeAsync(2);
        await using PgSession session = await Db.OpenSessionAsync();
        await session.Query(table.Read).ExecuteAsync().Within(60.Seconds());
        await table.AlterAsync();
        await using (PgTransaction transaction = await session.BeginAsync(new PgTransactionOptions(PgIsolation.Serializable)))
        {
            Assert.Equal(3, await session.Query(table.Read).FirstAsync(static row => row.Count).Within(60.Seconds()));
            Assert.Equal("serializable", (await session.RunScriptAsync("select current_setting('transaction_isolation')")).Rows[0][0]);
            await session.Query(table.Insert).ExecuteAsync().Within(60.Seconds());
            await transaction.RollbackAsync();
        }

        Assert.Single(await session.Query(table.Read).ListAsync(static row => row.Count).Within(60.Seconds()));
        Assert.Equal(1, Db.Opened());
    }

    [Theory, AllValues]
    public async Task TheSameOverAdoNet(bool isBatch)
    {
        Table table = await Table.MakeAsync(2);
        await using DbConnection connection = await Db.AsDbDataSource().OpenConnectionAsync();
        await using DbCommand command = connection.Command((isBatch ? $"{table.InsertSql}; " : "") + table.ReadSql);
        Assert.Equal(2, await CountColumnsAsync(command));
        await table.AlterAsync();
        await using (DbTransaction transaction = await connection.BeginTransactionAsync(IsolationLevel.Serializable))
        {
            Assert.Equal(3, await CountColumnsAsync(command));
            await transaction.CommitAsync();
        }

        Assert.Equal(isBatch ? 3 : 1, await connection.ScalarAsync($"select count(*)::int from {table.Name}"));
    }

    /// <summary>The transaction itself alters the table, or takes that back, between two uses of a statement.</summary>
    [Theory, AllValues]
    public async Task ATransactionThatAltersItsTableReadsOn(bool isPrepared)
    {
        PgDataSource db = await TestDatabase.OpenAsync<ChangedResultTests>(Fixture, options =>
        {
            options.MaxPerReactor = 1;
            options.MaxPreparedPerConnection = isPrepared ? 100 : 0;
        });
        Table table = await Table.MakeAsync(2);
        await using PgSession session = await db.OpenSessionAsync();
        Assert.Equal(2, await CountAsync());
        await session.RunScriptAsync("begin");
        Assert.Equal(2, await CountAsync());
        await session.RunScriptAsync($"savepoint before; alter table {table.Name} add column extra float8");
        Assert.Equal(3, await CountAsync());
        await session.RunScriptAsync("rollback to before");
        Assert.Equal(2, await CountAsync());
        await session.RunScriptAsync($"alter table {table.Name} add column other text");
        Assert.Equal(3, await CountAsync());
        await session.RunScriptAsync("rollback");
        Assert.Equal(2, await CountAsync());

        async Task<int> CountAsync()
        {
            await session.Query(table.Insert).ExecuteAsync().Within(60.Seconds());
            return await session.Query(table.Read).FirstAsync(static row => row.Count).Within(60.Seconds());
        }
    }

    /// <summary>The ALTER TABLE and what reads the table go out together.</summary>
    [Theory, AllValues]
    public async Task ATextThatAltersItsTableReadsItAsItIsThen(bool isPrepared)
    {
        PgDataSource db = await TestDatabase.OpenAsync<ChangedResultTests>(Fixture, options =>
        {
            options.MaxPerReactor = 1;
            options.MaxPreparedPerConnection = isPrepared ? 100 : 0;
        });
        Table table = await Table.MakeAsync(2);
        Assert.Equal(2, await db.Query(table.Read).FirstAsync(static row => row.Count).Within(60.Seconds()));
        PgBatch batch = db.CreateBatch();
        db.Query(PgStatement.Create(Encoding.UTF8.GetBytes(table.AlterSql))).Execute(batch);
        PgPending<int> count = db.Query(table.Read).First(batch, static row => row.Count);
        await batch.RunAsync().AsTask().Within(60.Seconds());
        Assert.Equal(3, count.Result);

        await using DbConnection connection = await db.AsDbDataSource().OpenConnectionAsync();
        await using DbCommand command = connection.Command(table.ReadSql);
        Assert.Equal(3, await CountColumnsAsync(command));
        command.CommandText = $"{table.AlterSql}; {table.ReadSql}";
        Assert.Equal(4, await CountColumnsAsync(command));
    }

    [Fact]
    public async Task OneConnectionHasNoticedAndNoOtherFails()
    {
        PgDataSource db = await TestDatabase.OpenAsync<ChangedResultTests>(Fixture, static options => options.MaxPerReactor = 4);
        Table table = await Table.MakeAsync(2);
        PgSession[] sessions = [await db.OpenSessionAsync(), await db.OpenSessionAsync(), await db.OpenSessionAsync()];
        foreach (PgSession session in sessions)
        {
            await session.Query(table.Read).ExecuteAsync().Within(60.Seconds());
        }

        await table.AlterAsync();
        Assert.Equal(3, await sessions[0].Query(table.Read).FirstAsync(static row => row.Count).Within(60.Seconds()));
        foreach (PgSession session in sessions)
        {
            await session.RunScriptAsync("begin").Within(60.Seconds());
            await session.Query(table.Insert).ExecuteAsync().Within(60.Seconds());
            Assert.Equal(3, await session.Query(table.Read).FirstAsync(static row => row.Count).Within(60.Seconds()));
            await session.RunScriptAsync("rollback").Within(60.Seconds());
            await session.DisposeAsync();
        }
    }

    [Fact]
    public async Task ATableThatIsAlteredOverTheDataSourceMakesNoTransactionFail()
    {
        PgDataSource db = await TestDatabase.OpenAsync<ChangedResultTests>(Fixture, static options => options.MaxPerReactor = 4);
        Table table = await Table.MakeAsync(2);
        await using PgSession session = await db.OpenSessionAsync();
        await session.Query(table.Read).ExecuteAsync().Within(60.Seconds());
        await db.Query(PgStatement.Create(Encoding.UTF8.GetBytes(table.AlterSql))).ExecuteAsync().Within(60.Seconds());
        await session.RunScriptAsync("begin").Within(60.Seconds());
        await session.Query(table.Insert).ExecuteAsync().Within(60.Seconds());
        Assert.Equal(3, await session.Query(table.Read).FirstAsync(static row => row.Count).Within(60.Seconds()));
        await session.RunScriptAsync("rollback").Within(60.Seconds());
    }

    [Fact]
    public async Task ATransactionThatHasDoneWorkFailsOnceAndSaysWhyAndARetryRunsIt()
    {
        Table table = await Table.MakeAsync(2);
        for (int round = 0; round < 2; round++)
        {
            int runs = 0;
            await using (PgSession session = await Db.OpenSessionAsync())
            {
                await session.Query(table.Read).ExecuteAsync().Within(60.Seconds());
            }

            await table.AlterAsync();
            Task<int> running = Db.TransactionAsync(
                async (transaction, table, token) =>
                {
                    runs++;
                    await transaction.Session.Query(table.Insert).ExecuteAsync(token);
                    return await transaction.Session.Query(table.Read).FirstAsync(static row => row.Count, token);
                },
                table,
                retry: round == 0 ? PgRetry.None : PgRetry.Serialization(2)).AsTask();
            if (round == 0)
            {
                PgException error = await Assert.ThrowsAsync<PgException>(() => running.Within(60.Seconds()));
                Assert.Equal(PgSqlState.FeatureNotSupported, error.SqlState);
                Assert.Contains("ALTER TABLE", error.Message, StringComparison.Ordinal);
                Assert.Equal(1, runs);
            }
            else
            {
                Assert.Equal(4, await running.Within(60.Seconds()));
                Assert.Equal(2, runs);
            }
        }
    }

    private static async Task<int> CountColumnsAsync(DbCommand command)
    {
        await using DbDataReader reader = await command.ExecuteReaderAsync();
        do
        {
            if (await reader.ReadAsync())
            {
                return reader.FieldCount;
            }
        }
        while (await reader.NextResultAsync());
        return 0;
    }

    private sealed class Table
    {
        private int _columns;

        private Table(int columns) => _columns = columns;

        internal string Name { get; } = $"t_{Guid.NewGuid():N}";

        internal string ReadSql => $"select * from {Name}";

        internal string InsertSql => $"insert into {Name} (c1) values (7)";

        internal string AlterSql => $"alter table {Name} add column c{++_columns} int";

        internal PgStatement Read { get; private set; } = null!;

        internal PgStatement Insert { get; private set; } = null!;

        internal static async Task<Table> MakeAsync(int columns)
        {
            var table = new Table(columns);
            table.Read = PgStatement.Create(Encoding.UTF8.GetBytes(table.ReadSql));
            table.Insert = PgStatement.Create(Encoding.UTF8.GetBytes(table.InsertSql));
            string list = string.Join(", ", Enumerable.Range(1, columns).Select(static i => $"c{i} int"));
            await RunAsync($"create table {table.Name} ({list}); insert into {table.Name} (c1) values (1)");
            return table;
        }

        internal Task AlterAsync() => RunAsync(AlterSql);

        private static async Task RunAsync(string sql)
        {
            PostgresServer server = await PostgresServer.SharedAsync();
            await server.RunSqlAsync(sql, await server.DatabaseAsync<ChangedResultTests>(), PgUsers.Trust);
        }
    }
}
