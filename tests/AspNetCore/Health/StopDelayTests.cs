using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Diagnostics.HealthChecks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// A stop with a delay: readiness says no at once, the server goes on serving, and connections leave with their next answer. The delay
/// of most tests never ends by itself; who stops the host gets impatient when the test has seen enough.
/// </summary>
public class StopDelayTests
{
    private static readonly TimeSpan s_untilTold = TimeSpan.FromHours(1);

    [Theory, OverTransports]
    public async Task TheServerGoesOnServingWhenReadinessSaysNo(TransportKind transport, EndPointKind endPoint)
    {
        using var hurry = new CancellationTokenSource();
        await using TestServer server = await StartAsync(transport, endPoint, s_untilTold);
        using RawClient open = await server.ConnectAsync();
        Assert.Equal((200, "Healthy"), Seen(await open.GetAsync("/ready")));

        Task stopping = server.StopAsync(hurry.Token);
        await Waits.Eventually(() => Check(server, "ioxide-ready").Status == HealthStatus.Unhealthy, 60.Seconds());
        using RawClient late = await server.ConnectAsync();
        RawResponse refused = await late.GetAsync("/ready");
        using RawClient later = await server.ConnectAsync();
        RawResponse served = await later.GetAsync("/served");

        Assert.Equal((503, "Unhealthy"), Seen(refused));
        Assert.Equal((200, "/served"), Seen(served));
        Assert.False(stopping.IsCompleted);
        Assert.Contains("stopping", Check(server, "ioxide-ready").Description, StringComparison.Ordinal);

        // What is alive stays so: a liveness probe must not end a server that drains.
        Assert.Equal(HealthStatus.Healthy, Check(server, "live").Status);
        await hurry.CancelAsync();
        await stopping.Within(60.Seconds());
        await RawSocket.UntilNobodyListensAsync(server.EndPoint);
    }

    [Theory, OverTransports]
    public async Task ConnectionsEndWithTheirNextAnswerAndNotBefore(TransportKind transport, EndPointKind endPoint)
    {
        using var hurry = new CancellationTokenSource();
        await using TestServer server = await StartAsync(transport, endPoint, s_untilTold);
        using RawClient busy = await server.ConnectAsync();
        Assert.DoesNotContain("Connection", (await busy.GetAsync("/before")).Headers.Keys);

        Task stopping = server.StopAsync(hurry.Token);
        await Waits.Eventually(() => Check(server, "ioxide-ready").Status == HealthStatus.Unhealthy, 60.Seconds());
        byte[] body = Payload.Of(300_000);
        await busy.SendAsync($"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: {body.Length}\r\n\r\n");
        await busy.SendAsync(body);
        RawResponse last = await busy.ReadResponseAsync();

        Payload.AssertSame(body, last.Body);
        Assert.Equal("close", last.Headers["Connection"]);
        Assert.Equal(Ending.Fin, (await busy.ReadToEndAsync()).Ending);
        await hurry.CancelAsync();
        await stopping.Within(60.Seconds());
    }

    /// <summary>A signal fires ApplicationStopping before the host is told to stop.</summary>
    [Theory, OverTransports]
    public async Task ReadinessSaysNoAsSoonAsAStopIsAskedFor(TransportKind transport)
    {
        await using TestServer server = await StartAsync(transport, EndPointKind.IPv4, TimeSpan.Zero);
        Assert.Equal(HealthStatus.Healthy, Check(server, "ioxide-ready").Status);

        server.Lifetime.StopApplication();

        Assert.Equal(HealthStatus.Unhealthy, Check(server, "ioxide-ready").Status);
    }

    [Theory, OverTransports]
    public async Task TheStopGoesOnByItselfWhenTheDelayIsOver(TransportKind transport)
    {
        await using TestServer server = await StartAsync(transport, EndPointKind.IPv4, 50.Milliseconds());
        using RawClient idle = await server.ConnectAsync();
        Assert.Equal(200, (await idle.GetAsync("/")).Status);

        await server.StopAsync(CancellationToken.None).Within(60.Seconds());

        Assert.Equal(Ending.Fin, (await idle.ReadToEndAsync()).Ending);
        Assert.Single(server.Logs, static line => line.Event.Name == "StopDelayed");
    }

    [Theory, OverTransports]
    public async Task TheHostsTimeToStopCountsFromTheEndOfTheDelay(TransportKind transport)
    {
        await using TestServer server = await StartAsync(transport, EndPointKind.IPv4, 50.Milliseconds());

        // 20 seconds are what the server was given.
        Assert.Equal(20.Seconds() + 50.Milliseconds(), server.Services.GetRequiredService<IOptions<HostOptions>>().Value.ShutdownTimeout);
    }

    private static Task<TestServer> StartAsync(TransportKind transport, EndPointKind endPoint, TimeSpan delay)
        => TestServer.StartAsync(new(transport, endPoint)
        {
            // The framework logs each unhealthy report as one.
            ExpectsErrors = true,
            Ioxide = static options =>
            {
                // Faults injected into this run, and a loaded machine, would be the checks' to report.
                options.UseKernel(Kernel.Linux);
                options.StallThreshold = TimeSpan.FromMinutes(30);
            },
            Builder = builder =>
            {
                builder.Services.Configure<IoxideTransportOptions>(options => options.StopDelay = delay);
                builder.Services.AddHealthChecks().AddIoxideReadiness().AddIoxide("live");
            },
            Map = static app => app.UseHealthChecks("/ready", new HealthCheckOptions { Predicate = static check => check.Name == "ioxide-ready" }),
            Handler = static context => context.Request.Path == "/echo" ? Handlers.EchoAsync(context) : Handlers.PathAsync(context),
        });

    private static HealthReportEntry Check(TestServer server, string name)
        => server.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync().GetAwaiter().GetResult().Entries[name];

    private static (int Status, string Text) Seen(RawResponse response) => (response.Status, response.Text);
}
