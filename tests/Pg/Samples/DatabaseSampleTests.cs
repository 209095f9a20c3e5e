using System.Net;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Ioxide.Pg.Tests;

/// <summary>The sample runs as its own process with a server of its own, and answers what it says.</summary>
[Once]
public sealed partial class DatabaseSampleTests : IAsyncLifetime
{
    private DatabaseSample _sample = null!; // Set by InitializeAsync, before any test.

    public async ValueTask InitializeAsync() => _sample = await DatabaseSample.StartAsync();

    public ValueTask DisposeAsync() => _sample.DisposeAsync();

    [Fact]
    public async Task ItAnswersAtEveryEndPoint()
    {
        // One process for all of them: to start it takes longer than to ask.
        await TheFirstPageLinksToThemAsync();
        await WorldIsReadByKeyAsync();
        await FortunesAreSortedAndEscapedAsync();
        await ItemsAreListedByPriceAsync();
        await ItemsAreReadAndWrittenAsync();
        await EverythingIsExportedAsync();
    }

    [Fact]
    public async Task ItLeavesNothingBehind()
    {
        string folder = _sample.ServerFolder;
        Assert.True(Directory.Exists(folder));
        Assert.Equal(0, await _sample.StopAsync());
        Assert.False(Directory.Exists(folder));
    }

    private async Task TheFirstPageLinksToThemAsync()
    {
        string page = await _sample.Client.GetStringAsync("/").Within(20.Seconds());
        string[] links = [.. Link().Matches(page).Select(static match => match.Groups[1].Value.Replace("&amp;", "&", StringComparison.Ordinal))];
        Assert.Equal(["/db", "/queries?n=3", "/fortunes", "/async-db?min=10&max=50", "/items?category=Category%201&page=0", "/items/1", "/export", "/live"], links);
        Assert.All(await Task.WhenAll(links.Select(link => StatusAsync(_sample.Client.GetAsync(link)))), static status => Assert.Equal(HttpStatusCode.OK, status));
    }

    private async Task WorldIsReadByKeyAsync()
    {
        using JsonDocument one = await _sample.GetJsonAsync("/db");
        CheckWorld(one.RootElement);
        foreach ((string query, int count) in ((string, int)[])[("n=20", 20), ("n=0", 1), ("n=501", 500), ("queries=3", 3)])
        {
            using JsonDocument many = await _sample.GetJsonAsync($"/queries?{query}");
            Assert.Equal(count, many.RootElement.GetArrayLength());
            foreach (JsonElement row in many.RootElement.EnumerateArray())
            {
                CheckWorld(row);
            }
        }
    }

    private static void CheckWorld(JsonElement row)
    {
        int id = row.GetProperty("id").GetInt32();
        Assert.InRange(id, 1, 10_000);
        Assert.Equal((id * 7919 % 10_000) + 1, row.GetProperty("randomNumber").GetInt32());
    }

    private async Task FortunesAreSortedAndEscapedAsync()
    {
        using HttpResponseMessage answer = await _sample.Client.GetAsync("/fortunes").Within(20.Seconds());
        Assert.Equal("text/html; charset=utf-8", answer.Content.Headers.ContentType?.ToString());
        string page = await answer.Content.ReadAsStringAsync();
        Assert.Equal(14, page.Split("<tr>").Length - 1);
        Assert.DoesNotContain("<script>", page, StringComparison.Ordinal);
        Assert.Contains("&lt;script&gt;", page, StringComparison.Ordinal);
        Assert.Contains("<td>12</td><td>フレームワークのベンチマーク</td>", page, StringComparison.Ordinal);
        int added = page.IndexOf("Additional fortune added at request time.", StringComparison.Ordinal);
        Assert.InRange(added, page.IndexOf("A list is only", StringComparison.Ordinal), page.IndexOf("After enough", StringComparison.Ordinal));
    }

    private async Task ItemsAreListedByPriceAsync()
    {
        using JsonDocument items = await _sample.GetJsonAsync("/async-db?min=10&max=50");
        Assert.Equal(50, items.RootElement.GetArrayLength());
        foreach (JsonElement item in items.RootElement.EnumerateArray())
        {
            int id = item.GetProperty("id").GetInt32();
            Assert.Equal($"Item {id}", item.GetProperty("name").GetString());
            Assert.Equal(id * 7919L % 1000, item.GetProperty("price").GetInt64());
            Assert.InRange(item.GetProperty("price").GetInt32(), 10, 50);
            Assert.Equal($"tag{id % 7}", item.GetProperty("tags")[0].GetString());

            // One item has the same names.
            Assert.Equal(id % 50, item.GetProperty("ratingScore").GetInt32());
            Assert.Equal(id % 1000, item.GetProperty("ratingCount").GetInt32());
        }
    }

    private async Task ItemsAreReadAndWrittenAsync()
    {
        using JsonDocument none = await _sample.GetJsonAsync($"/items?category=Category%203&page={int.MaxValue}");
        Assert.Equal(0, none.RootElement.GetArrayLength());
        foreach ((HttpMethod method, string path) in ((HttpMethod, string)[])[(HttpMethod.Post, "/items"), (HttpMethod.Put, "/items/1")])
        {
            using var nameless = new HttpRequestMessage(method, path) { Content = new StringContent("{}", Encoding.UTF8, "application/json") };
            using HttpResponseMessage refused = await _sample.Client.SendAsync(nameless).Within(20.Seconds());
            Assert.Equal(HttpStatusCode.BadRequest, refused.StatusCode);
        }

        using JsonDocument page = await _sample.GetJsonAsync("/items?category=Category%203&page=2");
        Assert.Equal((20, 203), (page.RootElement.GetArrayLength(), page.RootElement[0].GetProperty("id").GetInt32()));

        const string text = """{"name":"Ünïque \"one\"","category":"New","price":12,"quantity":3,"active":true,"tags":["a",{"b":1}]}""";
        using var content = new StringContent(text, Encoding.UTF8, "application/json");
        using HttpResponseMessage posted = await _sample.Client.PostAsync("/items", content).Within(20.Seconds());
        Assert.Equal(HttpStatusCode.Created, posted.StatusCode);
        string location = posted.Headers.Location!.ToString();
        Assert.Equal("/items/100001", location);

        using JsonDocument read = await _sample.GetJsonAsync(location);
        Assert.Equal("Ünïque \"one\"", read.RootElement.GetProperty("name").GetString());
        Assert.Equal(1, read.RootElement.GetProperty("tags")[1].GetProperty("b").GetInt32());

        using HttpResponseMessage put = await _sample.Client.PutAsJsonAsync(
            location, new { name = "Changed", price = 13, quantity = 4, active = false }).Within(20.Seconds());
        Assert.Equal(HttpStatusCode.OK, put.StatusCode);
        using JsonDocument changed = await _sample.GetJsonAsync(location);
        Assert.Equal((13, "New"), (changed.RootElement.GetProperty("price").GetInt32(), changed.RootElement.GetProperty("category").GetString()));

        Assert.Equal(HttpStatusCode.NoContent, await StatusAsync(_sample.Client.DeleteAsync(location)));
        Assert.Equal(HttpStatusCode.NotFound, await StatusAsync(_sample.Client.DeleteAsync(location)));
        Assert.Equal(HttpStatusCode.NotFound, await StatusAsync(_sample.Client.GetAsync(location)));
    }

    private async Task EverythingIsExportedAsync()
    {
        using JsonDocument items = await _sample.GetJsonAsync("/export");
        Assert.Equal((100_000, 1), (items.RootElement.GetArrayLength(), items.RootElement[0].GetProperty("id").GetInt32()));
        Assert.Equal("Item 100000", items.RootElement[99_999].GetProperty("name").GetString());
    }

    private static async Task<HttpStatusCode> StatusAsync(Task<HttpResponseMessage> request)
    {
        using HttpResponseMessage answer = await request.Within(20.Seconds());
        return answer.StatusCode;
    }

    [GeneratedRegex("href=\"([^\"]+)\"")]
    private static partial Regex Link();
}
