using System.Data.Common;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>
/// A deferred constraint is checked at the commit, behind the answers of all commands. The caller gets that error, and the connection continues
/// with the commands that were sent behind it.
/// </summary>
public class CommitFailureTests : OneConnectionTests
{
    private static readonly PgStatement<int> s_insert = PgStatement.Create<int>("insert into children values ($1) returning parent"u8);
    private static readonly PgStatement<int> s_double = PgStatement.Create<int>("select $1 * 2"u8);
    private static readonly PgStatement s_process = PgStatement.Create("select pg_backend_pid()"u8);
    private static readonly PgStatement s_orphans = PgStatement.Create("select count(*) from children where parent <> 0"u8);

    public enum Way
    {
        Command,
        Rows,
        Portal,
        Batch,
        Script,
        Copy,
        Transaction,
        BatchInTransaction,
        AdoCommand,
        AdoScalar,
        AdoReader,
        AdoBatch,
        AdoTransaction,
    }

    public override async ValueTask InitializeAsync()
    {
        await base.InitializeAsync();
        await using PgSession session = await Db.OpenSessionAsync();
        await session.RunScriptAsync(
            "drop table if exists children, parents; create table parents (id int primary key); insert into parents values (0); "
                + "create table children (parent int references parents deferrable initially deferred)");
    }

    /// <summary>A text that is new to the connection is described in the middle of the batch; a known one is sent whole.</summary>
    [Theory, AllValues]
    public async Task ABatchThatCannotBeCommittedFailsAlone(bool isKnown)
    {
        int process = await Db.Query(s_process).ScalarAsync<int>().Within(20.Seconds());
        Assert.Equal(2, await Db.Query(s_double, 1).ScalarAsync<int>().Within(20.Seconds()));
        PgStatement<int> insert = isKnown ? s_insert : PgStatement.Create<int>(Encoding.UTF8.GetBytes($"insert into children values ($1) -- {Guid.NewGuid()}"));
        if (isKnown)
        {
            await Db.Query(insert, 0).ExecuteAsync().Within(20.Seconds());
        }

        await Fixture[0].RunAsync(async () =>
        {
            PgBatch batch = Db.CreateBatch();
            Db.Query(insert, 0).Execute(batch);
            PgPending<PgTag> undone = Db.Query(insert, 7).Execute(batch);
            Task failing = batch.RunAsync().AsTask();
            Task<int>[] behind = [.. Enumerable.Range(0, 10).Select(i => Db.Query(s_double, i).ScalarAsync<int>().AsTask())];
            PgException error = await Assert.ThrowsAsync<PgException>(() => failing);
            Assert.Equal((PgSqlState.ForeignKeyViolation, -1), (error.SqlState, error.BatchIndex));
            Assert.Equal(1, undone.Result.RowsAffected);
            Assert.Equal(Enumerable.Range(0, 10).Select(static i => 2 * i), await Task.WhenAll(behind));

            // The object serves the next batch.
            batch.Clear();
            PgPending<PgTag> kept = Db.Query(insert, 0).Execute(batch);
            await batch.RunAsync();
            Assert.Equal(1, kept.Result.RowsAffected);
        }).Within(20.Seconds());
        Assert.Equal(process, await Db.Query(s_process).ScalarAsync<int>().Within(20.Seconds()));
        Assert.Equal(0, await Db.Query(s_orphans).ScalarAsync<long>().Within(20.Seconds()));
    }

    [Theory, AllValues]
    public async Task TheErrorReachesTheCallerAndTheConnectionContinues(Way way)
    {
        int process = await Db.Query(s_process).ScalarAsync<int>().Within(20.Seconds());
        DbException error = await Assert.ThrowsAnyAsync<DbException>(() => InsertAsync(way).Within(20.Seconds()));
        Assert.Equal(PgSqlState.ForeignKeyViolation, error.SqlState);
        Assert.Equal(process, await Db.Query(s_process).ScalarAsync<int>().Within(20.Seconds()));
        Assert.Equal(0, await Db.Query(s_orphans).ScalarAsync<long>().Within(20.Seconds()));
    }

    private async Task InsertAsync(Way way)
    {
        const string insert = "insert into children values (7) returning parent";
        if (way >= Way.AdoCommand)
        {
            await using DbConnection connection = await Db.AsDbDataSource().OpenConnectionAsync();
            await InsertAsync(connection, way, insert);
            return;
        }

        if (way < Way.Script)
        {
            await InsertOverTheDataSourceAsync(way);
            return;
        }

        await using PgSession session = await Db.OpenSessionAsync();
        switch (way)
        {
            case Way.Script:
                await session.RunScriptAsync($"select 1; {insert}");
                break;
            case Way.Copy:
                await using (PgCopyIn copy = await session.CopyInAsync("copy children from stdin (format binary)"u8.ToArray()))
                {
                    copy.BeginRow(1);
                    copy.Write(7);
                    await copy.CompleteAsync();
                }

                break;
            default:
                await using (PgTransaction transaction = await session.BeginAsync())
                {
                    PgBatch batch = session.CreateBatch();
                    PgPending<int> inserted = session.Query(s_insert, 7).Scalar<int>(batch);
                    await batch.RunAsync();
                    Assert.Equal(7, inserted.Result);
                    await (way == Way.Transaction ? transaction.CommitAsync() : CommitInABatchAsync(session));
                }

                break;
        }
    }

    private static ValueTask CommitInABatchAsync(PgSession session)
    {
        PgBatch batch = session.CreateBatch();
        session.Query(s_insert, 0).Execute(batch);
        session.Query(PgStatement.Create("commit"u8)).Execute(batch);
        return batch.RunAsync();
    }

    private async Task InsertOverTheDataSourceAsync(Way way)
    {
        switch (way)
        {
            case Way.Command:
                await Db.Query(s_insert, 7).ScalarAsync<int>();
                break;
            case Way.Rows or Way.Portal:
                await using (PgRows rows = await Db.Query(s_insert, 7).RowsAsync(fetchSize: way == Way.Portal ? 1 : 0))
                {
                    while (await rows.NextBatchAsync())
                    {
                    }
                }

                break;
            default:
                PgBatch batch = Db.CreateBatch();
                Db.Query(s_insert, 7).Scalar<int>(batch);
                await batch.RunAsync();
                break;
        }
    }

    private static async Task InsertAsync(DbConnection connection, Way way, string insert)
    {
        switch (way)
        {
            case Way.AdoCommand:
                await connection.NonQueryAsync(insert);
                break;
            case Way.AdoScalar:
                await connection.ScalarAsync(insert);
                break;
            case Way.AdoReader:
                await using (DbDataReader reader = await connection.FirstRowAsync(insert))
                {
                    Assert.Equal(7, reader.GetInt32(0));
                    Assert.False(await reader.ReadAsync());
                    await reader.NextResultAsync();
                }

                break;
            case Way.AdoBatch:
                await using (DbBatch batch = connection.Batch("insert into children values (0)", insert))
                {
                    await batch.ExecuteNonQueryAsync();
                }

                break;
            default:
                await using (DbTransaction transaction = await connection.BeginTransactionAsync())
                {
                    await connection.NonQueryAsync(insert);
                    await transaction.CommitAsync();
                }

                break;
        }
    }
}
