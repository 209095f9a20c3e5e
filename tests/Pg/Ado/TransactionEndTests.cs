using System.Data;
using System.Data.Common;
using Ioxide.Pg.Data;
using static Ioxide.Pg.Tests.BackendMessages;

namespace Ioxide.Pg.Tests;

/// <summary>A transaction that is over: what it says of itself and what it refuses, on the facade as on Npgsql.</summary>
public class TransactionEndTests() : PairTests(configure: TestDatabase.OneReactor)
{
    [Theory, Each(
        "dispose", "used dispose", "commit", "used commit", "used commit dispose", "rollback", "used rollback", "used rollback dispose", "used close",
        "used close dispose", "dispose dispose", "used ended", "used ended dispose", "used ended close")]
    public async Task ATransactionThatIsOverAnswersAlike(string steps)
    {
        List<string>[] answers = [await EndAndAskAsync(Pair.Theirs, steps), await EndAndAskAsync(Pair.Ours, steps)];
        Assert.Equal(answers[0], answers[1]);
    }

    [Theory, AllValues]
    public async Task ATransactionThatRunsTellsItsLevel(IsolationLevel level)
    {
        string[] answers = new string[2];
        for (int index = 0; index < answers.Length; index++)
        {
            try
            {
                await using DbTransaction transaction = await Pair.Both[index].BeginTransactionAsync(level);
                answers[index] = $"{transaction.IsolationLevel}";
            }
            catch (NotSupportedException)
            {
                answers[index] = "refused";
            }
        }

        Assert.Equal(answers[0], answers[1]);
    }

    [Theory, Each("plain", "Two words", "a \"quoted\" one", "; rollback; --")]
    public async Task ASavepointHasAnyName(string name)
    {
        await using DbTransaction transaction = await Pair.Ours.BeginTransactionAsync();
        await using DbCommand command = Pair.Ours.Command("create temp table saved as select 1 as x");
        await command.ExecuteNonQueryAsync();
        await transaction.SaveAsync(name);
        command.CommandText = "insert into saved values (2)";
        await command.ExecuteNonQueryAsync();
        await transaction.RollbackAsync(name);
        await transaction.ReleaseAsync(name);
        command.CommandText = "select count(*) from saved";
        Assert.Equal(1L, await command.ExecuteScalarAsync());
    }

    /// <summary>
    /// It must not hide the exception that its caller is on the way out with; and the connection stays open, as its own call has not closed it.
    /// </summary>
    [Theory, AllValues]
    public async Task ItsDisposalPassesOverAReaderThatClosesItsConnection(bool isOurs, bool isSynchronous)
    {
        DbConnection connection = isOurs ? Pair.Ours : Pair.Theirs;
        DbTransaction transaction = await connection.BeginTransactionAsync();
        await using DbCommand command = connection.Command("select i, 1 / (3 - i) from generate_series(1, 5) i");
        _ = await command.ExecuteReaderAsync(CommandBehavior.CloseConnection);
        Assert.Null(await Record.ExceptionAsync(async () =>
        {
            if (isSynchronous)
            {
                transaction.Dispose();
            }
            else
            {
                await transaction.DisposeAsync();
            }
        }));
        Assert.Equal(ConnectionState.Open, connection.State);
    }

    /// <summary>An end that was refused has not reached the server, which is still in the transaction.</summary>
    [Theory, AllValues]
    public async Task AnEndThatWasNotSentLeavesTheTransaction(bool isCommit, bool isAsync, bool endsByDisposal)
    {
        await Pair.RunAsync("drop table if exists ended; create table ended (x int)");
        PgSession session = ((PgDbConnection)Pair.Ours).Session;
        await using (DbTransaction transaction = await Pair.Ours.BeginTransactionAsync())
        {
            await Pair.Ours.NonQueryAsync("insert into ended values (1)");
            await using (PgCopyIn copy = await session.CopyInAsync("copy ended from stdin"u8.ToArray()))
            {
                await Assert.ThrowsAsync<InvalidOperationException>(() => EndAsync(transaction, isCommit, isAsync));
                await copy.CompleteAsync();
            }

            await using DbCommand command = Pair.Ours.Command("insert into ended values (2)");
            command.Transaction = transaction;
            await command.ExecuteNonQueryAsync();
            Assert.Equal("0", await Pair.RunAsync("select count(*) from ended"));
            if (!endsByDisposal)
            {
                await EndAsync(transaction, isCommit, isAsync);
                Assert.Throws<InvalidOperationException>(transaction.Commit);
            }
        }

        Assert.Equal(isCommit && !endsByDisposal ? "2" : "0", await Pair.RunAsync("select count(*) from ended"));
    }

    /// <summary>Its BEGIN is sent with its first command. Where that was not sent, the next is the first.</summary>
    [Theory, AllValues]
    public async Task AFirstCommandThatWasNotSentLeavesTheBeginToTheNext(bool isCommit, bool isAsync)
    {
        await Pair.RunAsync("drop table if exists ended; create table ended (x int)");
        PgSession session = ((PgDbConnection)Pair.Ours).Session;
        await using (PgCopyIn copy = await session.CopyInAsync("copy ended from stdin"u8.ToArray()))
        {
            await using DbTransaction transaction = await Pair.Ours.BeginTransactionAsync(IsolationLevel.Serializable);
            await Assert.ThrowsAsync<InvalidOperationException>(() => Pair.Ours.NonQueryAsync("insert into ended values (1)"));
            await copy.CompleteAsync();
            await using DbCommand command = Pair.Ours.Command("insert into ended values (2)");
            command.Transaction = transaction;
            await command.ExecuteNonQueryAsync();
            Assert.Equal("serializable", await Pair.Ours.ScalarAsync("show transaction_isolation"));
            await EndAsync(transaction, isCommit, isAsync);
        }

        Assert.Equal(isCommit ? "1" : "0", await Pair.RunAsync("select count(*) from ended"));
    }

    /// <summary>A command is given up, and its cancel request strikes the BEGIN before it. The next must not run outside of the transaction.</summary>
    [Fact]
    public async Task ACommandBehindABeginThatWasStruckIsRefused()
    {
        TaskCompletionSource isRunning = Waits.Signal();
        TaskCompletionSource goesOn = Waits.Signal();
        await using FakeServer server = FakeServer.Start(index => index > 0 ? new Script().ExpectStartup().End() : Script.Welcome()
            .Expect("PDBEPDH").Then(_ => Task.FromResult(isRunning.TrySetResult())).WaitFor(goesOn.Task)
            .Send(ParseComplete(), ParameterDescription(), NoData(), ErrorResponse(PgSqlState.QueryCanceled, "canceling statement due to user request"))
            .Expect("S").Send(ReadyForQuery())
            .Expect("S").Send(ReadyForQuery())
            .Expect("BEPDH").Send(BindComplete(), CommandComplete("BEGIN"), ParseComplete(), ParameterDescription(), NoData())
            .Expect("BES").Send(BindComplete(), CommandComplete("INSERT 0 1"), ReadyForQuery('T'))
            .Expect("PDBES").Send(ParseComplete(), ParameterDescription(), NoData(), BindComplete(), CommandComplete("ROLLBACK"), ReadyForQuery()));
        PgDataSource source = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnectionWith(static options => options.LoadTypes = false));
        await using DbConnection connection = await source.AsDbDataSource().OpenConnectionAsync().AsTask().Within(20.Seconds());
        await using (DbTransaction transaction = await connection.BeginTransactionAsync())
        {
            using var token = new CancellationTokenSource();
            await using DbCommand command = connection.Command("insert into ended values (1)");
            Task<int> first = command.ExecuteNonQueryAsync(token.Token);
            await isRunning.Task.Within(20.Seconds());
            await token.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first.Within(20.Seconds()));
            Task<int> second = command.ExecuteNonQueryAsync(CancellationToken.None);
            goesOn.SetResult();
            await Assert.ThrowsAsync<InvalidOperationException>(() => second.Within(20.Seconds()));
            Assert.Equal(1, await command.ExecuteNonQueryAsync(CancellationToken.None).Within(20.Seconds()));
        }

        await connection.CloseAsync();
        await source.DisposeAsync();
        await server.AssertScriptsEndedAsync();
    }

    /// <summary>Behind a BEGIN that failed, what the session runs would be committed at once.</summary>
    [Theory, AllValues]
    public async Task ASessionWhoseBeginFailsIsNotGiven(bool isOnReactor)
    {
        byte[][] begun = [ParseComplete(), ParameterDescription(), NoData(), BindComplete(), CommandComplete("BEGIN"), ReadyForQuery('T')];
        await using FakeServer server = FakeServer.Start(Script.Welcome()
            .Expect("PDBES").Send(ErrorResponse("0A000", "cannot use serializable mode in a hot standby"), ReadyForQuery())
            .Expect("PDBES").Send(begun)
            .Expect("Q").Send(CommandComplete("INSERT 0 1"), ReadyForQuery('T'))
            .Expect("PDBES").Send(ParseComplete(), ParameterDescription(), NoData(), BindComplete(), CommandComplete("ROLLBACK"), ReadyForQuery()));
        PgDataSource source = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnectionWith(static options => options.LoadTypes = false));
        await using (PgDbConnection connection = await source.AsDbDataSource().OpenConnectionAsync().AsTask().Within(20.Seconds()))
        await using (DbTransaction transaction = await connection.BeginTransactionAsync(IsolationLevel.Serializable))
        {
            PgException error = await (isOnReactor ? Fixture[0].RunAsync(Refusal) : Task.Run(Refusal)).Within(20.Seconds());
            Assert.Equal("0A000", error.SqlState);
            PgSession session = connection.Session;
            Assert.True(session.IsInTransaction);
            await session.RunScriptAsync("insert into ended values (1)").Within(20.Seconds());

            PgException Refusal() => Assert.Throws<PgException>(() => connection.Session);
        }

        await source.DisposeAsync();
        await server.AssertScriptsEndedAsync();
    }

    private static Task EndAsync(DbTransaction transaction, bool isCommit, bool isAsync) => (isCommit, isAsync) switch
    {
        (true, true) => transaction.CommitAsync(),
        (true, false) => Task.Run(transaction.Commit),
        (false, true) => transaction.RollbackAsync(),
        (false, false) => Task.Run(transaction.Rollback),
    };

    private static async Task<List<string>> EndAndAskAsync(DbConnection connection, string steps)
    {
        DbTransaction transaction = await connection.BeginTransactionAsync(IsolationLevel.Serializable);
        foreach (string step in steps.Split(' '))
        {
            switch (step)
            {
                case "used" or "ended":
                    await using (DbCommand command = connection.CreateCommand())
                    {
                        command.CommandText = step == "used" ? "select 1" : "commit";
                        await command.ExecuteScalarAsync();
                    }

                    break;
                case "commit": await transaction.CommitAsync(); break;
                case "rollback": await transaction.RollbackAsync(); break;
                case "close": await connection.CloseAsync(); break;
                default: await transaction.DisposeAsync(); break;
            }
        }

        (string Name, Func<Task<string>> Ask)[] questions =
        [
            ("connection", () => Task.FromResult(transaction.Connection is null ? "none" : "there")),
            ("level", () => Task.FromResult($"{transaction.IsolationLevel}")),
            ("commit", () => DoAsync(transaction.Commit)),
            ("commitAsync", () => DoneAsync(transaction.CommitAsync())),
            ("rollback", () => DoAsync(transaction.Rollback)),
            ("rollbackAsync", () => DoneAsync(transaction.RollbackAsync())),
            ("save", () => DoAsync(() => transaction.Save("s"))),
            ("rollback to", () => DoAsync(() => transaction.Rollback("s"))),
            ("release", () => DoneAsync(transaction.ReleaseAsync("s"))),
            ("dispose", () => DoneAsync(transaction.DisposeAsync().AsTask())),
            ("connection again", () => Task.FromResult(transaction.Connection is null ? "none" : "there")),
        ];
        var answers = new List<string>();
        foreach ((string name, Func<Task<string>> ask) in questions)
        {
            try
            {
                answers.Add($"{name}: {await ask()}");
            }
            catch (Exception exception)
            {
                answers.Add($"{name}: {exception.GetType().Name}");
            }
        }

        return answers;
    }

    private static Task<string> DoAsync(Action action)
    {
        action();
        return Task.FromResult("done");
    }

    private static async Task<string> DoneAsync(Task task)
    {
        await task;
        return "done";
    }
}
