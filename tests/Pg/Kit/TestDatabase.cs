namespace Ioxide.Pg.Tests;

/// <summary>Data sources with options of the test's.</summary>
internal static class TestDatabase
{
    /// <summary>On the shared server, in the database of a test class.</summary>
    internal static async Task<PgDataSource> OpenAsync<TTests>(PgFixture fixture, Action<PgDataSourceOptions> configure, EventLog? log = null)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        return Open(fixture, server.Port, configure, await server.DatabaseAsync<TTests>(), log: log);
    }

    /// <summary>Behind any port of this machine: a proxy, a fake server, or another server.</summary>
    internal static PgDataSource Open(
        PgFixture fixture,
        int port,
        Action<PgDataSourceOptions>? configure = null,
        string database = "postgres",
        string user = PgUsers.Trust,
        EventLog? log = null)
    {
        PgDataSourceOptions options = PgDataSourceOptions.Parse($"Host=127.0.0.1;Port={port};Username={user};Database={database};SSL Mode=Disable");

        configure?.Invoke(Patient(options));
        return fixture.Own(PgDataSource.Create(options, fixture.Group, log));
    }

    /// <summary>Tests run beside each other's builds: what is no subject of a test must not run out.</summary>
    internal static PgDataSourceOptions Patient(PgDataSourceOptions options)
    {
        options.ConnectTimeout = options.QueueTimeout = options.CommandTimeout = options.CancelTimeout = 60.Seconds();
        return options;
    }

    /// <summary>One connection for everything.</summary>
    internal static void OneConnection(PgDataSourceOptions options)
    {
        options.MaxPerReactor = 1;
        options.SharedPerReactor = 1;
    }

    /// <summary>One connection for everything, and a setting of the test's.</summary>
    internal static Action<PgDataSourceOptions> OneConnectionWith(Action<PgDataSourceOptions> configure) => options =>
    {
        OneConnection(options);
        configure(options);
    };

    /// <summary>Reactors of a fixture: one.</summary>
    internal static void OneReactor(ReactorOptions options) => options.ReactorCount = 1;

    /// <summary>Connections that were opened so far, on all reactors.</summary>
    internal static long Opened(this PgDataSource db) => db.Pools.Sum(static pool => pool.Counters.Opened);

    internal static long Cancels(this PgDataSource db) => db.Pools.Sum(static pool => pool.Counters.Cancels);
}
