using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore.Tests;

/// <summary>The dump of reactors and connections, by the dashboard and by a signal.</summary>
public partial class DumpTests
{
    [Fact]
    public async Task TheDashboardHasALineForEachConnection()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        using RawClient idle = await server.ConnectAsync();
        Assert.Equal("hello", (await idle.GetAsync("/hello")).Text);
        using RawClient client = await server.ConnectAsync();

        RawResponse dump = await client.GetAsync("/ioxide/dump");

        Assert.Equal((200, "text/plain; charset=utf-8", "no-store"), (dump.Status, dump.Headers["Content-Type"], dump.Headers["Cache-Control"]));
        Assert.Equal(TransportSetup.ReactorCount, ReactorLine().Count(dump.Text));
        Assert.Equal(2, ConnectionLine().Count(dump.Text));
        Assert.Contains("reader waits; send idle, 0 B queued; open since ", dump.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task TheDumpHasTheConventionsOfTheDashboard()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(
            builder: static builder =>
            {
                builder.Services.AddAuthentication("none").AddCookie("none", static options => options.LoginPath = "/login");
                builder.Services.AddAuthorization();
            },
            map: static app => app.MapIoxideDashboard().RequireAuthorization(new AuthorizeAttribute { AuthenticationSchemes = "none" })));
        using RawClient client = await server.ConnectAsync();

        foreach (string path in (string[])["/ioxide", "/ioxide/dump"])
        {
            RawResponse response = await client.GetAsync(path);
            Assert.Equal(302, response.Status);
            Assert.DoesNotContain("reactor 0", response.Text, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task OverSocketsTheDumpSaysWhyThereIsNone()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(TransportKind.Sockets));
        using RawClient client = await server.ConnectAsync();

        Assert.Contains("UseIoxide()", (await client.GetAsync("/ioxide/dump")).Text, StringComparison.Ordinal);
    }

    /// <summary>The signal's usual effect is to end the process; that is the control.</summary>
    [Fact]
    public async Task ASignalLogsTheDumpAndTheHostContinues()
    {
        await using HostProcess host = HostProcess.Start("Hello", ["--urls", "http://127.0.0.1:0", "--Ioxide:DumpSignal=SIGUSR2"]);
        using HttpClient client = new() { BaseAddress = await host.ListeningAsync() };
        await client.GetStringAsync(new Uri("/", UriKind.Relative)).Within(60.Seconds());
        for (int count = 1; count <= 2; count++)
        {
            host.Signal(Signals.User2);
            await host.MatchesAsync(SignalLine(), count);
            await host.MatchesAsync(ConnectionLine(), count);
        }

        await client.GetStringAsync(new Uri("/", UriKind.Relative)).Within(60.Seconds());
        Assert.Equal(0, await host.StopAsync());

        await using HostProcess other = HostProcess.Start("Hello", ["--urls", "http://127.0.0.1:0"]);
        await other.ListeningAsync();
        other.Signal(Signals.User2);
        Assert.Equal(128 + Signals.User2, await other.ExitAsync());
    }

    [GeneratedRegex("^reactor [0-9]+: .* connections", RegexOptions.Multiline)]
    private static partial Regex ReactorLine();

    [GeneratedRegex(" <- .*: receive .*; send .* since [0-9]+ s")]
    private static partial Regex ConnectionLine();

    [GeneratedRegex("Dump, as SigUsr2 asks:")]
    private static partial Regex SignalLine();
}
