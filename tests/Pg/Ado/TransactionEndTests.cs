using System.Data;
using System.Data.Common;

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
