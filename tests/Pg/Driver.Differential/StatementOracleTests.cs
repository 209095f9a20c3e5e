namespace Ioxide.Pg.Tests;

/// <summary>
/// Scripts that a seed makes answer as Npgsql answers them: rows, columns, counts, errors, the state of the transaction, and the tables
/// that are left; by the driver's own interface and by ADO.NET, straight to the server and through PgBouncer in both modes.
/// </summary>
/// <remarks>Takes 12 s: a hundred scripts, each in six ways, in Release.</remarks>
public class StatementOracleTests(ITestOutputHelper output) : PgTests(TestDatabase.OneReactor)
{
    [Fact]
    public async Task EveryWayToRunAScriptAnswersLikeNpgsql()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        await using ScriptDatabases databases = await ScriptDatabases.CreateAsync(server);
        bool hasPooler = Tool.Find("pgbouncer") is not null;
        await using PgBouncer? transactions = hasPooler ? await PgBouncer.StartAsync(server, "transaction") : null;
        await using PgBouncer? sessions = hasPooler ? await PgBouncer.StartAsync(server, "session") : null;
        ScriptRun run = await ScriptRun.OfEnvironmentAsync(new ScriptPlace(server, Fixture.Group, databases, transactions, sessions));
        output.WriteLine($"{run}{(hasPooler ? "" : ", without PgBouncer, which is not installed")}\n{string.Join('\n', run.Known)}");
        Assert.True(run.Differences.Count == 0, $"{run}:\n{string.Join('\n', run.Kinds)}\n\n{(run.Differences.Count == 0 ? "" : await run.ShowAsync())}");
        Assert.Empty(run.Unmet);

        // Neither answer alone would prove anything.
        Assert.InRange(run.ErrorCount, run.Count / 4, run.StatementCount - run.Count);
    }

    [Fact]
    public void ASeedIsTheSameScriptEachTime()
    {
        GeneratedScript one = GeneratedScript.Of(42);
        Assert.Equal(one.ToString(), GeneratedScript.Of(42).ToString());
        Assert.NotEqual(one.ToString(), GeneratedScript.Of(43).ToString());
    }
}
