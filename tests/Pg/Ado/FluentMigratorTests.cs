using System.Data.Common;
using FluentMigrator;
using FluentMigrator.Runner;
using FluentMigrator.Runner.Processors.Postgres;
using Ioxide.Pg.Data;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Pg.Tests;

/// <summary>FluentMigrator, a migration tool, over the facade's factory.</summary>
[Once]
public class FluentMigratorTests
{
    [Migration(1)]
    public sealed class Things : Migration
    {
        public override void Up()
        {
            Create.Table("things").WithColumn("id").AsInt32().PrimaryKey().Identity().WithColumn("name").AsString(20).Indexed().WithColumn("price").AsDecimal().Nullable();
            Insert.IntoTable("things").Row(new { name = "a;b", price = 1.5m });
        }

        public override void Down() => Delete.Table("things");
    }

    [Fact]
    public async Task MigrationsRunUpAndDown()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<FluentMigratorTests>();
        string text = $"Host={server.EndPoint.Address};Port={server.Port};Username={PgUsers.Trust};Database={database}";
        try
        {
            await using ServiceProvider services = new ServiceCollection()
                .AddFluentMigratorCore()
                .ConfigureRunner(runner => runner.AddPostgres15_0().WithGlobalConnectionString(text).ScanIn(typeof(Things).Assembly).For.Migrations())
                .AddSingleton<PostgresDbFactory, Factory>()
                .BuildServiceProvider();
            await MigrateAsync(services, static runner => runner.MigrateUp());
            Assert.Equal("a;b", (await server.RunSqlAsync("select name from things where price = 1.5", database, PgUsers.Trust)).Trim());
            await MigrateAsync(services, static runner => runner.MigrateUp());
            Assert.Equal("1", (await server.RunSqlAsync("select count(*) from things", database, PgUsers.Trust)).Trim());
            await MigrateAsync(services, static runner => runner.MigrateDown(0));
            Assert.Equal("", (await server.RunSqlAsync("select to_regclass('things')", database, PgUsers.Trust)).Trim());
        }
        finally
        {
            // Other tests count descriptors: the reactors of the process must not outlive the test.
            await ProcessReactors.StopAsync();
        }
    }

    private static Task MigrateAsync(ServiceProvider services, Action<IMigrationRunner> step) => Task.Run(() =>
    {
        using IServiceScope scope = services.CreateScope();
        step(scope.ServiceProvider.GetRequiredService<IMigrationRunner>());
    });

    private sealed class Factory(IServiceProvider services) : PostgresDbFactory(services)
    {
        protected override DbProviderFactory CreateFactory() => PgDbProviderFactory.Instance;
    }
}
