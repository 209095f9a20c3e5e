using System.Data;
using DbUp;
using DbUp.Builder;
using DbUp.Engine;
using DbUp.Engine.Transactions;
using DbUp.Postgresql;
using DbUp.ScriptProviders;

namespace Ioxide.Pg.Tests;

/// <summary>DbUp, a migration tool, on connections of the facade.</summary>
[Once]
public class DbUpTests : PgTests
{
    [Fact]
    public async Task ScriptsRunOnceAndAFailedOneIsUndone()
    {
        PgDataSource source = await Databases.OpenAsync<DbUpTests>(Fixture);
        SqlScript[] scripts =
        [
            new("1.sql", "create table things (id int primary key, name text); insert into things values (1, 'a;b')"),
            new("2.sql", "alter table things add column price numeric;\nupdate things set price = 1.50;"),
        ];
        DatabaseUpgradeResult first = await Task.Run(() => Upgrade(scripts));
        Assert.True(first.Successful, $"{first.Error}");
        Assert.Equal(["1.sql", "2.sql"], first.Scripts.Select(static script => script.Name));
        Assert.Empty((await Task.Run(() => Upgrade(scripts))).Scripts);
        DatabaseUpgradeResult wrong = await Task.Run(() => Upgrade(
            [.. scripts, new SqlScript("3.sql", "insert into things values (2, 'c', 2); insert into things values (2, 'd', 3)")]));
        Assert.IsType<PgException>(wrong.Error);
        Assert.Equal(1L, await source.Query(source.Statement("select count(*) from things")).ScalarAsync<long>());

        DatabaseUpgradeResult Upgrade(SqlScript[] ofDeployment)
        {
            var manager = new Manager(source.AsDbDataSource().CreateConnection);
            var builder = new UpgradeEngineBuilder();
            builder.Configure(configuration =>
            {
                configuration.ConnectionManager = manager;
                configuration.ScriptExecutor = new Executor(manager, configuration);
                configuration.Journal = new PostgresqlTableJournal(() => manager, () => configuration.Log, null, "journal");
            });
            return builder.WithTransactionPerScript().WithScripts(new StaticScriptProvider(ofDeployment)).LogToNowhere().Build().PerformUpgrade();
        }
    }

    /// <summary>It takes exceptions as they are: DbUp's own looks for Npgsql's.</summary>
    private sealed class Executor(Manager manager, UpgradeConfiguration configuration)
        : PostgresqlScriptExecutor(
            () => manager, () => configuration.Log, null, () => configuration.VariablesEnabled, configuration.ScriptPreprocessors, () => configuration.Journal)
    {
        protected override void ExecuteCommandsWithinExceptionHandler(int index, SqlScript script, Action executeCommand) => executeCommand();
    }

    private sealed class Manager(Func<IDbConnection> connect) : DatabaseConnectionManager(new DelegateConnectionFactory(_ => connect()))
    {
        public override IEnumerable<string> SplitScriptIntoCommands(string scriptContents) => [scriptContents];
    }
}
