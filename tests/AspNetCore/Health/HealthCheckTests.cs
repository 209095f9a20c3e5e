using Ioxide.TestKit;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ioxide.AspNetCore.Tests;

/// <summary>The health check in each of its states, brought about by a handler that blocks and by kernels that run out or break.</summary>
/// <remarks>Slow: a handler holds up a reactor for 2 s before the check says so.</remarks>
public class HealthCheckTests
{
    private static readonly TimeSpan s_never = TimeSpan.FromMinutes(30);

    [Fact]
    public async Task IsHealthyWhileEveryReactorTurns()
    {
        await using TestServer server = await TestServer.StartAsync(
            DashboardSetup.Of(ioxide: static options =>
            {
                // Faults injected into this run would be its to report.
                options.UseKernel(Kernel.Linux);
                options.StallThreshold = s_never;
            }));
        using RawClient client = await server.ConnectAsync();

        Assert.Equal("Healthy", (await client.GetAsync("/health")).Text);
        HealthReportEntry entry = await CheckAsync(server);
        Assert.Equal((HealthStatus.Healthy, "io_uring"), (entry.Status, entry.Data["transport"]));
        Assert.Equal((TransportSetup.ReactorCount, 0, 1L), (entry.Data["reactors"], entry.Data["ended"], entry.Data["connections"]));
    }

    [Fact]
    public async Task IsDegradedWhileAHandlerHoldsUpAReactor()
    {
        using var release = new Blocker();
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(
            map: app => app.MapGet("/block", (HttpContext context) =>
            {
                Assert.True(release.Hold());
                return context.Response.WriteAsync("released");
            }).RunOnReactor(),
            ioxide: static options =>
            {
                options.UseKernel(Kernel.Linux);
                options.StallThreshold = 2.Seconds();
            }));
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/block"));

        HealthReportEntry entry = await UntilAsync(server, static entry => entry.Status != HealthStatus.Healthy);
        Assert.Equal(HealthStatus.Degraded, entry.Status);
        Assert.Contains("stalled by a handler", entry.Description, StringComparison.Ordinal);
        Assert.NotEqual(0, entry.Data["stalled"]);

        release.Release();
        Assert.Equal("released", (await client.ReadResponseAsync()).Text);
        await UntilAsync(server, static entry => entry.Status == HealthStatus.Healthy);
    }

    [Fact]
    public async Task IsDegradedWhileAWaitOfAHandlerBlocksAReactorAndSaysWhich()
    {
        using var release = new ManualResetEventSlim();
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(
            map: app => app.MapGet("/wait", (HttpContext context) =>
            {
                Assert.True(release.Wait(60.Seconds()));
                return context.Response.WriteAsync("released");
            }).RunOnReactor(),
            ioxide: static options =>
            {
                options.UseKernel(Kernel.Linux);
                options.StallThreshold = 100.Milliseconds();
            }));
        using RawClient blocked = await server.ConnectAsync();
        await blocked.SendAsync(RawClient.Get("/wait"));

        HealthReportEntry entry = await UntilAsync(server, static entry => entry.Status == HealthStatus.Degraded && entry.Data["blocked"] is 1);
        Assert.Contains("blocked by a wait in a handler", entry.Description, StringComparison.Ordinal);
        await Waits.Eventually(
            () => server.Logs.Any(static line => line.Event.Name == "ReactorBlocked" && line.Message.Contains("GET /wait", StringComparison.Ordinal)),
            20.Seconds());
        using (RawClient probe = await server.ConnectAsync())
        {
            RawResponse answer = await probe.GetAsync("/health").Within(20.Seconds());
            Assert.Equal((200, "Degraded"), (answer.Status, answer.Text));
        }

        release.Set();
        Assert.Equal("released", (await blocked.ReadResponseAsync()).Text);
        await UntilAsync(server, static entry => entry.Status == HealthStatus.Healthy);
    }

    [Fact]
    public async Task IsUnhealthyWhileAReactorIsStuckAndTheOtherServesWhoeverAsks()
    {
        const int ClientCount = 40;
        using var release = new Blocker();
        TaskCompletionSource entered = Waits.Signal();
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(
            map: app => app.MapGet("/block", (HttpContext context) =>
            {
                entered.TrySetResult();
                Assert.True(release.Hold());
                return context.Response.WriteAsync("released");
            }).RunOnReactor(),
            ioxide: static options =>
            {
                options.UseKernel(Kernel.Linux);
                options.StallThreshold = 100.Milliseconds();
            },
            expectsErrors: true));
        using RawClient blocked = await server.ConnectAsync();
        await blocked.SendAsync(RawClient.Get("/block"));
        await entered.Task.Within(20.Seconds());

        for (int count = 0; count < ClientCount; count++)
        {
            using RawClient client = await server.ConnectAsync();
            Assert.Equal("hello", (await client.GetAsync("/hello").Within(20.Seconds())).Text);
        }

        HealthReportEntry entry = await UntilAsync(server, static entry => entry.Status == HealthStatus.Unhealthy);
        Assert.Contains("stuck in a handler", entry.Description, StringComparison.Ordinal);
        Assert.Equal(1, entry.Data["stuck"]);
        using (RawClient probe = await server.ConnectAsync())
        {
            RawResponse answer = await probe.GetAsync("/health").Within(20.Seconds());
            Assert.Equal((503, "Unhealthy"), (answer.Status, answer.Text));
        }

        Assert.Single(server.Logs, line => line.Event.Name == "ReactorStuck" && line.Message.Contains("GET /block", StringComparison.Ordinal));
        release.Release();
        Assert.Equal("released", (await blocked.ReadResponseAsync()).Text);
        await UntilAsync(server, static entry => entry.Status == HealthStatus.Healthy);
        await Waits.Eventually(() => server.Logs.Any(static line => line.Event.Name == "ReactorRecovered"), 20.Seconds());
    }

    [Fact]
    public async Task IsDegradedWhileDescriptorsHaveRunOut()
    {
        var kernel = new LimitedKernel();
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(ioxide: options =>
        {
            options.UseKernel(kernel);
            options.StallThreshold = s_never;
        }));
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(server)).Status);

        kernel.OpenCount = LimitedKernel.AtTheLimit;
        using RawClient client = await server.ConnectAsync();
        HealthReportEntry entry = await UntilAsync(server, static entry => entry.Status != HealthStatus.Healthy);
        Assert.Equal(HealthStatus.Degraded, entry.Status);
        Assert.Contains("not accepting", entry.Description, StringComparison.Ordinal);
        Assert.Equal(1, entry.Data["acceptPaused"]);

        // Whoever is there is served.
        Assert.Equal("hello", (await client.GetAsync("/hello")).Text);
        kernel.OpenCount = LimitedKernel.NearTheLimit;
        await UntilAsync(server, static entry => entry.Status == HealthStatus.Healthy);
    }

    [Fact]
    public async Task IsWhatTheApplicationSaidWhenAReactorHasEnded()
    {
        var kernel = new BrokenKernel();
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(
            builder: static builder => builder.Services.AddHealthChecks().AddIoxide("mild", HealthStatus.Degraded, ["a"]),
            ioxide: options =>
            {
                options.UseKernel(kernel);
                options.StallThreshold = s_never;
            },
            expectsErrors: true));
        kernel.Break();
        try
        {
            server.Services.GetRequiredService<IReactorGroupSource>().GetReactors().Reactors[0].Post(static _ => { }, null);
        }
        catch (ObjectDisposedException)
        {
            // It turned by itself and has ended, which is what the post is for.
        }

        HealthReportEntry entry = await UntilAsync(server, static entry => entry.Status != HealthStatus.Healthy);
        Assert.Equal(HealthStatus.Unhealthy, entry.Status);
        Assert.StartsWith("Reactors 0: ended", entry.Description, StringComparison.Ordinal);
        Assert.Equal(1, entry.Data["ended"]);
        Assert.Equal(HealthStatus.Degraded, (await CheckAsync(server, "mild")).Status);
    }

    [Theory]
    [InlineData(KernelChoice.IoUring, "io_uring")]
    [InlineData(KernelChoice.Epoll, "epoll")]
    public async Task NamesWhatTheReactorsRunOn(KernelChoice choice, string name)
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(ioxide: options =>
        {
            options.UseKernel(null);
            options.Kernel = choice;
        }));

        HealthReportEntry entry = await CheckAsync(server);

        Assert.Equal(HealthStatus.Healthy, entry.Status);
        Assert.Equal(name, entry.Data["transport"]);
    }

    /// <summary>What needs reactors gets them, such as a data source; endpoints are served by sockets.</summary>
    [Fact]
    public async Task WithSocketsChosenReactorsServeNoEndPointAndAreThereForTheRest()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(
            TransportKind.Sockets,
            builder: static builder => builder.WebHost.UseIoxide(static options =>
            {
                options.Kernel = KernelChoice.Sockets;
                options.ReactorCount = 1;
            })));
        Assert.DoesNotContain("reactors", (await CheckAsync(server)).Data.Keys);

        ReactorGroup group = server.Services.GetRequiredService<IReactorGroupSource>().GetReactors();

        Assert.Same(group, server.Services.GetRequiredService<IReactorGroupSource>().GetReactors());
        LogLine started = Assert.Single(server.Logs, static line => line.Event.Name == "Started");
        Assert.EndsWith(" with 1 reactor (ReactorCount). Endpoints use Kestrel's sockets.", started.Message, StringComparison.Ordinal);
        using RawClient client = await server.ConnectAsync();
        Assert.Equal("hello", (await client.GetAsync("/hello")).Text);
        Assert.Equal(0, group.Reactors.Sum(static reactor => reactor.Snapshot().Accepted));
        HealthReportEntry entry = await CheckAsync(server);
        Assert.Equal(("sockets", 1), (entry.Data["transport"], entry.Data["reactors"]));
    }

    [Fact]
    public async Task IsHealthyAndSaysWhyWhereTheSocketsTransportServes()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(TransportKind.Sockets));

        HealthReportEntry entry = await CheckAsync(server);

        Assert.Equal((HealthStatus.Healthy, "sockets"), (entry.Status, entry.Data["transport"]));
        Assert.Contains("UseIoxide()", entry.Description, StringComparison.Ordinal);
    }

    private static async Task<HealthReportEntry> CheckAsync(TestServer server, string name = "ioxide")
        => (await server.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync().Within(60.Seconds())).Entries[name];

    private static async Task<HealthReportEntry> UntilAsync(TestServer server, Func<HealthReportEntry, bool> condition)
    {
        HealthReportEntry entry = await CheckAsync(server);
        await Waits.Eventually(
            () =>
            {
                entry = CheckAsync(server).GetAwaiter().GetResult();
                return condition(entry);
            },
            60.Seconds());
        return entry;
    }
}
