using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ioxide.Pg.Tests;

/// <summary>A database that cannot be used is in the log when the host starts, with the place, the user and the remedy, and the host serves.</summary>
public class StartLogTests() : PgTests(TestDatabase.OneReactor)
{
    [Fact]
    public async Task AServerThatIsDownIsLogged()
    {
        using Socket nobody = RawSocket.Reserve();
        int port = ((IPEndPoint)nobody.LocalEndPoint!).Port;
        await AssertLoggedAsync(
            $"Host=127.0.0.1;Port={port};Username=app;Database=shop", $"database shop on 127.0.0.1:{port} as user app", "ConnectionRefused", "start the server");
    }

    [Fact]
    public async Task AMissingDatabaseIsLogged()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        await AssertLoggedAsync(
            $"Host=127.0.0.1;Port={server.Port};Username={PgUsers.Trust};Database=missing;SSL Mode=Disable", "database missing on", "3D000", "Create the database");
    }

    [Fact]
    public async Task AWrongPasswordIsLogged()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        await AssertLoggedAsync(
            $"Host=127.0.0.1;Port={server.Port};Username={PgUsers.Scram};Password=wrong;Database=postgres;SSL Mode=Disable",
            $"as user {PgUsers.Scram}", "28P01", "Check the password");
    }

    [Fact]
    public async Task TheSameCauseIsLoggedOnceInAWhile()
    {
        using Socket nobody = RawSocket.Reserve();
        using var log = new EventLog();
        PgDataSource db = TestDatabase.Open(
            Fixture, ((IPEndPoint)nobody.LocalEndPoint!).Port, static options => options.ReconnectDelay = 1.Milliseconds(), log: log);
        while (db.Pools[0].Counters.ConnectFailures < 20)
        {
            await Assert.ThrowsAsync<PgConnectionException>(() => db.OpenSessionAsync().AsTask().Within(20.Seconds()));
        }

        Assert.Equal(1, log.Count("ConnectFailed"));
    }

    /// <summary>As with two hosts that are tried in random order.</summary>
    [Fact]
    public void CausesThatAlternateAreLoggedOnceEach()
    {
        using var log = new EventLog();
        var pg = new PgLog(log.CreateLogger("Ioxide.Pg"));
        PgDataSourceOptions options = new() { Hosts = [new PgHost("a", 1), new PgHost("b", 1)] };
        for (int attempt = 0; attempt < 20; attempt++)
        {
            pg.ConnectFailed(options, new PgConnectionException($"host {attempt % 2} refuses"));
        }

        Assert.Equal(2, log.Count("ConnectFailed"));
    }

    private static async Task AssertLoggedAsync(string connectionString, params string[] parts)
    {
        await using PgFixture fixture = new();
        using var log = new EventLog();
        var services = new ServiceCollection();
        services.AddSingleton<ILoggerFactory>(log);
        services.AddSingleton<IReactorGroupSource>(new FixtureReactors(fixture));
        services.AddIoxidePg(connectionString);
        await using ServiceProvider provider = services.BuildServiceProvider();
        foreach (IHostedService service in provider.GetServices<IHostedService>())
        {
            await service.StartAsync(CancellationToken.None).Within(20.Seconds());
        }

        await Waits.Eventually(() => log.Count("ConnectFailed") > 0, 20.Seconds());
        string text = string.Join('\n', log.Texts);
        Assert.All(parts, part => Assert.Contains(part, text, StringComparison.Ordinal));
        Assert.DoesNotContain("wrong", text, StringComparison.Ordinal);
    }

    private sealed class FixtureReactors(PgFixture fixture) : IReactorGroupSource
    {
        public ReactorGroup GetReactors() => fixture.Group;
    }
}
