using System.Diagnostics.Metrics;
using System.Text.Json.Nodes;

namespace Ioxide.AspNetCore.Tests;

/// <summary>The board in <c>deploy/grafana-ioxide.json</c> has what Grafana needs; it and the alert rules ask for nothing that no instrument measures.</summary>
[Once]
public class GrafanaBoardTests
{
    private const int GridColumns = 24;

    /// <summary>What these ask for is checked where their instruments are.</summary>
    private static readonly string[] s_libraries = ["ioxide_pg_", "ioxide_tls_", "ioxide_files_"];

    [Fact]
    public async Task AsksOnlyForWhatInstrumentsOfAHostMeasure()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        using RawClient client = await server.ConnectAsync();
        Assert.Equal(200, (await client.GetAsync("/hello")).Status);

        string[] asked = GrafanaBoard.MetricsOf("ioxide_", "dotnet_", "http_", "kestrel_");
        string[] ofHost = [.. asked.Where(static name => !s_libraries.Any(library => name.StartsWith(library, StringComparison.Ordinal)))];

        Assert.True(ofHost.Length >= 20, $"{ofHost.Length} metrics");
        Assert.Empty(ofHost.Except(GrafanaBoard.NamesOf(
            "Ioxide", "System.Runtime", "Microsoft.AspNetCore.Hosting", "Microsoft.AspNetCore.Server.Kestrel", PlacementMetrics.MeterName)));
    }

    [Fact]
    public void HasWhatGrafanaNeeds()
    {
        JsonNode board = GrafanaBoard.Read();

        Assert.True(board["schemaVersion"]!.GetValue<int>() >= 36);
        Assert.Equal(("Ioxide", "ioxide"), (board["title"]!.GetValue<string>(), board["uid"]!.GetValue<string>()));

        // An import asks for the source of data; nothing names one of this machine's.
        JsonNode source = board["templating"]!["list"]![0]!;
        Assert.Equal(("datasource", "datasource", "prometheus"), (source["name"]!.GetValue<string>(), source["type"]!.GetValue<string>(), source["query"]!.GetValue<string>()));
        JsonNode[] panels = [.. board["panels"]!.AsArray().Select(static panel => panel!)];
        Assert.Equal(panels.Length, panels.Select(static panel => panel["id"]!.GetValue<int>()).Distinct().Count());
        foreach (JsonNode panel in panels.Where(static panel => panel["type"]!.GetValue<string>() != "row"))
        {
            Assert.Equal("${datasource}", panel["datasource"]!["uid"]!.GetValue<string>());
            Assert.NotEmpty(panel["title"]!.GetValue<string>());
            Assert.NotEmpty(panel["fieldConfig"]!["defaults"]!["unit"]!.GetValue<string>());
            JsonArray targets = panel["targets"]!.AsArray();
            Assert.NotEmpty(targets);
            Assert.Equal(targets.Count, targets.Select(static target => target!["refId"]!.GetValue<string>()).Distinct().Count());
            Assert.All(targets, static target =>
            {
                string query = target!["expr"]!.GetValue<string>();
                Assert.Equal("${datasource}", target["datasource"]!["uid"]!.GetValue<string>());
                Assert.Contains("job=~\"$job\", instance=~\"$instance\"", query, StringComparison.Ordinal);
                Assert.Equal(query.Count(static letter => letter == '('), query.Count(static letter => letter == ')'));
            });
        }
    }

    [Fact]
    public void NoPanelLiesOverAnother()
    {
        var taken = new Dictionary<(int Column, int Row), string>();
        foreach (JsonNode? panel in GrafanaBoard.Read()["panels"]!.AsArray())
        {
            JsonNode place = panel!["gridPos"]!;
            (int left, int top) = (place["x"]!.GetValue<int>(), place["y"]!.GetValue<int>());
            (int width, int height) = (place["w"]!.GetValue<int>(), place["h"]!.GetValue<int>());
            string title = panel["title"]!.GetValue<string>();
            Assert.True(left >= 0 && left + width <= GridColumns, title);
            for (int cell = 0; cell < width * height; cell++)
            {
                (int, int) at = (left + (cell % width), top + (cell / width));
                Assert.True(taken.TryAdd(at, title), $"{title} lies over {taken[at]}");
            }
        }
    }

    [Theory]
    [InlineData("a.requests", "{request}", "a_requests_total")]
    [InlineData("a.received", "By", "a_received_bytes_total")]
    [InlineData("a.busy_time", "s", "a_busy_time_seconds_total")]
    public void CountersAreNamedAsExportersNameThem(string name, string unit, string expected)
    {
        using var meter = new Meter("Names");

        Assert.Equal([expected], GrafanaBoard.PrometheusNames(meter.CreateCounter<long>(name, unit)));
    }

    [Fact]
    public void HistogramsHaveThreeSeriesAndLevelsOne()
    {
        using var meter = new Meter("Names");

        Assert.Equal(
            ["a_duration_seconds_bucket", "a_duration_seconds_count", "a_duration_seconds_sum"],
            GrafanaBoard.PrometheusNames(meter.CreateHistogram<double>("a.duration", "s")));
        Assert.Equal(["a_count"], GrafanaBoard.PrometheusNames(meter.CreateUpDownCounter<long>("a.count", "{thing}")));
    }
}
