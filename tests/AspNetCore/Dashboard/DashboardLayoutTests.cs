using System.Globalization;
using System.Net;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Builder;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// The dashboard's page at the width of a desk and of a phone: everything fits, says its time, shows values under the pointer, and the figures are
/// those of the requests that were served.
/// </summary>
[Once]
public sealed class DashboardLayoutTests(BrowserFixture browser) : IClassFixture<BrowserFixture>
{
    [Theory]
    [InlineData(1280, 900)]
    [InlineData(390, 844)]
    public async Task FitsItsWidthAndShowsTheReactorsNearItsTop(int width, int height)
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        await using BrowserPage page = await browser.OpenPageAsync();
        await OpenAsync(page, server, width, height);

        Assert.Equal(0, await page.NumberAsync("document.documentElement.scrollWidth - document.documentElement.clientWidth"));
        Assert.Equal(0, await page.NumberAsync($$"""
            [...document.querySelectorAll('#reactors td, #endpoints td, figure')].filter(each => {
              const box = each.getBoundingClientRect();
              return box.width > 0 && (box.left < 0 || box.right > {{width}} || each.scrollWidth > each.clientWidth + 1);
            }).length
            """));

        // Four cards are before the table, which a reader sees without scrolling.
        Assert.Equal(4, await page.NumberAsync("document.querySelectorAll('#summary figure').length"));
        Assert.InRange(await page.NumberAsync("document.querySelector('#reactors tbody tr').getBoundingClientRect().bottom"), 1, height);
        Assert.Equal(11, await page.NumberAsync("""
            [...document.querySelectorAll('#reactors tbody tr:first-child td')].filter(each => each.getBoundingClientRect().height > 0).length
            """));
    }

    [Theory]
    [InlineData(1280, 900)]
    [InlineData(390, 844)]
    public async Task SaysTheTimeOfEachPlotAndTheValueUnderThePointer(int width, int height)
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        await using BrowserPage page = await browser.OpenPageAsync();
        await OpenAsync(page, server, width, height);
        await page.UntilAsync("document.querySelectorAll('figure[data-name=busySeconds] .line')[0].getAttribute('d')?.includes('L') ?? false", 60.Seconds());
        await page.EvaluateAsync("document.getElementById('hold').click()");

        Assert.Matches("^[0-9]+ (s|min) (ago|[0-9]+ s ago)$", await page.TextAsync("figure[data-name=busySeconds] .from"));
        Assert.Equal("now", await page.TextAsync("figure[data-name=busySeconds] .time span:last-child"));
        Assert.Equal("100 %", await page.TextAsync("figure[data-name=busySeconds] .top"));
        Assert.True((await page.EvaluateAsync("document.getElementById('hover').hidden"))!.GetValue<bool>());

        JsonNode box = (await page.EvaluateAsync("(({ right, top }) => ({ right, top }))(document.querySelector('figure[data-name=busySeconds] svg').getBoundingClientRect())"))!;
        await page.PointAsync(box["right"]!.GetValue<double>() - 1, box["top"]!.GetValue<double>() + 10);
        await page.UntilAsync("!document.getElementById('hover').hidden", 60.Seconds());

        // What is held is what is read, whatever came since.
        Assert.Equal(await page.TextAsync("figure[data-name=busySeconds] .value"), await page.TextAsync("#hover b"));
        Assert.Equal(0, await page.NumberAsync($$"""
            (({ left, right }) => left < 0 || right > {{width}} ? 1 : 0)(document.getElementById('hover').getBoundingClientRect())
            """));
        await page.PointAsync(1, 1);
        await page.UntilAsync("document.getElementById('hover').hidden", 60.Seconds());
        Assert.Empty(page.Complaints);
    }

    [Fact]
    public async Task GrowsItsWindowFromTheTenthSecondOn()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        await using BrowserPage page = await browser.OpenPageAsync();
        await page.OpenAsync(DashboardReader.DashboardOf(server));

        // The spans after so many samples; the page's own count follows its samples.
        JsonNode spans = (await page.EvaluateAsync("[1, 2, 11, 12, 61, 301, 900].map(count => { seen = count; look(); return view.span; })"))!;

        Assert.Equal("[10,10,10,11,60,300,300]", spans.ToJsonString());
        Assert.Equal("0,111.1,1000", (await page.EvaluateAsync(
            "seen = 1; look(); [9, 8, 0].map(age => placeOf(age).toFixed(1).replace('.0', '')).join()"))!.GetValue<string>());
    }

    [Fact]
    public async Task TheFiguresAreThoseOfTheRequestsThatWereServed()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardReader.WithFailingEndpoint);
        await using BrowserPage page = await browser.OpenPageAsync();
        await OpenAsync(page, server, 1280, 900);
        using (RawClient client = await server.ConnectAsync())
        {
            for (int count = 0; count < 5; count++)
            {
                Assert.Equal(200, (await client.GetAsync("/hello")).Status);
            }

            for (int count = 0; count < 2; count++)
            {
                Assert.Equal(503, (await client.GetAsync("/failing")).Status);
                Assert.Equal(404, (await client.GetAsync("/missing")).Status);
            }
        }

        await page.UntilAsync("document.querySelector('figure[data-name=requests] .note').textContent === '9 in all'", 60.Seconds());

        Assert.Equal("5 requests, 0, 0", await RowAsync(page, "GET /hello"));
        Assert.Equal("2 requests, 0, 2", await RowAsync(page, "GET /failing"));
        Assert.Equal("2 requests, 2, 0", await RowAsync(page, "no endpoint"));
        Assert.Equal("2 in all", await page.TextAsync("figure[data-name=serverErrors] .note"));
        Assert.Equal("2 in all", await page.TextAsync("figure[data-name=clientErrors] .note"));
        Assert.Contains("ms", await page.TextAsync("[data-endpoint=\"GET /hello\"] [data-column=p99] .value"), StringComparison.Ordinal);
        Assert.Contains("quick runs", await page.TextAsync("[data-endpoint=\"GET /hello\"] [data-column=runsOn] .value"), StringComparison.Ordinal);
    }

    /// <summary>The oracle sorts the durations. Buckets are of the server, percentiles of the page.</summary>
    [Fact]
    public async Task PercentilesAreAtMostASixteenthOff()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        await using BrowserPage page = await browser.OpenPageAsync();
        await page.OpenAsync(DashboardReader.DashboardOf(server));
        var random = new Random(20261123);
        long[] earlier = [.. Enumerable.Range(0, 500).Select(_ => random.NextInt64(1_000_000))];
        long[] later = [.. Enumerable.Range(0, 1000).Select(_ => (long)Math.Exp(random.NextDouble() * 15))];

        JsonNode found = (await page.EvaluateAsync(
            $"percentiles(totalsOf({Buckets([.. earlier, .. later])}), totalsOf({Buckets(earlier)}), [0, 0.5, 0.99, 1])"))!;

        Array.Sort(later);
        foreach ((int index, int rank) in (ReadOnlySpan<(int, int)>)[(0, 0), (1, 499), (2, 989), (3, 999)])
        {
            double us = found[index]!.GetValue<double>() * 1e6;
            Assert.InRange(us, (later[rank] * 15 / 16.0) - 1, (later[rank] * 17 / 16.0) + 1);
        }
    }

    private static string Buckets(long[] durations) => $"[{string.Join(',', durations.CountBy(LatencyBuckets.Of).Select(
        static pair => string.Create(CultureInfo.InvariantCulture, $"{LatencyBuckets.End(pair.Key)},{pair.Value}")))}]";

    private static async Task OpenAsync(BrowserPage page, TestServer server, int width, int height)
    {
        await page.SizeAsync(width, height);
        await page.OpenAsync(DashboardReader.DashboardOf(server));
        await page.UntilAsync($"{DashboardReader.IsLive} && document.querySelectorAll('#reactors tbody tr').length === 2", 60.Seconds());
    }

    /// <summary>Requests, client errors, server errors.</summary>
    private static async Task<string> RowAsync(BrowserPage page, string name)
    {
        string row = $"[data-endpoint=\"{name}\"]";
        return $"{await page.TextAsync($"{row} th .scale")}, {await page.TextAsync($"{row} [data-column=clientErrors] .value")}, "
            + await page.TextAsync($"{row} [data-column=serverErrors] .value");
    }
}
