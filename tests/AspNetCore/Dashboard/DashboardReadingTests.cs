using System.Net;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Ioxide.AspNetCore.Tests;

/// <summary>The dashboard's page for who reads it: what is hidden, what is red, where states lead, that all of it can be read.</summary>
[Once]
public sealed class DashboardReadingTests(BrowserFixture browser) : IClassFixture<BrowserFixture>
{
    /// <summary>
    /// Visible texts whose contrast to what is behind them is below 4.5, as WCAG 2.2 asks at level AA (1.4.3). An area under a line is too faint to count.
    /// </summary>
    private const string Illegible = """
        (() => {
          const channels = color => color.match(/[0-9.]+/g).map(Number);
          const luminance = color => channels(color).slice(0, 3).map(value => value / 255)
            .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
            .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
          const behind = node => {
            for (let at = node; at; at = at.parentElement) {
              const color = getComputedStyle(at).backgroundColor;
              if ((channels(color)[3] ?? 1) === 1) return color;
            }
            return 'rgb(255, 255, 255)';
          };
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          const found = [];
          let texts = 0;
          for (let text = walker.nextNode(); text; text = walker.nextNode()) {
            const node = text.parentElement;
            if (text.data.trim() && node.checkVisibility() && !['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(node.tagName)) {
              const [one, other] = [luminance(getComputedStyle(node).color), luminance(behind(node))];
              const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
              texts++;
              if (contrast < 4.5) found.push(`${text.data.trim()} ${contrast.toFixed(1)}`);
            }
          }
          return texts > 50 ? found.join('; ') : `only ${texts} texts`;
        })()
        """;

    [Theory]
    [InlineData(1400, false)]
    [InlineData(1400, true)]
    [InlineData(400, false)]
    [InlineData(400, true)]
    public async Task EveryLibraryOnTheReactorsHasItsSectionAndEveryTextCanBeRead(int width, bool isDark)
    {
        await using HostProcess host = HostProcess.Start("Ioxide.TrimSmoke", ["--serve"]);
        Uri address = await host.ListeningAsync();
        await using BrowserPage page = await browser.OpenPageAsync();
        await page.SizeAsync(width, 900);
        await page.PreferAsync(isDark);
        await page.OpenAsync(new Uri(address, "/ioxide"));
        await page.UntilAsync($"{DashboardReader.IsLive} && document.querySelectorAll('[data-meter] figure').length > 2", 60.Seconds());

        string[] meters = [.. (await page.EvaluateAsync("[...document.querySelectorAll('[data-meter]')].map(each => each.dataset.meter)"))!.AsArray()
            .Select(static meter => meter!.GetValue<string>()).Order(StringComparer.Ordinal)];
        string[] expected = host.Lines.Any(static line => line.StartsWith("skipped:", StringComparison.Ordinal))
            ? ["Ioxide.AspNetCore", "Ioxide.Files", "Ioxide.Tls"] : ["Ioxide.AspNetCore", "Ioxide.Files", "Ioxide.Pg", "Ioxide.Tls"];
        Assert.Equal(expected, meters);
        Assert.Equal(0, await page.NumberAsync("document.querySelectorAll('.fault').length"));
        Assert.Equal("", await page.StringAsync(Illegible));
        Assert.Equal("", await page.StringAsync($$"""
            [...document.querySelectorAll('figure, td, th, p, h2, dt, dd')].filter(each => {
              const box = each.getBoundingClientRect();
              return each.checkVisibility() && !each.closest('.scroll, thead') && box.width > 0 && (box.left < 0 || box.right > {{width}} || each.scrollWidth > each.clientWidth + 1);
            }).map(each => each.textContent).join('; ')
            """));
        Assert.Empty(page.Complaints);
    }

    [Fact]
    public async Task PartsOfOneFigureAreStackedInOnePlot()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        await using BrowserPage page = await browser.OpenPageAsync();
        await page.OpenAsync(DashboardReader.DashboardOf(server));
        await page.UntilAsync($"{DashboardReader.IsLive} && document.querySelector('figure[data-name=\"Ioxide.AspNetCore ioxide.endpoint.count\"] .key') !== null", 60.Seconds());

        Assert.Equal(4, await page.NumberAsync("document.querySelectorAll('figure[data-name=\"Ioxide.AspNetCore ioxide.endpoint.count\"] .key').length"));
        Assert.Equal(0, await page.NumberAsync("document.querySelectorAll('figure[data-name$=status]').length"));

        // Each part begins where the one below it ends: 1, then 1 + 2 of 4.
        await page.EvaluateAsync("document.getElementById('hold').click(); stacked = new Plot([{ name: 'one' }, { name: 'two' }], count, true);"
            + " track('one').values = [1, 1]; track('two').values = [2, 2]; stacked.isInSight = true; stacked.draw(4);");
        Assert.Equal("75.5 26.5", await page.StringAsync("stacked.shapes.map(each => each.line.getAttribute('d').split(/[ L]/).at(-1)).join(' ')"));
    }

    [Fact]
    public async Task OwnRoutesAndUnusedOnesAreHiddenUntilAReaderAsksForThem()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        await using BrowserPage page = await browser.OpenPageAsync();
        await page.OpenAsync(DashboardReader.DashboardOf(server));
        await page.UntilAsync(DashboardReader.IsLive, 60.Seconds());
        using (RawClient client = await server.ConnectAsync())
        {
            Assert.Equal(200, (await client.GetAsync("/hello")).Status);
        }

        const string Shown = "[...document.querySelectorAll('#endpoints tbody tr')].filter(row => !row.hidden).map(row => row.dataset.endpoint).join()";
        await page.UntilAsync($"{Shown} === 'GET /hello'", 60.Seconds());
        Assert.Matches("^Show all: [1-3] of this page, [0-9]+ without a request$", await page.TextAsync("#more"));

        await page.EvaluateAsync("document.getElementById('more').click()");
        string all = await page.StringAsync(Shown);
        Assert.Contains("Ioxide dashboard events", all, StringComparison.Ordinal);
        Assert.Contains("Health checks", all, StringComparison.Ordinal);

        await page.EvaluateAsync("document.getElementById('more').click()");
        Assert.Equal("GET /hello", await page.StringAsync(Shown));
    }

    [Fact]
    public async Task AStateLeadsToWhatItMeans()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        await using BrowserPage page = await browser.OpenPageAsync();
        await page.OpenAsync(DashboardReader.DashboardOf(server));
        await page.UntilAsync($"{DashboardReader.IsLive} && document.querySelector('#reactors .condition')?.textContent === 'ok'", 60.Seconds());

        foreach (ReactorCondition condition in Enum.GetValues<ReactorCondition>())
        {
            await page.EvaluateAsync($"document.querySelector('#reactors .condition').setAttribute('href', '#state-{TransportMetrics.NameOf(condition)}')");
            Assert.Equal("DT", await page.StringAsync("document.querySelector(document.querySelector('#reactors .condition').hash)?.tagName ?? 'none'"));
        }

        foreach (PlacementState state in Enum.GetValues<PlacementState>())
        {
            Assert.Equal("DT", await page.StringAsync($"document.getElementById('state-{PlacementMetrics.NameOf(state)}')?.tagName ?? '{state}: none'"));
        }

        Assert.EndsWith("/ioxide/dump", await page.StringAsync("document.getElementById('dump').href"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task ErrorsAreRedForAMinuteAndTotalsStayGrey()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardReader.WithFailingEndpoint);
        await using BrowserPage page = await browser.OpenPageAsync();
        await page.OpenAsync(DashboardReader.DashboardOf(server));
        const string Failing = "document.querySelector('figure[data-name=serverErrors]').classList.contains('failing')";
        await page.UntilAsync($"{DashboardReader.IsLive} && track('requests').values.length > 1", 60.Seconds());
        using RawClient client = await server.ConnectAsync();
        Assert.Equal(503, (await client.GetAsync("/failing")).Status);
        await page.UntilAsync($"{Failing} && document.querySelector('[data-endpoint=\"GET /failing\"]').classList.contains('failing')", 60.Seconds());

        // As if a minute had gone by.
        await page.EvaluateAsync("for (const name of ['serverErrors', 'GET /failing serverErrors']) track(name).values = new Array(60).fill(0)");
        await page.UntilAsync($"!{Failing} && !document.querySelector('[data-endpoint=\"GET /failing\"]').classList.contains('failing')", 60.Seconds());
        Assert.Equal("1 in all", await page.TextAsync("figure[data-name=serverErrors] .note"));
    }

    [Theory]
    [InlineData(1400)]
    [InlineData(400)]
    public async Task ANameIsBrokenBetweenItsWordsOnly(int width)
    {
        const string Route = "/administration/organisations/{organisationId}/reconciliations/{reconciliationId}/attachments.download";
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(map: static app =>
        {
            app.MapIoxideDashboard();
            app.MapGet(Route, static (HttpContext context) => context.Response.WriteAsync("attached"));
        }));
        await using BrowserPage page = await browser.OpenPageAsync();
        await page.SizeAsync(width, 900);
        await page.OpenAsync(DashboardReader.DashboardOf(server));

        // Requests are counted while somebody looks.
        await page.UntilAsync(DashboardReader.IsLive, 60.Seconds());
        using RawClient client = await server.ConnectAsync();
        Assert.Equal(200, (await client.GetAsync("/administration/organisations/1/reconciliations/2/attachments.download")).Status);
        await page.UntilAsync($"document.querySelector('[data-endpoint=\"GET {Route}\"]')?.checkVisibility() === true", 60.Seconds());

        // The last character of each line, taken from where each character is.
        JsonNode ends = (await page.EvaluateAsync($$"""
            (() => {
              const walker = document.createTreeWalker(document.querySelector('[data-endpoint="GET {{Route}}"] .name'), NodeFilter.SHOW_TEXT);
              const ends = [];
              let last = '';
              let top = NaN;
              for (let text = walker.nextNode(); text; text = walker.nextNode()) {
                for (let at = 0; at < text.length; at++) {
                  const range = document.createRange();
                  range.setStart(text, at);
                  range.setEnd(text, at + 1);
                  const box = range.getBoundingClientRect();
                  if (box.width > 0) {
                    if (box.top > top + 4) ends.push(last);
                    top = box.top;
                    last = text.data[at];
                  }
                }
              }
              return ends.join('');
            })()
            """))!;
        Assert.Matches("^[-/.:_T]+$", ends.GetValue<string>());
    }

    /// <summary>A millisecond lies in the middle between 100 us and 10 ms, whatever is slower beside it.</summary>
    [Fact]
    public async Task LatencyIsDrawnOnALogarithmicScale()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        await using BrowserPage page = await browser.OpenPageAsync();
        await page.OpenAsync(DashboardReader.DashboardOf(server));
        await page.UntilAsync($"{DashboardReader.IsLive} && track('requests').values.length > 1", 60.Seconds());
        await page.EvaluateAsync("document.getElementById('hold').click()");

        JsonNode found = (await page.EvaluateAsync("""
            (() => {
              track('fast').values = [0.00015, 0.001];
              track('slow').values = [NaN, 0.0099];
              const { floor, limit } = decades(['fast', 'slow']);
              return [floor, limit, heightOf(0.001, limit, floor), heightOf(floor, limit, floor), heightOf(5, limit, floor), decades([]).limit];
            })()
            """))!;
        Assert.Equal(0.0001, found[0]!.GetValue<double>(), 1e-9);
        Assert.Equal(0.01, found[1]!.GetValue<double>(), 1e-9);
        Assert.Equal("51.0 100.0 2.0 0.01", string.Join(' ', found.AsArray().Skip(2).Select(static each => each!.ToString())));
        Assert.Matches("^(0.01|0.1|1|10|100) ms$", await page.TextAsync("figure[data-name=p99] .bottom"));
    }
}
