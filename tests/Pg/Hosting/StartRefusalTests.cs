using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Ioxide.Pg.Tests;

/// <summary>A data source that cannot start ends the host's start with one line, which names the database, the cause and the remedy.</summary>
public class StartRefusalTests() : PgTests(TestDatabase.OneReactor)
{
    [Fact]
    public async Task WhereReactorsAreRefusedTheDataSourceIsNamed()
    {
        Exception refusal = await RefusalAsync("Host=127.0.0.1;Port=1;Database=shop", new RefusingReactors());

        Assert.StartsWith(
            "The data source of AddIoxidePg cannot start, because its connections live on reactors. io_uring is not available: io_uring_setup failed "
                + "with EPERM", refusal.Message, StringComparison.Ordinal);
        Assert.EndsWith(Assert.IsType<RingUnavailableException>(refusal.InnerException).Remedy, refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AServerThatIsDownIsNamedWithTheRemedy()
    {
        using Socket nobody = RawSocket.Reserve();
        int port = ((IPEndPoint)nobody.LocalEndPoint!).Port;

        Exception refusal = await RefusalAsync($"Host=127.0.0.1;Port={port};Username=app;Database=shop;Minimum Pool Size=1");

        AssertSays(refusal, $"database shop on 127.0.0.1:{port} as user app. ", "ConnectionRefused", "Check host and port, and start the server.");
    }

    [Fact]
    public async Task AWrongPasswordAndAMissingDatabaseAreNamedWithTheRemedy()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string place = $"Host=127.0.0.1;Port={server.Port};SSL Mode=Disable;Min Per Reactor=1";

        Exception password = await RefusalAsync($"{place};Username={PgUsers.Scram};Password=wrong;Database=postgres");
        Exception database = await RefusalAsync($"{place};Username={PgUsers.Trust};Database=missing");

        AssertSays(password, $"as user {PgUsers.Scram}. ", "28P01", "Check the password and where it comes from");
        AssertSays(database, "database missing on", "3D000", "Create the database, or correct Database in the connection string.");
        Assert.Equal(("28P01", "3D000"), (((PgConnectionException)password).SqlState, ((PgConnectionException)database).SqlState));
    }

    private static void AssertSays(Exception refusal, params string[] parts)
    {
        Assert.StartsWith("The data source of AddIoxidePg cannot start: no connection to ", refusal.Message, StringComparison.Ordinal);
        Assert.All(parts, part => Assert.Contains(part, refusal.Message, StringComparison.Ordinal));
    }

    private async Task<Exception> RefusalAsync(string connectionString, IReactorGroupSource? reactors = null)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Services.AddSingleton(reactors ?? new FixtureReactors(Fixture));
        builder.Services.AddIoxidePg(connectionString);
        using IHost host = builder.Build();

        Exception refusal = await Assert.ThrowsAnyAsync<PgConnectionException>(() => host.StartAsync().Within(60.Seconds()));

        Assert.Equal(refusal.Message, refusal.ToString());
        Assert.DoesNotContain('\n', refusal.Message);
        return refusal;
    }

    private sealed class FixtureReactors(PgFixture fixture) : IReactorGroupSource
    {
        public ReactorGroup GetReactors() => fixture.Group;
    }

    private sealed class RefusingReactors : IReactorGroupSource
    {
        public ReactorGroup GetReactors() => throw new RingUnavailableException(Errno.EPERM, "io_uring_setup");
    }
}
