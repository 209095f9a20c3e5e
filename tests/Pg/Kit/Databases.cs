namespace Ioxide.Pg.Tests;

/// <summary>Data sources on the shared server.</summary>
internal static class Databases
{
    /// <summary>A data source on the reactors of a fixture, which disposes it, in the database of a test class.</summary>
    internal static async Task<PgDataSource> OpenAsync<TTests>(PgFixture fixture, string settings = "", Action<PgDataSourceOptions>? configure = null)
        => await OpenAsync(fixture, await (await PostgresServer.SharedAsync()).DatabaseAsync<TTests>(), settings, configure);

    /// <summary>A data source on the reactors of a fixture, which disposes it, in a database by name.</summary>
    internal static async Task<PgDataSource> OpenAsync(PgFixture fixture, string database, string settings = "", Action<PgDataSourceOptions>? configure = null)
        => Open(fixture, await PostgresServer.SharedAsync(), database, settings, configure);

    /// <inheritdoc cref="OpenAsync(PgFixture, string, string, Action{PgDataSourceOptions}?)"/>
    internal static PgDataSource Open(
        PgFixture fixture, PostgresServer server, string database, string settings = "", Action<PgDataSourceOptions>? configure = null)
    {
        PgDataSourceOptions options = PgDataSourceOptions.Parse(
            $"Host={server.EndPoint.Address};Port={server.EndPoint.Port};Username={PgUsers.Trust};Database={database};{settings}");
        configure?.Invoke(options);
        return fixture.Own(PgDataSource.Create(TestDatabase.Patient(options), fixture.Group));
    }

    /// <summary>The same database for Npgsql, without its pool.</summary>
    internal static string ForNpgsql(PostgresServer server, string database)
        => $"Host={server.EndPoint.Address};Port={server.Port};Username={PgUsers.Trust};Database={database};Pooling=false;Timeout=60;Command Timeout=180";
}
