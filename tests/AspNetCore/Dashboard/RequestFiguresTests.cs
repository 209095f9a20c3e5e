using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Ioxide.AspNetCore.Tests;

/// <summary>What the dashboard's events tell of requests by endpoint, and of connections that failed, against what was served.</summary>
public class RequestFiguresTests
{
    [Theory, AllValues]
    public async Task EachEndPointHasItsRequestsErrorsAndDurations(TransportKind transport)
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(transport, static app =>
        {
            app.MapIoxideDashboard();
            app.MapPost("/hello", static context => context.Response.WriteAsync("posted"));
            app.MapGet("/failing/{id}", static context =>
            {
                context.Response.StatusCode = context.Request.Path == "/failing/0" ? 500 : 503;
                return Task.CompletedTask;
            });
            app.Map("/any", static context => Task.CompletedTask);
        }));
        using Watcher watcher = await Watcher.StartAsync(server);
        await watcher.NextAsync();
        using RawClient client = await server.ConnectAsync();
        for (int count = 0; count < 7; count++)
        {
            Assert.Equal(200, (await client.GetAsync("/hello")).Status);
        }

        for (int count = 0; count < 3; count++)
        {
            Assert.Equal(count == 0 ? 500 : 503, (await client.GetAsync($"/failing/{count}")).Status);
            Assert.Equal(404, (await client.GetAsync($"/missing{count}")).Status);
        }

        Assert.Equal(200, (await client.GetAsync("/any")).Status);
        using (HttpClient posting = server.CreateClient())
        {
            (await posting.PostAsync(new Uri("/hello", UriKind.Relative), null)).Dispose();
        }

        JsonNode sample = await watcher.UntilAsync(static sample => sample["requests"]!.GetValue<long>() == 15);

        Assert.Equal("7 0 0", Row(sample, "GET /hello"));
        Assert.Equal("1 0 0", Row(sample, "POST /hello"));
        Assert.Equal("3 0 3", Row(sample, "GET /failing/{id}"));
        Assert.Equal("3 3 0", Row(sample, ""));
        Assert.Equal("1 0 0", Row(sample, transport == TransportKind.Ioxide ? "/any" : "GET /any"));
        Assert.All(sample["endpoints"]!.AsArray(), static each => Assert.Equal(
            each!["requests"]!.GetValue<long>(), each["latencyUs"]!.AsArray().Where(static (_, index) => index % 2 == 1).Sum(static count => count!.GetValue<long>())));
    }

    [Fact]
    public async Task ARequestWhoseClientLeavesCountsAsAborted()
    {
        var arrived = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(map: app =>
        {
            app.MapIoxideDashboard();
            app.MapGet("/waiting", async context =>
            {
                arrived.SetResult();
                await Task.Delay(Timeout.Infinite, context.RequestAborted);
            });
        }));
        using Watcher watcher = await Watcher.StartAsync(server);
        await watcher.NextAsync();
        using (RawClient client = await server.ConnectAsync())
        {
            await client.SendAsync(RawClient.Get("/waiting"));
            await arrived.Task.Within(60.Seconds());
            client.Reset();
        }

        JsonNode sample = await watcher.UntilAsync(static sample => sample["requests"]!.GetValue<long>() == 1);

        JsonNode row = Assert.Single(sample["endpoints"]!.AsArray(), static each => each!["requests"]!.GetValue<long>() == 1)!;
        Assert.Equal((1, 0), (row["aborted"]!.GetValue<long>(), row["serverErrors"]!.GetValue<long>()));
    }

    [Fact]
    public async Task AConnectionThatFailsCountsByItsReason()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        using Watcher watcher = await Watcher.StartAsync(server);
        await watcher.NextAsync();
        using (RawClient client = await server.ConnectAsync())
        {
            Assert.Equal(200, (await client.GetAsync("/hello")).Status);
        }

        using (RawClient client = await server.ConnectAsync())
        {
            await client.SendAsync("no request\r\n\r\n");
            Assert.Equal(400, (await client.ReadResponseAsync()).Status);
        }

        JsonNode sample = await watcher.UntilAsync(static sample => sample["connectionErrors"]!.AsObject().Count > 0);

        Assert.Equal("""{"invalid_request_line":1}""", sample["connectionErrors"]!.ToJsonString());
    }

    [Fact]
    public async Task TheProcessTellsOfItsCollections()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        using Watcher watcher = await Watcher.StartAsync(server);
        JsonNode before = (await watcher.NextAsync())["process"]!;

        GC.Collect();

        long earlier = before["gen2"]!.GetValue<long>();
        JsonNode later = (await watcher.UntilAsync(sample => sample["process"]!["gen2"]!.GetValue<long>() > earlier))["process"]!;
        Assert.True(later["pauseSeconds"]!.GetValue<double>() > before["pauseSeconds"]!.GetValue<double>());
        Assert.True(later["allocatedBytes"]!.GetValue<long>() >= before["allocatedBytes"]!.GetValue<long>());
        Assert.True(later["poolThreads"]!.GetValue<int>() > 0);
    }

    /// <summary>Routes come from the application, but a mapped pattern per tenant could be thousands.</summary>
    [Fact]
    public void RoutesBeyondTheBoundCountAsOne()
    {
        var figures = new RequestFigures();
        Parallel.For(0, RequestFigures.MaxRoutes + 50, index =>
        {
            for (int count = 0; count < 10; count++)
            {
                figures.RequestEnded(0.001, [new("http.request.method", "GET"), new("http.route", $"/{index}")]);
            }
        });

        RouteFigures[] routes = [.. figures.Routes];

        Assert.True(routes.Length <= RequestFigures.MaxRoutes + 1, $"{routes.Length}");
        Assert.Single(routes, static route => route.Route == RequestFigures.Others);
        Assert.Equal((RequestFigures.MaxRoutes + 50) * 10, figures.Total);
        Assert.Equal(figures.Total, routes.Sum(Requests));
    }

    [Fact]
    public void EachDurationHasABucketThatIsAtMostAnEighthWide()
    {
        long end = 0;
        for (int bucket = 0; bucket < LatencyBuckets.Count; bucket++)
        {
            Assert.Equal(bucket, LatencyBuckets.Of(end));
            long start = end;
            end = LatencyBuckets.End(bucket);
            Assert.Equal(bucket, LatencyBuckets.Of(end - 1));
            Assert.True(end - start == 1 || (end - start) * 8 <= start, $"{start} to {end}");
        }

        Assert.Equal(1L << 32, end);
        Assert.Equal(LatencyBuckets.Count - 1, LatencyBuckets.Of(long.MaxValue));
        Assert.Equal(0, LatencyBuckets.Of(-1));
    }

    private static long Requests(RouteFigures route)
    {
        long[] buckets = new long[LatencyBuckets.Count];
        route.AddTo(buckets);
        return buckets.Sum();
    }

    private static string Row(JsonNode sample, string name)
    {
        JsonNode row = Assert.Single(
            sample["endpoints"]!.AsArray(), each => each!["name"]!.GetValue<string>().Replace("HTTP: ", "", StringComparison.Ordinal) == name)!;
        return $"{row["requests"]} {row["clientErrors"]} {row["serverErrors"]}";
    }
}
