using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Ioxide.AspNetCore.Tests;

/// <summary>The dashboard's page in a real browser, as a reader sees it: what it draws, what it asks for, what the browser says to that.</summary>
/// <remarks>Takes up to 6 s: a browser starts, and the page asks once per second.</remarks>
[Once]
public sealed class DashboardPageTests(BrowserFixture browser) : IClassFixture<BrowserFixture>
{
    [Fact]
    public async Task DrawsAPlotForEachReactorAndFollowsTheRequests()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        await using BrowserPage page = await browser.OpenPageAsync();
        Uri address = DashboardReader.DashboardOf(server);
        await page.OpenAsync(address);
        await page.UntilAsync($"{DashboardReader.IsLive} && document.querySelectorAll('#reactors tbody tr').length === 2", 60.Seconds());
        Assert.Equal("0", await page.TextAsync("[data-column=stalls] .value"));

        using var ended = new CancellationTokenSource();
        Task requests = RequestAsync(server, ended.Token);
        await page.UntilAsync(
            "[...document.querySelectorAll('#reactors [data-column=requests] .value')].some(value => parseFloat(value.textContent) > 0)"
            + " && parseFloat(document.querySelector('figure[data-name=requests] .value').textContent) > 0",
            60.Seconds());
        await page.EvaluateAsync("document.getElementById('reactors').scrollIntoView()");
        await page.UntilAsync(
            "[...document.querySelectorAll('#reactors [data-column=connections] .line')].every(line => (line.getAttribute('d') ?? '').includes('L'))",
            60.Seconds());
        await ended.CancelAsync();
        await requests;
        await page.UntilAsync("document.querySelector('figure[data-name=requests] .value').textContent === '0/s'", 60.Seconds());

        // The policy let the style and the script in, and nothing wanted to get past it.
        Assert.NotEqual("0px", (await page.EvaluateAsync("getComputedStyle(document.querySelector('figure')).borderRadius"))!.GetValue<string>());
        Assert.Empty(page.Complaints);
        Assert.Contains($"{address}/events", page.Asked);
        Assert.All(page.Asked, asked => Assert.True(
            asked.StartsWith(address.ToString(), StringComparison.Ordinal) || asked.StartsWith("data:", StringComparison.Ordinal), asked));
    }

    [Fact]
    public async Task IsDarkForWhomWantsItDark()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        await using BrowserPage page = await browser.OpenPageAsync();
        await page.PreferAsync(isDark: false);
        await page.OpenAsync(DashboardReader.DashboardOf(server));

        Assert.Equal("rgb(250, 250, 249)", await BackgroundAsync(page));
        await page.PreferAsync(isDark: true);
        Assert.Equal("rgb(18, 17, 15)", await BackgroundAsync(page));
    }

    [Fact]
    public async Task ComesBackByItselfAndKeepsWhatItHasDrawn()
    {
        HttpContext? stream = null;
        int streams = 0;
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(map: app =>
        {
            app.Use((context, next) =>
            {
                if (context.Request.Path == "/ioxide/events")
                {
                    Volatile.Write(ref stream, context);
                    Interlocked.Increment(ref streams);
                }

                return next(context);
            });
            app.MapIoxideDashboard();
        }));
        await using BrowserPage page = await browser.OpenPageAsync();
        await page.OpenAsync(DashboardReader.DashboardOf(server));
        await page.UntilAsync($"{DashboardReader.IsLive} && track('0.connections').values.length > 1", 60.Seconds());

        Volatile.Read(ref stream)!.Abort();

        await Waits.Eventually(() => Volatile.Read(ref streams) == 2, 60.Seconds());
        int before = (await page.EvaluateAsync("track('0.connections').values.length"))!.GetValue<int>();
        Assert.True(before > 1);
        await page.UntilAsync($"{DashboardReader.IsLive} && track('0.connections').values.length > {before + 1}", 60.Seconds());
    }

    [Fact]
    public async Task SaysThatAllPlacesAreTakenAndShowsFiguresWhenOneIsFree()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        Watcher[] watchers = await Task.WhenAll(Enumerable.Range(0, 16).Select(_ => Watcher.StartAsync(server)));
        await using BrowserPage page = await browser.OpenPageAsync();
        await page.OpenAsync(DashboardReader.DashboardOf(server));
        await page.UntilAsync("document.getElementById('status').textContent.includes('All 16 places')", 60.Seconds());

        foreach (Watcher watcher in watchers)
        {
            watcher.Dispose();
        }

        await page.UntilAsync(DashboardReader.IsLive, 60.Seconds());
    }

    [Fact]
    public async Task SaysWhyTheSocketsTransportServes()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(TransportKind.Sockets));
        await using BrowserPage page = await browser.OpenPageAsync();
        await page.OpenAsync(DashboardReader.DashboardOf(server));
        await page.UntilAsync($"{DashboardReader.IsLive} && !document.getElementById('transport').hidden", 60.Seconds());

        Assert.Contains("UseIoxide()", await page.TextAsync("#transport"), StringComparison.Ordinal);
        Assert.True((await page.EvaluateAsync("document.getElementById('reactors').hidden"))!.GetValue<bool>());
        Assert.Empty(page.Complaints);
    }

    [Theory, Each("Adaptive", "Inline", "ThreadPool", "Epoll", "Sockets")]
    public async Task ShowsEverySectionWhateverServes(string mode)
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(
            mode == "Sockets" ? TransportKind.Sockets : TransportKind.Ioxide,
            static app =>
            {
                app.MapIoxideDashboard();
                app.MapGet("/reactor", static (HttpContext context) => context.Response.WriteAsync("on the reactor")).RunOnReactor();
                app.MapGet("/pool", static (HttpContext context) => context.Response.WriteAsync("on the pool")).RunOnThreadPool();
            },
            ioxide: options =>
            {
                options.Kernel = mode == "Epoll" ? KernelChoice.Epoll : options.Kernel;
                options.ApplicationScheduling = Enum.TryParse(mode, out ApplicationScheduling scheduling) ? scheduling : options.ApplicationScheduling;
            }));
        await using BrowserPage page = await browser.OpenPageAsync();
        await page.OpenAsync(DashboardReader.DashboardOf(server));
        await page.UntilAsync(DashboardReader.IsLive, 60.Seconds());
        using RawClient client = await server.ConnectAsync();
        foreach (string path in new[] { "/hello", "/reactor", "/pool", "/no-such-path" })
        {
            await client.GetAsync(path);
        }

        await page.UntilAsync(
            "document.querySelectorAll('#endpoints tbody tr').length >= 4"
            + " && document.querySelector('figure[data-name=poolThreads] .value')?.textContent > '0'",
            60.Seconds());

        Assert.Empty(page.Complaints);
        Assert.Equal(0, (await page.EvaluateAsync("document.querySelectorAll('.fault').length"))!.GetValue<int>());
    }

    [Fact]
    public async Task AFaultInOneSectionIsShownThereAndLeavesTheOthers()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        await using BrowserPage page = await browser.OpenPageAsync();
        await page.OpenAsync(DashboardReader.DashboardOf(server));
        await page.UntilAsync($"{DashboardReader.IsLive} && document.querySelector('figure[data-name=poolThreads]') !== null", 60.Seconds());

        await page.EvaluateAsync("drawErrors = () => { throw new Error('lacks a field'); }");

        await page.UntilAsync("document.querySelector('#errors > .fault')?.textContent.includes('lacks a field') === true", 60.Seconds());
        int before = (await page.EvaluateAsync("track('poolThreads').values.length"))!.GetValue<int>();
        await page.UntilAsync($"track('poolThreads').values.length > {before}", 60.Seconds());
        Assert.Equal(1, (await page.EvaluateAsync("document.querySelectorAll('.fault').length"))!.GetValue<int>());
        Assert.All(page.Complaints, static complaint => Assert.Contains("lacks a field", complaint, StringComparison.Ordinal));
    }

    private static async Task<string> BackgroundAsync(BrowserPage page)
        => (await page.EvaluateAsync("getComputedStyle(document.body).backgroundColor"))!.GetValue<string>();

    private static async Task RequestAsync(TestServer server, CancellationToken ended)
    {
        using HttpClient client = server.CreateClient();
        while (!ended.IsCancellationRequested)
        {
            Assert.Equal("hello", await client.GetStringAsync(new Uri("/hello", UriKind.Relative), CancellationToken.None));
        }
    }
}
