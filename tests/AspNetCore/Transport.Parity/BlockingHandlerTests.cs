using System.Collections.Concurrent;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore.Tests;

/// <summary>An application that blocks its threads gets the same answers on either transport, and other requests are served meanwhile.</summary>
public class BlockingHandlerTests
{
    private const int AtOnce = 24;

    /// <summary>How a handler blocks.</summary>
    public enum Block
    {
        Result,
        GetResult,
        LockAroundResult,
        SemaphoreAroundResult,
        RequestToItself,
        Join,
        ResultAfterAwait,
        ResultAfterConfigureAwait,
    }

    [Theory]
    [OverTransports(
        Block.Result, Block.GetResult, Block.LockAroundResult, Block.SemaphoreAroundResult, Block.RequestToItself, Block.Join,
        Block.ResultAfterAwait, Block.ResultAfterConfigureAwait)]
    public async Task EveryHandlerThatBlocksIsAnswered(TransportKind transport, Block block)
    {
        using PoolThreads threads = new(2 * AtOnce);
        using Blocking blocking = new();
        await using TestServer server = await TestServer.StartAsync(transport, context => blocking.RunAsync(context, block));
        blocking.Client = server.CreateClient();
        using HttpClient client = server.CreateClient();
        string[] answers = await Task.WhenAll(Enumerable.Range(0, AtOnce).Select(
            i => client.GetStringAsync(new Uri($"/{i}", UriKind.Relative)))).Within(60.Seconds());

        Assert.Equal(Enumerable.Range(0, AtOnce).Select(i => $"/{i}"), answers);
        Assert.Equal(0, blocking.Breaches);
    }

    /// <summary>The writer keeps its own thread until every viewer has the event: nobody's wake-up may wait for the end of its turn.</summary>
    [Theory, OverTransports]
    public async Task ViewersOfOtherThreadsGetAnEventWhileTheHandlerThatWroteItComputes(TransportKind transport)
    {
        const int ViewerCount = 8;
        ConcurrentDictionary<int, (HttpContext Context, Reactor? Reactor)> viewers = new();
        TaskCompletionSource end = Waits.Signal();
        int written = 0;
        int seen = 0;
        bool computedInVain = false;
        await using TestServer server = await TestServer.StartAsync(new(transport)
        {
            Ioxide = static options => options.ReactorCount = 2,
            Builder = static builder => builder.Services.AddRouting(),
            Map = app =>
            {
                app.MapGet("/viewer/{id}", async (HttpContext context, int id) =>
                {
                    await context.Response.Body.FlushAsync();
                    viewers[id] = (context, Reactor.Current);
                    await end.Task;
                }).RunOnReactor();
                app.MapGet("/writer", (HttpContext context) =>
                {
                    var own = Reactor.Current;
                    var others = viewers.Values.Where(viewer => own is null || viewer.Reactor != own).ToList();
                    Volatile.Write(ref written, others.Count);
                    foreach ((HttpContext viewer, _) in others)
                    {
                        _ = viewer.Response.WriteAsync("data: 1\n\n");
                    }

                    DateTime limit = DateTime.UtcNow + 20.Seconds();
                    while (Volatile.Read(ref seen) < others.Count && !computedInVain)
                    {
                        computedInVain = DateTime.UtcNow > limit;
                    }

                    return Task.CompletedTask;
                }).RunOnReactor();
            },
        });
        using HttpClient client = server.CreateClient();
        List<Task> reading = [];
        for (int id = 0; id < ViewerCount; id++)
        {
            HttpResponseMessage response = await client.GetAsync(new Uri($"/viewer/{id}", UriKind.Relative), HttpCompletionOption.ResponseHeadersRead);
            Stream body = await response.Content.ReadAsStreamAsync();
            reading.Add(Task.Run(async () =>
            {
                if (await body.ReadAsync(new byte[100]) > 0)
                {
                    Interlocked.Increment(ref seen);
                }
            }));
        }

        await Waits.Eventually(() => viewers.Count == ViewerCount, 20.Seconds());
        await client.GetStringAsync(new Uri("/writer", UriKind.Relative)).Within(60.Seconds());
        end.SetResult();
        await Task.WhenAll(reading).Within(20.Seconds());

        Assert.NotEqual(0, written);
        Assert.False(computedInVain, "Viewers got the event only when the handler that wrote it had ended.");
    }

    [Theory, OverTransports]
    public async Task ABodyThatIsWrittenSynchronouslyArrivesWhole(TransportKind transport, EndPointKind endPoint)
    {
        byte[] piece = Payload.Of(1000);
        await using TestServer server = await TestServer.StartAsync(new(transport, endPoint)
        {
            Kestrel = options => options.AllowSynchronousIO = true,
            Handler = context =>
            {
                for (int i = 0; i < 2000; i++)
                {
                    context.Response.Body.Write(piece);
                }

                return Task.CompletedTask;
            },
        });
        using HttpClient client = server.CreateClient();
        byte[][] answers = await Task.WhenAll(Enumerable.Range(0, 4).Select(
            _ => client.GetByteArrayAsync(new Uri("/", UriKind.Relative)))).Within(60.Seconds());

        byte[] expected = [.. Enumerable.Repeat(piece, 2000).SelectMany(bytes => bytes)];
        Assert.All(answers, answer => Payload.AssertSame(expected, answer));
    }

    [Theory, OverTransports]
    public async Task ABodyThatIsReadSynchronouslyIsReadWhole(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(new(transport, endPoint)
        {
            Kestrel = options => options.AllowSynchronousIO = true,
            Handler = context =>
            {
                using StreamReader reader = new(context.Request.Body, Encoding.Latin1);
                byte[] echo = Encoding.Latin1.GetBytes(reader.ReadToEnd());
                context.Response.ContentLength = echo.Length;
                context.Response.Body.Write(echo);
                return Task.CompletedTask;
            },
        });
        byte[] sent = Payload.Of(3_000_000);
        using HttpClient client = server.CreateClient();
        using ByteArrayContent content = new(sent);
        using HttpResponseMessage response = await client.PostAsync(new Uri("/", UriKind.Relative), content).Within(60.Seconds());

        Payload.AssertSame(sent, await response.Content.ReadAsByteArrayAsync());
    }

    [Theory, OverTransports]
    public async Task OthersAreAnsweredWhileHandlersBlock(TransportKind transport)
    {
        using ManualResetEventSlim release = new();
        await using TestServer server = await TestServer.StartAsync(transport, async context =>
        {
            if (context.Request.Path == "/block")
            {
                release.Wait(60.Seconds());
            }

            await Handlers.PathAsync(context);
        });
        using RawClient blocked = await server.ConnectAsync();
        await blocked.SendAsync(RawClient.Get("/block"));
        for (int i = 0; i < 20; i++)
        {
            using RawClient other = await server.ConnectAsync();
            Assert.Equal($"/{i}", (await other.GetAsync($"/{i}")).Text);
            Assert.Equal($"/{i}/again", (await other.GetAsync($"/{i}/again")).Text);
        }

        release.Set();
        Assert.Equal("/block", (await blocked.ReadResponseAsync()).Text);
        Assert.Equal("/after", (await blocked.GetAsync("/after")).Text);
    }

    [Theory, OverTransports]
    public async Task TheClientsEndIsSeenByAHandlerThatBlocks(TransportKind transport)
    {
        TaskCompletionSource<bool> ended = Waits.Signal<bool>();
        TaskCompletionSource entered = Waits.Signal();
        await using TestServer server = await TestServer.StartAsync(transport, context =>
        {
            entered.SetResult();
            ended.SetResult(context.RequestAborted.WaitHandle.WaitOne(60.Seconds()));
            return Task.CompletedTask;
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/"));
        await entered.Task.Within(20.Seconds());
        client.Dispose();

        Assert.True(await ended.Task.Within(60.Seconds()));
    }

    /// <summary>Beside the blocked handler, and behind it on connections that began meanwhile.</summary>
    [Theory, OverTransports]
    public async Task AHandlerThatWasMovedHasItsContextAndItsLocals(TransportKind transport)
    {
        AsyncLocal<string> local = new();
        using ManualResetEventSlim release = new();
        await using TestServer server = await TestServer.StartAsync(transport, async context =>
        {
            string? before = local.Value;
            local.Value = context.Request.Path;
            if (context.Request.Path == "/block")
            {
                release.Wait(60.Seconds());
                return;
            }

            await Task.Delay(1);
            using StreamReader reader = new(context.Request.Body);
            string body = await reader.ReadToEndAsync();
            await Handlers.TextAsync(context, $"{before}{local.Value} {context.Request.Headers["X-Name"]} {body}");
        });
        using RawClient blocked = await server.ConnectAsync();
        await blocked.SendAsync(RawClient.Get("/block"));
        using HttpClient client = server.CreateClient();
        await AssertAnswersAsync();
        release.Set();
        _ = await blocked.ReadResponseAsync();
        await AssertAnswersAsync();

        async Task AssertAnswersAsync()
        {
            string[] answers = await Task.WhenAll(Enumerable.Range(0, AtOnce).Select(async i =>
            {
                using HttpRequestMessage request = new(HttpMethod.Post, $"/{i}") { Content = new StringContent(new string('b', i * 1000)) };
                request.Headers.Add("X-Name", $"n{i}");
                using HttpResponseMessage response = await client.SendAsync(request);
                return await response.Content.ReadAsStringAsync();
            })).Within(60.Seconds());
            Assert.Equal(Enumerable.Range(0, AtOnce).Select(i => $"/{i} n{i} {new string('b', i * 1000)}"), answers);
        }
    }

    [Theory, OverTransports]
    public async Task AStopEndsUnderAHandlerThatBlocksForEver(TransportKind transport)
    {
        using ManualResetEvent never = new(false);
        TaskCompletionSource entered = Waits.Signal();
        TestServer server = await TestServer.StartAsync(new(transport)
        {
            ExpectsErrors = true,
            Handler = context =>
            {
                entered.SetResult();
                never.WaitOne();
                return Task.CompletedTask;
            },
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/"));
        await entered.Task.Within(20.Seconds());

        using CancellationTokenSource hurry = new(500.Milliseconds());
        await server.StopAsync(hurry.Token).Within(60.Seconds());
        Task disposed = server.DisposeAsync().AsTask();
        if (transport == TransportKind.Ioxide)
        {
            await disposed.Within(60.Seconds());
        }

        never.Set();
        await disposed.Within(60.Seconds());
    }

    [Theory, OverTransports]
    public async Task AHandlerMayBlockInDisposeAndInACallbackOfItsResponse(TransportKind transport)
    {
        await using TestServer server = await TestServer.StartAsync(transport, async context =>
        {
            context.Response.OnStarting(() =>
            {
                Task.Delay(5).Wait();
                return Task.CompletedTask;
            });
            context.Response.RegisterForDispose(new BlocksInDispose());
            context.Response.OnCompleted(() =>
            {
                Task.Delay(5).Wait();
                return Task.CompletedTask;
            });
            await Handlers.PathAsync(context);
        });
        using HttpClient client = server.CreateClient();
        string[] answers = await Task.WhenAll(Enumerable.Range(0, AtOnce).Select(
            i => client.GetStringAsync(new Uri($"/{i}", UriKind.Relative)))).Within(60.Seconds());

        Assert.Equal(Enumerable.Range(0, AtOnce).Select(i => $"/{i}"), answers);
    }

    private sealed class BlocksInDispose : IDisposable
    {
        public void Dispose() => Task.Delay(5).Wait();
    }

    private sealed class Blocking : IDisposable
    {
        private readonly object _lock = new();
        private readonly SemaphoreSlim _semaphore = new(1);
        private int _inside;
        private int _breaches;

        internal HttpClient Client { get; set; } = null!; // Set before the first request.

        public void Dispose()
        {
            Client.Dispose();
            _semaphore.Dispose();
        }

        /// <summary>Times that two handlers were inside one lock.</summary>
        internal int Breaches => Volatile.Read(ref _breaches);

        internal async Task RunAsync(HttpContext context, Block block)
        {
            string text = context.Request.Path;
            switch (block)
            {
                case Block.Result:
                    text = HelperAsync(text).Result;
                    break;
                case Block.GetResult:
                    text = HelperAsync(text).GetAwaiter().GetResult();
                    break;
                case Block.LockAroundResult:
                    lock (_lock)
                    {
                        text = Inside(text);
                    }

                    break;
                case Block.SemaphoreAroundResult:
                    _semaphore.Wait();
                    text = Inside(text);
                    _semaphore.Release();
                    break;
                case Block.RequestToItself when !text.StartsWith("/inner", StringComparison.Ordinal):
                    text = Client.GetStringAsync(new Uri($"/inner{text}", UriKind.Relative)).Result["/inner".Length..];
                    break;
                case Block.Join:
                    Thread thread = new(() => text = HelperAsync(text).Result);
                    thread.Start();
                    thread.Join();
                    break;
                case Block.ResultAfterAwait:
                    await Task.Delay(1);
                    text = HelperAsync(text).Result;
                    break;
                case Block.ResultAfterConfigureAwait:
                    await Task.Delay(1).ConfigureAwait(false);
                    text = HelperAsync(text).Result;
                    break;
                default:
                    break;
            }

            await Handlers.TextAsync(context, text);
        }

        private string Inside(string text)
        {
            if (Interlocked.Increment(ref _inside) != 1)
            {
                Interlocked.Increment(ref _breaches);
            }

            string result = HelperAsync(text).Result;
            Interlocked.Decrement(ref _inside);
            return result;
        }

        /// <summary>Comes back to the context that it was called in.</summary>
        private static async Task<string> HelperAsync(string text)
        {
            await Task.Delay(5);
            return text;
        }
    }
}
