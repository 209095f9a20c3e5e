using System.Net.Http.Json;
using System.Text.Json.Nodes;

namespace Ioxide.Files.Tests;

/// <summary>
/// <c>samples/Files</c> as a reader starts it, in a real browser: the page with its style, script, picture and font, each in the coding
/// that the browser wants most, and from the browser's own cache when the page is loaded again.
/// </summary>
[Once]
public sealed class SampleSiteTests
{
    [Fact]
    public async Task ABrowserShowsThePageAndKeepsWhatNeverChanges()
    {
        Assert.SkipWhen(Browser.Missing is not null, Browser.Missing ?? "");
        await using Browser browser = await Browser.StartAsync();
        await using HostProcess sample = HostProcess.Start("Files", ["--urls", "http://127.0.0.1:0"]);
        Uri address = await sample.ListeningAsync();
        await using BrowserPage page = await browser.OpenPageAsync();
        Dictionary<string, BrowserPage.Loaded> first = await page.OpenAsync(address);

        Assert.Equal("Ioxide files", (await page.EvaluateAsync("document.title"))!.GetValue<string>());
        Assert.Equal("collapse", (await page.EvaluateAsync("getComputedStyle(document.querySelector('table')).borderCollapse"))!.GetValue<string>());
        Assert.True((await page.EvaluateAsync("document.querySelector('img').naturalWidth"))!.GetValue<int>() > 0);
        Assert.True((await page.EvaluateAsync("document.getElementById('files').rows.length"))!.GetValue<int>() > 0);
        Assert.Equal("loaded", (await page.EvaluateAsync("[...document.fonts].map(font => font.status).join()"))!.GetValue<string>());

        string[] assets = [.. first.Keys.Where(static path => path.StartsWith("/assets/", StringComparison.Ordinal)).Order()];
        Assert.Equal([".css", ".js", ".svg", ".woff"], assets.Select(static path => Path.GetExtension(path)).Order(StringComparer.Ordinal));
        Assert.All(assets, path => Assert.False(first[path].IsFromCache));
        foreach (string path in assets.Append("/"))
        {
            Assert.Equal(200, first[path].Status);
            Assert.Equal(path.EndsWith(".woff", StringComparison.Ordinal) ? null : "br", first[path].Coding);
        }

        (long hits, long notModified) = await CountAsync(address);
        Assert.Equal((assets.Length + 1, 0L), (hits, notModified));

        Dictionary<string, BrowserPage.Loaded> again = await page.ReloadAsync();
        Assert.All(assets, path => Assert.True(again[path].IsFromCache, path));
        Assert.Equal((hits + 1, 1L), await CountAsync(address));
    }

    private static async Task<(long Hits, long NotModified)> CountAsync(Uri address)
    {
        using HttpClient client = new(new SocketsHttpHandler { UseProxy = false });
        JsonArray folders = (await client.GetFromJsonAsync<JsonArray>(new Uri(address, "/api/statistics")).Within(60.Seconds()))!;
        return (folders[0]!["hits"]!.GetValue<long>(), folders[0]!["notModified"]!.GetValue<long>());
    }
}
