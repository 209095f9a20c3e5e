namespace Ioxide.Pg.Tests;

/// <summary>Transactions and savepoints.</summary>
public class TransactionTests : PgTests
{
    private static readonly PgStatement<int> s_insert = PgStatement.Create<int>("insert into kept values ($1)"u8);
    private static readonly PgStatement s_count = PgStatement.Create("select count(*)::int from kept"u8);
    private static readonly PgStatement s_fail = PgStatement.Create("select 1 / 0"u8);
    private static readonly PgStatement s_isolation = PgStatement.Create(
        "select current_setting('transaction_isolation') || ' ' || current_setting('transaction_read_only') || ' '"u8);

    [Fact]
    public async Task ACommitLasts()
    {
        PgDataSource db = await OpenAsync(Fixture);
        await using (PgSession session = await db.OpenSessionAsync())
        {
            await using PgTransaction transaction = await session.BeginAsync();
            Assert.True(session.IsInTransaction);
            await session.Query(s_insert, 1).ExecuteAsync();
            await transaction.CommitAsync();
            Assert.False(session.IsInTransaction);
            await Assert.ThrowsAsync<InvalidOperationException>(() => transaction.CommitAsync().AsTask());
        }

        Assert.Equal(1, await db.Query(s_count).ScalarAsync<int>());
    }

    [Fact]
    public async Task ATransactionThatIsDisposedWithoutACommitIsRolledBack()
    {
        PgDataSource db = await OpenAsync(Fixture);
        await using PgSession session = await db.OpenSessionAsync();
        await using (PgTransaction transaction = await session.BeginAsync())
        {
            await session.Query(s_insert, 1).ExecuteAsync();
        }

        Assert.False(session.IsInTransaction);
        Assert.Equal(0, await session.Query(s_count).ScalarAsync<int>());
    }

    [Fact]
    public async Task ASessionThatIsDisposedInATransactionRollsItBackBeforeTheNextUser()
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        PgDataSource db = await OpenAsync(fixture, TestDatabase.OneConnection);
        await using (PgSession session = await db.OpenSessionAsync())
        {
            await session.RunScriptAsync("begin; insert into kept values (1)");
        }

        await using PgSession next = await db.OpenSessionAsync().Within(20.Seconds());
        Assert.False(next.IsInTransaction);
        Assert.Equal(0, await next.Query(s_count).ScalarAsync<int>());
        Assert.Equal(1, db.Opened());
    }

    [Theory, AllValues]
    public async Task ARollbackToASavepointThatWasCancelledBeforeItWasSentIsMadeOnDisposal(bool isRelease)
    {
        PgDataSource db = await OpenAsync(Fixture);
        await using PgSession session = await db.OpenSessionAsync();
        await using PgTransaction transaction = await session.BeginAsync();
        await using (PgSavepoint savepoint = await transaction.SavepointAsync())
        {
            await session.Query(s_insert, 1).ExecuteAsync();
            var cancelled = new CancellationToken(true);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => isRelease ? savepoint.ReleaseAsync(cancelled).AsTask() : savepoint.RollbackAsync(cancelled).AsTask());
        }

        await transaction.CommitAsync();
        Assert.Equal(0, await session.Query(s_count).ScalarAsync<int>());
    }

    [Theory, AllValues]
    public async Task ARollbackToASavepointThatWasWithdrawnIsMadeOnDisposal(bool isRelease)
    {
        PgDataSource db = await OpenAsync(Fixture);
        await using PgSession session = await db.OpenSessionAsync();
        await using PgTransaction transaction = await session.BeginAsync();
        await using (PgSavepoint savepoint = await transaction.SavepointAsync())
        {
            await session.Query(s_insert, 1).ExecuteAsync();
            using var source = new CancellationTokenSource();
            using ManualResetEventSlim release = new();
            session.Pool.Reactor.Post(static state => ((ManualResetEventSlim)state!).Wait(), release);
            Task ending = isRelease ? savepoint.ReleaseAsync(source.Token).AsTask() : savepoint.RollbackAsync(source.Token).AsTask();
            await source.CancelAsync();
            release.Set();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ending.Within(20.Seconds()));
        }

        await transaction.CommitAsync();
        Assert.Equal(0, await session.Query(s_count).ScalarAsync<int>());
    }

    /// <summary>As a COPY runs, for instance.</summary>
    [Theory, AllValues]
    public async Task ASavepointWhoseEndWasRefusedIsRolledBackOnDisposal(bool isRelease)
    {
        PgDataSource db = await OpenAsync(Fixture);
        await using PgSession session = await db.OpenSessionAsync();
        await using PgTransaction transaction = await session.BeginAsync();
        await using (PgSavepoint savepoint = await transaction.SavepointAsync())
        {
            await session.Query(s_insert, 1).ExecuteAsync();
            await using PgCopyIn copy = await session.CopyInAsync("copy kept from stdin"u8.ToArray());
            await Assert.ThrowsAsync<InvalidOperationException>(
                () => isRelease ? savepoint.ReleaseAsync().AsTask() : savepoint.RollbackAsync().AsTask());
            await copy.CompleteAsync();
        }

        await transaction.CommitAsync();
        Assert.Equal(0, await session.Query(s_count).ScalarAsync<int>());
    }

    [Theory, AllValues]
    public async Task ATransactionWhoseEndWasCancelledBeforeItWasSentGoesOn(bool isCommit, bool endsByDisposal)
    {
        PgDataSource db = await OpenAsync(Fixture);
        await using PgSession session = await db.OpenSessionAsync();
        await using (PgTransaction transaction = await session.BeginAsync())
        {
            await session.Query(s_insert, 1).ExecuteAsync();
            var cancelled = new CancellationToken(true);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => isCommit ? transaction.CommitAsync(cancelled).AsTask() : transaction.RollbackAsync(cancelled).AsTask());
            if (!endsByDisposal)
            {
                await transaction.CommitAsync();
            }
        }

        Assert.False(session.IsInTransaction);
        Assert.Equal(endsByDisposal ? 0 : 1, await session.Query(s_count).ScalarAsync<int>());
    }

    [Fact]
    public async Task TheCommitOfAFailedTransactionSaysThatNothingWasKept()
    {
        PgDataSource db = await OpenAsync(Fixture);
        await using PgSession session = await db.OpenSessionAsync();
        await using PgTransaction transaction = await session.BeginAsync();
        await session.Query(s_insert, 1).ExecuteAsync();
        await Assert.ThrowsAsync<PgException>(() => session.Query(s_fail).ExecuteAsync().AsTask());
        await Assert.ThrowsAsync<InvalidOperationException>(() => transaction.CommitAsync().AsTask());
        Assert.Equal(0, await session.Query(s_count).ScalarAsync<int>());
    }

    /// <summary>The server answers COMMIT, with a warning.</summary>
    [Fact]
    public async Task TheCommitOfATransactionThatATextHasEndedSaysSo()
    {
        PgDataSource db = await OpenAsync(Fixture);
        await using PgSession session = await db.OpenSessionAsync();
        await using PgTransaction transaction = await session.BeginAsync();
        await session.RunScriptAsync("rollback");
        await Assert.ThrowsAsync<InvalidOperationException>(() => transaction.CommitAsync().AsTask());
        await session.Query(s_insert, 1).ExecuteAsync();
        Assert.Equal(1, await session.Query(s_count).ScalarAsync<int>());
    }

    [Theory]
    [InlineData(PgIsolation.Default, null, "read committed off ")]
    [InlineData(PgIsolation.ReadCommitted, true, "read committed on ")]
    [InlineData(PgIsolation.RepeatableRead, false, "repeatable read off ")]
    [InlineData(PgIsolation.Serializable, true, "serializable on ")]
    public async Task ATransactionIsAsIsolatedAsItWasAskedFor(PgIsolation isolation, bool? readOnly, string expected)
    {
        PgDataSource db = await OpenAsync(Fixture);
        await using PgSession session = await db.OpenSessionAsync();
        await using PgTransaction transaction = await session.BeginAsync(
            new PgTransactionOptions(isolation, readOnly, Deferrable: isolation == PgIsolation.Serializable));
        Assert.Equal(expected, await session.Query(s_isolation).ScalarAsync<string>());
    }

    [Fact]
    public async Task SavepointsNest()
    {
        PgDataSource db = await OpenAsync(Fixture);
        await using PgSession session = await db.OpenSessionAsync();
        await using (PgTransaction transaction = await session.BeginAsync())
        {
            await session.Query(s_insert, 1).ExecuteAsync();
            await using (PgSavepoint outer = await transaction.SavepointAsync())
            {
                await session.Query(s_insert, 2).ExecuteAsync();
                await using (PgSavepoint inner = await transaction.SavepointAsync())
                {
                    await session.Query(s_insert, 3).ExecuteAsync();
                    await Assert.ThrowsAsync<PgException>(() => session.Query(s_fail).ExecuteAsync().AsTask());
                }

                Assert.Equal(2, await session.Query(s_count).ScalarAsync<int>());
                await outer.ReleaseAsync();
            }

            await transaction.CommitAsync();
        }

        Assert.Equal(2, await db.Query(s_count).ScalarAsync<int>());
    }

    [Fact]
    public async Task TheOuterOfTwoSavepointsUndoesTheInnerOnesWorkToo()
    {
        PgDataSource db = await OpenAsync(Fixture);
        await using PgSession session = await db.OpenSessionAsync();
        await using PgTransaction transaction = await session.BeginAsync();
        PgSavepoint outer = await transaction.SavepointAsync();
        await session.Query(s_insert, 1).ExecuteAsync();
        PgSavepoint inner = await transaction.SavepointAsync();
        await session.Query(s_insert, 2).ExecuteAsync();
        await inner.RollbackAsync();
        Assert.Equal(1, await session.Query(s_count).ScalarAsync<int>());
        await outer.RollbackAsync();
        Assert.Equal(0, await session.Query(s_count).ScalarAsync<int>());
    }

    [Fact]
    public async Task ATransactionInATransactionIsRefused()
    {
        PgDataSource db = await OpenAsync(Fixture);
        await using PgSession session = await db.OpenSessionAsync();
        await using PgTransaction transaction = await session.BeginAsync();
        await Assert.ThrowsAsync<InvalidOperationException>(() => session.BeginAsync().AsTask());
    }

    private static async Task<PgDataSource> OpenAsync(PgFixture fixture, Action<PgDataSourceOptions>? configure = null)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<TransactionTests>();
        await server.RunSqlAsync("drop table if exists kept; create table kept(a int)", database, PgUsers.Trust);
        return await TestDatabase.OpenAsync<TransactionTests>(fixture, configure ?? (static _ => { }));
    }
}
