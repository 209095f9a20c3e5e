using System.Diagnostics.Metrics;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Metrics and the dashboard tell where endpoints run.</summary>
public class SeenPlacementsTests
{
    private const string Count = "ioxide.endpoint.count";

    [Fact]
    public async Task MetricsCountEndPointsByStateAndTheirMoves()
    {
        await using TestServer server = await StartAsync();
        using RawClient client = await server.ConnectAsync();
        await Learning.ProveAsync(client, "/quick");
        Learning.Placement(server, "/quick").Stalled(0, 20.Milliseconds(), isCertain: true);
        await Learning.ProveAsync(client, "/quick");
        Dictionary<string, long> measured = Measure(server);

        // The dashboard's own three are mapped, too.
        Assert.Equal((4, 1, 0), (measured[$"{Count} proving"], measured[$"{Count} inline"], measured[$"{Count} demoted"]));
        Assert.Equal((1, 2, 1), (measured[$"{Count} pinned"], measured["ioxide.endpoint.promotions "], measured["ioxide.endpoint.demotions "]));
    }

    [Fact]
    public async Task TheDashboardShowsEachEndPoint()
    {
        await using TestServer server = await StartAsync();
        using RawClient client = await server.ConnectAsync();
        await Learning.ProveAsync(client, "/quick");
        Learning.Placement(server, "/quick").Stalled(0, 15.Milliseconds(), isCertain: true);
        using Watcher watcher = await Watcher.StartAsync(server);

        JsonNode sample = await watcher.UntilAsync(static sample => sample["endpoints"]!.AsArray().Count > 1);

        JsonNode quick = Assert.Single(sample["endpoints"]!.AsArray(), static each => each!["name"]!.GetValue<string>() == "HTTP: GET /quick")!;
        Assert.Equal(("demoted", 15), (quick["state"]!.GetValue<string>(), quick["stalledMs"]!.GetValue<double>()));
        Assert.Equal((1, 64), (quick["demotions"]!.GetValue<int>(), quick["neededRuns"]!.GetValue<int>()));
        Assert.Contains(sample["endpoints"]!.AsArray(), static each => each!["state"]!.GetValue<string>() == "pinned");
    }

    private static Task<TestServer> StartAsync() => TestServer.StartAsync(Learning.Of(static app =>
    {
        app.MapIoxideDashboard();
        app.MapGet("/quick", Learning.SayWhereAsync);
        app.MapGet("/other", Learning.SayWhereAsync);
        app.MapGet("/pinned", Learning.SayWhereAsync).RunOnThreadPool();
    }));

    private static Dictionary<string, long> Measure(TestServer server)
    {
        Dictionary<string, long> measured = [];
        IMeterFactory factory = server.Services.GetRequiredService<IMeterFactory>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == PlacementMetrics.MeterName && ReferenceEquals(instrument.Meter.Scope, factory))
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
            measured[$"{instrument.Name} {(tags.IsEmpty ? "" : tags[0].Value)}"] = value);
        listener.Start();
        listener.RecordObservableInstruments();
        return measured;
    }
}
