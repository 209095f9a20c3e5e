using System.Collections.Concurrent;
using System.IO.Pipelines;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// A handler that was moved to the pool stays there, finds its surroundings as on the reactor, and its end comes back to the reactor. Where
/// the sockets transport can do the same, it is the control.
/// </summary>
public class PoolRunTests
{
    private static readonly AsyncLocal<string?> s_surroundings = new();

    [Theory, OverTransports]
    public async Task FindsAsyncLocalsAndTheContext(TransportKind transport)
    {
        await using TestServer server = await TestServer.StartAsync(Learning.Of(
            static app =>
            {
                app.Use((context, next) =>
                {
                    s_surroundings.Value = context.Request.Query["of"];
                    context.Items["key"] = "item";
                    return next(context);
                });
                app.MapGet("/", async (HttpContext context, IHttpContextAccessor accessor) =>
                {
                    string before = $"{s_surroundings.Value} {ReferenceEquals(context, accessor.HttpContext)}";
                    await Task.Yield();
                    return $"{before} {s_surroundings.Value} {ReferenceEquals(context, accessor.HttpContext)} {context.Items["key"]}";
                }).RunOnThreadPool();
            },
            transport,
            static builder => builder.Services.AddHttpContextAccessor()));
        using RawClient client = await server.ConnectAsync();
        for (int request = 0; request < 5; request++)
        {
            Assert.Equal($"{request} True {request} True item", (await client.GetAsync($"/?of={request}")).Text);
        }
    }

    /// <remarks>Reads of the body's pipe, because only their awaits take the thread as it comes; those of its stream are tasks.</remarks>
    [Theory, AllValues]
    public async Task StaysOnThePoolBehindEachAwait(bool continuesOnContext)
    {
        int reads = 0;
        await using TestServer server = await TestServer.StartAsync(Learning.Of(app => app.MapPost("/", async context =>
        {
            var where = new List<string> { Learning.Where() };
            PipeReader body = context.Request.BodyReader;
            for (int read = 0; read < 3; read++)
            {
                ValueTask<ReadResult> next = body.ReadAsync();
                Interlocked.Increment(ref reads);
                ReadResult result = await next.ConfigureAwait(continuesOnContext);
                body.AdvanceTo(result.Buffer.End);
                where.Add(Learning.Where());
            }

            await context.Response.StartAsync().ConfigureAwait(continuesOnContext);
            where.Add(Learning.Where());
            await Task.Delay(1).ConfigureAwait(continuesOnContext);
            where.Add(Learning.Where());
            await context.Response.WriteAsync(string.Join(' ', where)).ConfigureAwait(continuesOnContext);
        }).RunOnThreadPool()));
        using RawClient client = await server.ConnectAsync();
        for (int request = 0; request < 3; request++)
        {
            await client.SendAsync("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n");
            for (int read = 1; read <= 3; read++)
            {
                int expected = (request * 3) + read;
                await Waits.Eventually(() => Volatile.Read(ref reads) == expected, 20.Seconds());
                await client.SendAsync("x");
            }

            Assert.Equal(string.Join(' ', Enumerable.Repeat(Learning.OnPool, 6)), (await client.ReadResponseAsync()).Text);
        }
    }

    [Fact]
    public async Task MiddlewareBehindItComesBackToTheReactor()
    {
        await using TestServer server = await TestServer.StartAsync(Learning.Of(app =>
        {
            app.Use(async (context, next) =>
            {
                string before = Learning.Where();
                await next(context);
                await context.Response.WriteAsync($"{before} {context.Items["where"]} {Learning.Where()}");
            });
            app.MapGet("/", static context =>
            {
                context.Items["where"] = Learning.Where();
                return Task.CompletedTask;
            }).RunOnThreadPool();
            app.MapGet("/after", Learning.SayWhereAsync).RunOnReactor();
        }));
        using RawClient client = await server.ConnectAsync();
        for (int request = 0; request < 3; request++)
        {
            Assert.Equal("reactor pool reactor", (await client.GetAsync("/")).Text);
        }
    }

    /// <remarks>The read begins on another thread than the reactor's; only then it matters where the handler runs.</remarks>
    [Fact]
    public async Task ReadsOfTheConnectionsNextRequestsResumeOnTheReactorAgain()
    {
        int reads = 0;
        await using TestServer server = await TestServer.StartAsync(Learning.Of(app =>
        {
            app.MapGet("/", Learning.SayWhereAsync).RunOnThreadPool();
            app.MapPost("/", async context =>
            {
                await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
                Task<string> reading = WhereAReadResumesAsync(context.Request.BodyReader);
                Interlocked.Increment(ref reads);
                await Handlers.TextAsync(context, await reading.ConfigureAwait(false)).ConfigureAwait(false);
            }).RunOnReactor();
        }));
        using RawClient client = await server.ConnectAsync();
        for (int request = 1; request <= 3; request++)
        {
            Assert.Equal(Learning.OnPool, (await client.GetAsync("/")).Text);
            await client.SendAsync("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n");
            int expected = request;
            await Waits.Eventually(() => Volatile.Read(ref reads) == expected, 20.Seconds());
            await client.SendAsync("x");
            Assert.Equal(Learning.OnReactor, (await client.ReadResponseAsync()).Text);
        }
    }

    /// <summary>Several, because one in which a stretch was excused proves nothing.</summary>
    [Fact]
    public async Task ARunIsAsSlowAsItsSlowestStretch()
    {
        const int SlowRuns = 10;
        bool sleeps = false;
        ConcurrentQueue<int> quickRuns = [];
        await using TestServer server = await TestServer.StartAsync(Learning.Of(app =>
        {
            app.Use(async (context, next) =>
            {
                await next(context);
                if (Volatile.Read(ref sleeps))
                {
                    quickRuns.Enqueue(Assert.Single(context.RequestServices.GetRequiredService<PlacementRegistry>().Endpoints).QuickRuns);
                }
            });
            app.MapGet("/", async (HttpContext context) =>
            {
                if (Volatile.Read(ref sleeps))
                {
                    // A host that is short of processors meanwhile excuses a stretch: sleep until one is noted, which takes back the quick runs.
                    Placement own = Assert.Single(context.RequestServices.GetRequiredService<PlacementRegistry>().Endpoints);
                    for (int stretch = 0; own.QuickRuns != 0; stretch++)
                    {
                        Assert.True(stretch < 200, "No slow stretch was noted.");
                        Thread.Sleep(20);
                        await Task.Yield();
                    }

                    for (int stretch = 0; stretch < 10; stretch++)
                    {
                        await Task.Yield();
                    }
                }
            });
        }));
        using RawClient client = await server.ConnectAsync();
        DateTime end = DateTime.UtcNow + 60.Seconds();
        for (int run = 1; run <= SlowRuns; run++)
        {
            Volatile.Write(ref sleeps, false);
            do
            {
                Assert.True(DateTime.UtcNow < end, "No run was quick.");
                await client.GetAsync("/");
            }
            while (Learning.Placement(server, "/").QuickRuns == 0);

            Volatile.Write(ref sleeps, true);
            Assert.Equal(200, (await client.GetAsync("/")).Status);
            await Waits.Eventually(() => quickRuns.Count == run, 20.Seconds());
        }

        Assert.All(quickRuns, static count => Assert.Equal(0, count));
    }

    [Theory, OverTransports("sync", "async", "canceled")]
    public async Task ExceptionsReachTheMiddlewareInFront(TransportKind transport, string kind)
    {
        await using TestServer server = await TestServer.StartAsync(Learning.Of(
            app =>
            {
                app.UseExceptionHandler(failed => failed.Run(static context => Handlers.TextAsync(
                    context, context.Features.Get<IExceptionHandlerFeature>()!.Error.Message)));
                app.MapGet("/", async context =>
                {
                    if (kind != "sync")
                    {
                        await Task.Yield();
                    }

                    throw kind == "canceled" ? new OperationCanceledException(kind) : new InvalidOperationException(kind);
                });
                app.MapGet("/thrown", _ => throw new InvalidOperationException("thrown"));
                app.MapGet("/null", (RequestDelegate)(static _ => null!)); // As a handler of an application without nullable types may.
            },
            transport,
            static builder => builder.Services.AddLogging(),
            expectsErrors: true));
        using RawClient client = await server.ConnectAsync();

        RawResponse failed = await client.GetAsync("/");
        Assert.Equal((500, kind), (failed.Status, failed.Text));
        failed = await client.GetAsync("/thrown");
        Assert.Equal((500, "thrown"), (failed.Status, failed.Text));
        Assert.Equal(500, (await client.GetAsync("/null")).Status);
    }

    [Theory, OverTransports]
    public async Task AClientThatLeavesCancels(TransportKind transport)
    {
        TaskCompletionSource entered = Waits.Signal();
        TaskCompletionSource canceled = Waits.Signal();
        await using TestServer server = await TestServer.StartAsync(Learning.Of(
            app => app.MapGet("/", async context =>
            {
                entered.SetResult();
                try
                {
                    await Task.Delay(Timeout.Infinite, context.RequestAborted);
                }
                catch (OperationCanceledException)
                {
                    canceled.SetResult();
                    throw;
                }
            }),
            transport));
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/"));
        await entered.Task.Within(20.Seconds());

        client.Finish();

        await canceled.Task.Within(20.Seconds());
    }

    [Theory, OverTransports(0, 4097, 3_000_000)]
    public async Task BodiesAreEchoed(TransportKind transport, int lengthBytes)
    {
        await using TestServer server = await TestServer.StartAsync(Learning.Of(
            static app => app.MapPost("/", Handlers.EchoAsync).RunOnThreadPool(), transport));
        using HttpClient client = server.CreateClient();
        byte[] sent = Payload.Of(lengthBytes);
        for (int request = 0; request < 3; request++)
        {
            using HttpResponseMessage response = await client.PostAsync(new Uri("/", UriKind.Relative), new ByteArrayContent(sent));
            Payload.AssertSame(sent, await response.Content.ReadAsByteArrayAsync());
        }
    }

    [Fact]
    public async Task PipelinedRequestsOfBothKindsAreAnsweredInTheirOrder()
    {
        await using TestServer server = await TestServer.StartAsync(Learning.Of(app =>
        {
            app.MapGet("/pool/{id}", Handlers.PathAsync).RunOnThreadPool();
            app.MapGet("/proving/{id}", Handlers.PathAsync);
            app.MapGet("/reactor/{id}", Handlers.PathAsync).RunOnReactor();
        }));
        using RawClient client = await server.ConnectAsync();
        string[] kinds = ["pool", "proving", "reactor"];
        string[] paths = [.. Enumerable.Range(0, 300).Select(index => $"/{kinds[index % kinds.Length]}/{index}")];
        var requests = new StringBuilder();
        foreach (string path in paths)
        {
            requests.Append(RawClient.Get(path));
        }

        await client.SendAsync(requests.ToString());
        foreach (string path in paths)
        {
            Assert.Equal(path, (await client.ReadResponseAsync()).Text);
        }
    }

    /// <summary>When it returns its task, the read waits.</summary>
    private static async Task<string> WhereAReadResumesAsync(PipeReader body)
    {
        ReadResult result = await body.ReadAsync().ConfigureAwait(false);
        string where = Learning.Where();
        body.AdvanceTo(result.Buffer.End);
        return where;
    }
}
