using System.Data.Common;
using System.Text;
using Ioxide.Pg.Data;
using static Ioxide.Pg.Tests.BackendMessages;

namespace Ioxide.Pg.Tests;

/// <summary>
/// The end of a transaction that its caller has given up. Once it was sent the transaction is over, whatever the server makes of it; before that the
/// transaction continues. On both faces of the driver.
/// </summary>
public class TransactionGivenUpTests() : PairTests(configure: TestDatabase.OneReactor)
{
    private const string Locked =
        "drop table if exists ended; create table ended (x int); "
            + "create or replace function wait_for_lock() returns trigger language plpgsql as "
            + "$$ begin perform pg_advisory_xact_lock(815); return null; end $$; "
            + "create constraint trigger waits after insert on ended deferrable initially deferred for each row execute function wait_for_lock()";

    private const string Waiting =
        "select count(*) from pg_locks where locktype = 'advisory' and not granted "
            + "and database = (select oid from pg_database where datname = current_database())";

    /// <summary>A commit that waits is given up, and its cancel strikes it. A second behind it would succeed outside of any transaction.</summary>
    [Theory, AllValues]
    public async Task ACommitIsNotRetriedBehindOneThatWasGivenUp(bool isAdo)
    {
        await Pair.RunAsync(Locked);
        await Pair.Theirs.NonQueryAsync("select pg_advisory_lock(815)");
        await using (Owner owner = await Owner.BeginAsync((PgDbConnection)Pair.Ours, isAdo))
        {
            await owner.Session.RunScriptAsync("insert into ended values (1)").Within(20.Seconds());
            using var token = new CancellationTokenSource();
            Task commit = owner.EndAsync(isCommit: true, token.Token);
            await Waits.Until(() => Pair.RunAsync(Waiting), static count => count == "1", 20.Seconds());
            await token.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => commit.Within(20.Seconds()));
            await Assert.ThrowsAsync<InvalidOperationException>(() => owner.EndAsync(isCommit: true).Within(20.Seconds()));
        }

        // Its cancel has struck the commit.
        await Waits.Until(() => Pair.RunAsync(Waiting), static count => count == "0", 20.Seconds());
        await Pair.Theirs.NonQueryAsync("select pg_advisory_unlock(815)");
        Assert.Equal("0", await Pair.RunAsync("select count(*) from ended"));
        Assert.Equal(0L, await Pair.Ours.ScalarAsync("select count(*) from ended"));
    }

    /// <summary>The server ends the transaction although the end was given up: nothing may count as part of it, nor undo it.</summary>
    [Theory, AllValues]
    public async Task ATransactionWhoseEndWasGivenUpTakesNothingMore(bool isAdo, bool isCommit)
    {
        TaskCompletionSource isRunning = Waits.Signal();
        TaskCompletionSource goesOn = Waits.Signal();
        await using FakeServer server = Serve(Begun(isAdo)
            .Expect(Flight(isAdo)).Then(_ => Task.FromResult(isRunning.TrySetResult())).WaitFor(goesOn.Task)
            .Send(Done(isAdo, isCommit ? "COMMIT" : "ROLLBACK"))
            .Expect("Q").Send(CommandComplete("VACUUM"), ReadyForQuery()));
        await using PgDataSource source = Open(server);
        await using (PgDbConnection connection = await source.AsDbDataSource().OpenConnectionAsync().Within(20.Seconds()))
        {
            PgSession session;
            await using (Owner owner = await Owner.BeginAsync(connection, isAdo))
            {
                session = owner.Session;
                await using DbCommand command = connection.Command("insert into ended values (2)");
                command.Transaction = connection.Transaction;
                await GiveUpAsync(owner, isCommit, isRunning.Task);
                Assert.False(session.IsInTransaction);
                await Assert.ThrowsAsync<InvalidOperationException>(() => owner.EndAsync(isCommit: true).Within(20.Seconds()));
                await Assert.ThrowsAsync<InvalidOperationException>(() => owner.EndAsync(isCommit: false).Within(20.Seconds()));
                if (isAdo)
                {
                    await Assert.ThrowsAsync<InvalidOperationException>(() => command.ExecuteNonQueryAsync().Within(20.Seconds()));
                }
            }

            Task<PgScriptResult> next = session.RunScriptAsync("vacuum").AsTask();
            goesOn.SetResult();
            Assert.Equal("VACUUM", (await next.Within(20.Seconds())).Tag.Command);
        }

        await server.AssertScriptsEndedAsync();
    }

    /// <summary>Its owner takes the transaction for over, and may begin another. The one that the server has kept is rolled back before.</summary>
    [Theory, AllValues]
    public async Task ATransactionWhoseEndWasGivenUpAndThenRefusedIsRolledBack(bool isAdo, bool isCommit)
    {
        TaskCompletionSource isRunning = Waits.Signal();
        TaskCompletionSource goesOn = Waits.Signal();
        await using FakeServer server = Serve(Begun(isAdo)
            .Expect(Flight(isAdo)).Then(_ => Task.FromResult(isRunning.TrySetResult())).WaitFor(goesOn.Task)
            .Send(ErrorResponse(PgSqlState.QueryCanceled, "canceling statement due to user request"), ReadyForQuery('E'))
            .Then(static async session => Assert.Equal("ROLLBACK;\0", Encoding.UTF8.GetString((await session.ReadAsync()).Body)))
            .Send(CommandComplete("ROLLBACK"), ReadyForQuery())
            .Expect(isAdo ? "BES" : "Q").Send(isAdo ? BindComplete() : [], CommandComplete("BEGIN"), ReadyForQuery('T'))
            .Expect("Q").Send(CommandComplete("INSERT 0 1"), ReadyForQuery('T'))
            .ExpectUntil(isAdo ? 'S' : 'Q').Send(Done(isAdo, "ROLLBACK")));
        await using PgDataSource source = Open(server);
        await using (PgDbConnection connection = await source.AsDbDataSource().OpenConnectionAsync().Within(20.Seconds()))
        {
            await using (Owner owner = await Owner.BeginAsync(connection, isAdo))
            {
                await GiveUpAsync(owner, isCommit, isRunning.Task);
            }

            // The session of a connection waits for the BEGIN that it sends.
            Task<Owner> beginning = Task.Run(() => Owner.BeginAsync(connection, isAdo));
            goesOn.SetResult();
            await using Owner next = await beginning.Within(20.Seconds());
            await next.Session.RunScriptAsync("insert into ended values (1)").Within(20.Seconds());
            Assert.True(next.Session.IsInTransaction);
        }

        await server.AssertScriptsEndedAsync();
    }

    /// <summary>The control: a server that refuses an end and says that the transaction is there is believed.</summary>
    [Theory, AllValues]
    public async Task ATransactionWhoseEndTheServerRefusesContinues(bool isAdo, bool isCommit)
    {
        await using FakeServer server = Serve(Begun(isAdo)
            .Expect(Flight(isAdo)).Send(ErrorResponse(PgSqlState.QueryCanceled, "canceling statement due to statement timeout"), ReadyForQuery('E'))
            .ExpectUntil(isAdo ? 'S' : 'Q').Send(Done(isAdo, "ROLLBACK")));
        await using PgDataSource source = Open(server);
        await using (PgDbConnection connection = await source.AsDbDataSource().OpenConnectionAsync().Within(20.Seconds()))
        {
            await using Owner owner = await Owner.BeginAsync(connection, isAdo);
            await Assert.ThrowsAsync<PgException>(() => owner.EndAsync(isCommit).Within(20.Seconds()));
            Assert.True(owner.Session.IsInTransaction);
            await owner.EndAsync(isCommit: false).Within(20.Seconds());
            Assert.False(owner.Session.IsInTransaction);
        }

        await server.AssertScriptsEndedAsync();
    }

    /// <summary>
    /// The first command is given up, and its cancel is on its way: the server has said nothing of a transaction yet. An end waits behind that, and is
    /// given up too. What the server makes of the first command decides whether it is in the transaction; its owner still is.
    /// </summary>
    [Theory, AllValues]
    public async Task AnEndThatWaitsBehindTheBeginLeavesTheTransaction(bool isCommit, bool isBegun)
    {
        TaskCompletionSource isRunning = Waits.Signal();
        TaskCompletionSource goesOn = Waits.Signal();
        byte[] struck = ErrorResponse(PgSqlState.QueryCanceled, "canceling statement due to user request");
        Script script = Script.Welcome().Expect("PDBEPDH").Then(_ => Task.FromResult(isRunning.TrySetResult())).WaitFor(goesOn.Task);
        script = isBegun
            ? script.Send(ParseComplete(), ParameterDescription(), NoData(), BindComplete(), CommandComplete("BEGIN"), struck)
                .Expect("S").Send(ReadyForQuery('E'))
            : script.Send(ParseComplete(), ParameterDescription(), NoData(), struck).Expect("S").Send(ReadyForQuery())
                .Expect("BEPDH").Send(BindComplete(), CommandComplete("BEGIN"), ParseComplete(), ParameterDescription(), NoData())
                .Expect("BES").Send(BindComplete(), CommandComplete("INSERT 0 1"), ReadyForQuery('T'));
        await using FakeServer server = Serve(script.Expect("PDBES").Send(Done(isAdo: true, "ROLLBACK")));
        await using PgDataSource source = Open(server);
        await using (PgDbConnection connection = await source.AsDbDataSource().OpenConnectionAsync().Within(20.Seconds()))
        {
            CommandPipeline pipeline = connection.Session.Connection.Pipeline;
            await using DbTransaction transaction = await connection.BeginTransactionAsync();
            await using DbCommand command = connection.Command("insert into ended values (1)");
            command.Transaction = transaction;
            using var token = new CancellationTokenSource();
            Task first = command.ExecuteNonQueryAsync(token.Token);
            await isRunning.Task.Within(20.Seconds());
            await token.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first.Within(20.Seconds()));

            using var ending = new CancellationTokenSource();
            Task end = isCommit ? transaction.CommitAsync(ending.Token) : transaction.RollbackAsync(ending.Token);
            await Waits.Eventually(() => pipeline.Pending == 2, 20.Seconds());
            await ending.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => end.Within(20.Seconds()));
            goesOn.SetResult();
            await Waits.Eventually(() => pipeline.Pending == 0, 20.Seconds());
            await Fixture[0].RunAsync(static () => { });
            if (!isBegun)
            {
                Assert.Equal(1, await command.ExecuteNonQueryAsync(CancellationToken.None).Within(20.Seconds()));
            }
        }

        await server.AssertScriptsEndedAsync();
    }

    /// <summary>The server would take it for a success, with a warning.</summary>
    [Theory, AllValues]
    public async Task ACommitBehindABeginThatWasStruckIsNoSuccess(bool isCommit)
    {
        TaskCompletionSource isRunning = Waits.Signal();
        TaskCompletionSource goesOn = Waits.Signal();
        await using FakeServer server = Serve(Script.Welcome()
            .Expect("PDBEPDH").Then(_ => Task.FromResult(isRunning.TrySetResult())).WaitFor(goesOn.Task)
            .Send(ParseComplete(), ParameterDescription(), NoData(), ErrorResponse(PgSqlState.QueryCanceled, "canceling statement due to user request"))
            .Expect("S").Send(ReadyForQuery())
            .Expect("PDBES").Send(
                NoticeResponse("25P01", "there is no transaction in progress", "WARNING"), Done(isAdo: true, isCommit ? "COMMIT" : "ROLLBACK")));
        await using PgDataSource source = Open(server);
        await using (PgDbConnection connection = await source.AsDbDataSource().OpenConnectionAsync().Within(20.Seconds()))
        {
            await using DbTransaction transaction = await connection.BeginTransactionAsync();
            using var token = new CancellationTokenSource();
            await using DbCommand command = connection.Command("insert into ended values (1)");
            Task first = command.ExecuteNonQueryAsync(token.Token);
            await isRunning.Task.Within(20.Seconds());
            await token.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first.Within(20.Seconds()));
            Task end = isCommit ? transaction.CommitAsync(CancellationToken.None) : transaction.RollbackAsync(CancellationToken.None);
            goesOn.SetResult();
            Exception? error = await end.ErrorWithin(20.Seconds());
            Assert.Equal(isCommit ? typeof(InvalidOperationException) : null, error?.GetType());
        }

        await server.AssertScriptsEndedAsync();
    }

    private static async Task GiveUpAsync(Owner owner, bool isCommit, Task isRunning)
    {
        using var token = new CancellationTokenSource();
        Task end = owner.EndAsync(isCommit, token.Token);
        await isRunning.Within(20.Seconds());
        await token.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => end.Within(20.Seconds()));
    }

    /// <summary>The first connection follows the script. The others are cancel requests, which strike nothing, and may come too late to be sent.</summary>
    private static FakeServer Serve(Script script) => FakeServer.Start(index => index == 0 ? script : new Script().Then(static async session =>
    {
        try
        {
            await session.ReadUntypedAsync();
        }
        catch (EndOfStreamException)
        {
            // The command has ended before.
        }
    }).End());

    private PgDataSource Open(FakeServer server)
        => TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnectionWith(static options => options.LoadTypes = false));

    /// <summary>A transaction in which nothing has run yet.</summary>
    private static Script Begun(bool isAdo) => Script.Welcome().Expect(Flight(isAdo)).Send(Done(isAdo, "BEGIN", 'T'));

    /// <summary>What the first use of a statement sends: the facade prepares it.</summary>
    private static string Flight(bool isAdo) => isAdo ? "PDBES" : "Q";

    private static byte[] Done(bool isAdo, string tag, char status = 'I')
    {
        byte[] prepared = isAdo ? [.. ParseComplete(), .. ParameterDescription(), .. NoData(), .. BindComplete()] : [];
        return [.. prepared, .. CommandComplete(tag), .. ReadyForQuery(status)];
    }

    /// <summary>A transaction that the server has begun, on either face.</summary>
    private sealed class Owner(PgSession session, DbTransaction? facade, PgTransaction? native) : IAsyncDisposable
    {
        internal PgSession Session => session;

        internal static async Task<Owner> BeginAsync(PgDbConnection connection, bool isAdo)
        {
            if (!isAdo)
            {
                PgSession session = connection.Session;
                return new Owner(session, null, await session.BeginAsync());
            }

            DbTransaction transaction = await connection.BeginTransactionAsync();

            // Sends the BEGIN.
            return new Owner(connection.Session, transaction, null);
        }

        internal async Task EndAsync(bool isCommit, CancellationToken token = default)
        {
            if (facade is not null)
            {
                await (isCommit ? facade.CommitAsync(token) : facade.RollbackAsync(token));
            }
            else
            {
                await (isCommit ? native!.CommitAsync(token) : native!.RollbackAsync(token)); // One of the two is there.
            }
        }

        public ValueTask DisposeAsync() => facade?.DisposeAsync() ?? native!.DisposeAsync(); // As above.
    }
}
