using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ioxide.Pg.Tests;

/// <summary>The health check of a host's database.</summary>
public class HealthCheckTests : PgTests
{
    [Fact]
    public async Task ItIsHealthyWhileTheServerAnswers()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        HealthReport report = await CheckAsync($"Host={server.EndPoint.Address};Port={server.Port};Username={PgUsers.Trust};Database=postgres");
        Assert.Equal((HealthStatus.Healthy, 1), (report.Status, report.Entries["ioxide-pg"].Data["connections"]));
    }

    [Fact]
    public async Task ItSaysWhyTheServerDoesNotAnswer()
    {
        HealthReport report = await CheckAsync("Host=127.0.0.1;Port=1;Username=nobody;Database=none");
        Assert.Equal(HealthStatus.Unhealthy, report.Status);
        Assert.Contains("127.0.0.1:1", report.Entries["ioxide-pg"].Description, StringComparison.Ordinal);
    }

    private static async Task<HealthReport> CheckAsync(string connectionString)
    {
        await using PgFixture fixture = new();
        var services = new ServiceCollection();
        services.AddLogging();
        services.AddSingleton<IReactorGroupSource>(new FixtureReactors(fixture));

        // A pool that waits a second for its first connection begins another one.
        services.AddIoxidePg(connectionString, static options => options.SharedPerReactor = 1);
        services.AddHealthChecks().AddIoxidePg();
        await using ServiceProvider provider = services.BuildServiceProvider();
        return await provider.GetRequiredService<HealthCheckService>().CheckHealthAsync().Within(60.Seconds());
    }

    private sealed class FixtureReactors(PgFixture fixture) : IReactorGroupSource
    {
        public ReactorGroup GetReactors() => fixture.Group;
    }
}
