using System.Diagnostics.Metrics;
using System.Globalization;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// The dashboard as its clients meet it: the page and its policy, the stream of events and what is in them, how many may watch, and
/// that nothing is read while nobody does, which an instrument of the test tells from inside.
/// </summary>
public class DashboardTests
{
    private const int Places = 16;

    [Fact]
    public async Task ThePageAllowsItsOwnPartsAndNothingElse()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        using RawClient client = await server.ConnectAsync();

        RawResponse page = await client.GetAsync("/ioxide");

        Assert.Equal((200, "text/html; charset=utf-8"), (page.Status, page.Headers["Content-Type"]));
        Assert.Equal("nosniff", page.Headers["X-Content-Type-Options"]);
        string policy = page.Headers["Content-Security-Policy"];
        Assert.StartsWith("default-src 'none';", policy, StringComparison.Ordinal);
        Assert.DoesNotContain("unsafe", policy, StringComparison.Ordinal);
        Assert.Contains("frame-ancestors 'none'", policy, StringComparison.Ordinal);
        Assert.Contains($"script-src 'sha256-{HashOf(page.Text, "script")}'", policy, StringComparison.Ordinal);
        Assert.Contains($"style-src 'sha256-{HashOf(page.Text, "style")}'", policy, StringComparison.Ordinal);
        Assert.DoesNotContain("http://", page.Text.Replace("http://www.w3.org/2000/svg", "", StringComparison.Ordinal), StringComparison.Ordinal);
        Assert.DoesNotContain("https://", page.Text, StringComparison.Ordinal);

        // Nor by an address that leaves the scheme out. Its own addresses begin with none or one slash.
        Assert.DoesNotMatch("(src|href|action|data)\\s*=\\s*[\"']?//|url\\(\\s*[\"']?//|@import", page.Text);
    }

    [Fact]
    public async Task EventsTellOfEachReactorAndOfRequestsThatRan()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        using Watcher watcher = await Watcher.StartAsync(server);
        Assert.Equal(HttpStatusCode.OK, watcher.Response.StatusCode);
        Assert.Equal("text/event-stream", watcher.Response.Content.Headers.ContentType!.ToString());
        Assert.True(watcher.Response.Headers.CacheControl!.NoStore);

        JsonNode first = await watcher.NextAsync();
        using (RawClient reader = await server.ConnectAsync())
        {
            Assert.Equal(200, (await reader.GetAsync("/ioxide")).Status);
        }

        for (int count = 0; count < 5; count++)
        {
            using RawClient client = await server.ConnectAsync();
            Assert.Equal("hello", (await client.GetAsync("/hello")).Text);
        }

        JsonNode later = await watcher.UntilAsync(static sample => sample["requests"]!.GetValue<long>() >= 5);

        Assert.Equal((TestKernel.Name, ""), (later["transport"]!.GetValue<string>(), later["reason"]!.GetValue<string>()));
        Assert.Equal(first["epoch"]!.GetValue<string>(), later["epoch"]!.GetValue<string>());
        Assert.True(later["timeMs"]!.GetValue<double>() > first["timeMs"]!.GetValue<double>());

        // The page does not count as a request, nor would its stream.
        Assert.Equal(5, later["requests"]!.GetValue<long>());
        JsonArray reactors = later["reactors"]!.AsArray();
        Assert.Equal(Enumerable.Range(0, TransportSetup.ReactorCount), reactors.Select(static reactor => reactor!["id"]!.GetValue<int>()));
        Assert.Equal(5, Sum(reactors, "requests"));
        Assert.True(Sum(reactors, "accepted") >= 6);
        Assert.True(Sum(reactors, "receivedBytes") > Sum(first["reactors"]!.AsArray(), "receivedBytes"));
        Assert.True(Sum(reactors, "busySeconds") > 0);
        Assert.True(Sum(reactors, "buffers") > 0);
    }

    /// <summary>An odd number of connections cannot be spread evenly over two reactors, so that figures of the wrong one differ.</summary>
    [Fact]
    public async Task EachReactorHasItsOwnFigures()
    {
        const int Count = 7;
        Assert.Equal(2, TransportSetup.ReactorCount);
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(map: static app =>
        {
            app.MapIoxideDashboard();
            app.MapGet("/where", static (HttpContext context) => context.Response.WriteAsync($"{Reactor.Current!.Id}")).RunOnReactor();
        }));
        using Watcher watcher = await Watcher.StartAsync(server);
        JsonArray before = (await watcher.NextAsync())["reactors"]!.AsArray();
        double[] expected = new double[TransportSetup.ReactorCount];
        List<RawClient> clients = [];
        try
        {
            for (int index = 0; index < Count; index++)
            {
                clients.Add(await server.ConnectAsync());
                expected[int.Parse((await clients[index].GetAsync("/where")).Text, CultureInfo.InvariantCulture)]++;
            }

            JsonArray later = (await watcher.UntilAsync(static sample => sample["requests"]!.GetValue<long>() == Count))["reactors"]!.AsArray();
            foreach (string figure in (string[])["requests", "connections", "accepted"])
            {
                Assert.Equal(expected, expected.Select((_, id) => later[id]![figure]!.GetValue<double>() - before[id]![figure]!.GetValue<double>()));
            }
        }
        finally
        {
            clients.ForEach(static client => client.Dispose());
        }
    }

    [Fact]
    public async Task WhatLibrariesMeasureIsToldAndNothingIsReadWhileNobodyWatches()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        Meter meter = server.Services.GetRequiredService<IMeterFactory>().Create("Ioxide.Probe");
        Meter foreign = server.Services.GetRequiredService<IMeterFactory>().Create("Other");
        Counter<long> counter = meter.CreateCounter<long>("counter", "{thing}", "Things.");
        Histogram<double> histogram = meter.CreateHistogram<double>("histogram", "s", "Times.");
        meter.CreateObservableUpDownCounter("level", static () => new Measurement<long>(7, new KeyValuePair<string, object?>("of", "a")), "By");
        Counter<long> other = foreign.CreateCounter<long>("counter");
        Assert.False(counter.Enabled);

        using (Watcher watcher = await Watcher.StartAsync(server))
        {
            await watcher.NextAsync();
            Assert.True(counter.Enabled);
            Assert.False(other.Enabled);
            counter.Add(3);
            histogram.Record(0.5);
            histogram.Record(0.25);
            JsonNode sample = await watcher.UntilAsync(static sample => sample["series"]!.AsArray().Any(
                static series => series!["kind"]!.GetValue<string>() == "histogram" && series["value"]!.GetValue<double>() == 2));

            Assert.Equal(
                ["counter ''=3 {thing} ", "histogram ''=2 s 0.75", "level 'a'=7 By "],
                sample["series"]!.AsArray().Select(static series => series!).Where(IsOfProbe).Select(static series =>
                    $"{series["kind"]} '{series["attributes"]}'={series["value"]} {series["unit"]} {series["sum"]}"));
            Assert.All(sample["series"]!.AsArray(), static series => Assert.True(
                IsOfProbe(series!) || series!["meter"]!.GetValue<string>() == PlacementMetrics.MeterName));
        }

        await Waits.Eventually(() => !counter.Enabled && !histogram.Enabled, 60.Seconds());
    }

    [Fact]
    public async Task MoreWatchersThanPlacesAreRefusedUntilOneLeaves()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        Watcher[] watchers = await Task.WhenAll(Enumerable.Range(0, Places).Select(_ => Watcher.StartAsync(server)));
        try
        {
            Assert.All(watchers, static watcher => Assert.Equal(HttpStatusCode.OK, watcher.Response.StatusCode));
            using (Watcher refused = await Watcher.StartAsync(server))
            {
                Assert.Equal(HttpStatusCode.ServiceUnavailable, refused.Response.StatusCode);
                Assert.Equal(5.Seconds(), refused.Response.Headers.RetryAfter!.Delta);
                Assert.Equal("All 16 places of the dashboard are taken. Close one of its pages.\n", await refused.ReadToEndAsync());
            }

            watchers[3].Dispose();
            await EventuallyAdmittedAsync(server).Within(60.Seconds());
            foreach (Watcher watcher in watchers.Where(static (_, index) => index != 3))
            {
                await watcher.NextAsync();
            }
        }
        finally
        {
            foreach (Watcher watcher in watchers)
            {
                watcher.Dispose();
            }
        }
    }

    [Fact]
    public async Task AStopEndsTheStreams()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of());
        using Watcher one = await Watcher.StartAsync(server);
        using Watcher two = await Watcher.StartAsync(server);
        await one.NextAsync();
        await two.NextAsync();

        await server.StopAsync();

        await one.ReadToEndAsync();
        await two.ReadToEndAsync();
    }

    [Fact]
    public async Task AStopIsNotHeldUpByAWatcherThatDoesNotRead()
    {
        int readings = 0;
        string large = new('x', 64 * 1024);
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(builder: static builder =>
        {
            builder.WebHost.ConfigureKestrel(static kestrel => kestrel.Limits.MinResponseDataRate = null);
            builder.Services.Configure<HostOptions>(static options => options.ShutdownTimeout = TimeSpan.FromMinutes(10));
        }));
        Meter meter = server.Services.GetRequiredService<IMeterFactory>().Create("Ioxide.Probe");
        meter.CreateObservableUpDownCounter("level", () =>
        {
            Interlocked.Increment(ref readings);
            return Enumerable.Range(0, 64).Select(index => new Measurement<long>(1, new KeyValuePair<string, object?>("of", $"{index}{large}")));
        });
        using RawClient client = await RawClient.ConnectAsync(server.EndPoint, receiveBufferBytes: 4096);
        await client.SendAsync(RawClient.Get("/ioxide/events"));

        // The first event is 4 MB; none of the later ones can have been begun.
        await Waits.Eventually(() => Volatile.Read(ref readings) >= 3, 60.Seconds());

        await server.StopAsync();
    }

    [Fact]
    public async Task WhatIsNotMappedIsNotThere()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(map: static _ => { }));
        using RawClient client = await server.ConnectAsync();

        Assert.Equal(404, (await client.GetAsync("/ioxide")).Status);
        Assert.Equal(404, (await client.GetAsync("/ioxide/events")).Status);
        Assert.Equal(200, (await client.GetAsync("/hello")).Status);
    }

    [Fact]
    public async Task ConventionsApplyToThePageAndToTheEvents()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(
            map: static app => app.MapIoxideDashboard("/admin/reactors").RequireAuthorization(),
            builder: static builder =>
            {
                builder.Services.AddAuthorization();
                builder.Services.AddAuthentication("Header").AddScheme<HeaderOptions, HeaderHandler>("Header", null);
            }));
        using RawClient client = await server.ConnectAsync();

        Assert.Equal(401, (await client.GetAsync("/admin/reactors")).Status);
        Assert.Equal(401, (await client.GetAsync("/admin/reactors/events")).Status);
        Assert.Equal(200, (await client.GetAsync("/admin/reactors", "X-User: operator\r\n")).Status);
        Assert.Equal(404, (await client.GetAsync("/ioxide")).Status);
    }

    [Fact]
    public async Task WithoutIoUringItSaysThatNobodyAskedForIt()
    {
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(TransportKind.Sockets));
        using Watcher watcher = await Watcher.StartAsync(server);

        JsonNode sample = await watcher.NextAsync();

        Assert.Equal("sockets", sample["transport"]!.GetValue<string>());
        Assert.Contains("UseIoxide()", sample["reason"]!.GetValue<string>(), StringComparison.Ordinal);
        Assert.Empty(sample["reactors"]!.AsArray());
    }

    [Theory]
    [InlineData("io_uring_setup", "epoll", 1)]
    [InlineData("eventfd2", "sockets", 0)]
    public async Task WhereRingsAreRefusedItSaysWhyAndWhatToDo(string call, string transport, int reactors)
    {
        await using HostProcess host = BlockedHost.Start("--refuse", call);
        using Watcher watcher = await Watcher.StartAsync(
            new HttpClient(new SocketsHttpHandler { UseProxy = false }) { BaseAddress = await host.ListeningAsync() });

        JsonNode sample = await watcher.NextAsync();

        Assert.Equal(transport, sample["transport"]!.GetValue<string>());
        Assert.Equal(reactors, sample["reactors"]!.AsArray().Count);
        Assert.Contains("seccomp profile", sample["reason"]!.GetValue<string>(), StringComparison.Ordinal);
    }

    private static async Task EventuallyAdmittedAsync(TestServer server)
    {
        HttpStatusCode status;
        do
        {
            using Watcher watcher = await Watcher.StartAsync(server);
            status = watcher.Response.StatusCode;
        }
        while (status == HttpStatusCode.ServiceUnavailable);
        Assert.Equal(HttpStatusCode.OK, status);
    }

    private static bool IsOfProbe(JsonNode series) => series["meter"]!.GetValue<string>() == "Ioxide.Probe";

    private static double Sum(JsonArray reactors, string name) => reactors.Sum(reactor => reactor![name]!.GetValue<double>());

    private static string HashOf(string page, string element)
    {
        int start = page.IndexOf($"<{element}>", StringComparison.Ordinal) + element.Length + 2;
        int end = page.IndexOf($"</{element}>", start, StringComparison.Ordinal);
        return Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(page[start..end])));
    }
}
