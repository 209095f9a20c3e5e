using System.Collections.Concurrent;
using System.IO.Pipelines;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;

namespace Ioxide.Http2.Tests;

/// <summary>How handlers read bodies: what has come before they begin, what they wait for, and how a wait ends.</summary>
public class BodyReadTests
{
    [Fact]
    public async Task ABodyThatComesWithItsHeadIsThereWhenItsHandlerBegins()
    {
        await using Http2Host host = await Http2Host.StartAsync(static context =>
        {
            bool isThere = context.Request.BodyReader.TryRead(out ReadResult read);
            return context.Response.WriteAsync($"{isThere} {read.IsCompleted} {read.Buffer.Length}");
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(
            (byte[])
            [
                .. FrameClient.Request(1, ends: false, method: "POST"), .. FrameClient.Request(3, ends: false, method: "POST"),
                .. FrameClient.Data(3, "another"u8), .. FrameClient.Data(1, "one"u8, ends: true), .. FrameClient.Data(3, "!"u8, ends: true),
            ]);
        Assert.Equal("True True 3", Text(await client.ReadStreamAsync(1)));
        Assert.Equal("True True 8", Text(await client.ReadStreamAsync(3)));
    }

    /// <summary>As gRPC clients write many calls at once: all fields come before the bodies, and the receive buffers end anywhere.</summary>
    [Fact]
    public async Task BodiesInLaterReceiveBuffersOfTheSameTurnAreThereWhenTheirHandlersBegin()
    {
        int[] ids = [.. Enumerable.Range(0, 90).Select(static index => (2 * index) + 1)];
        byte[] body = new byte[100];
        await using Http2Host host = await Http2Host.StartAsync(static context =>
        {
            bool isThere = context.Request.BodyReader.TryRead(out ReadResult read);
            return context.Response.WriteAsync($"{isThere} {read.IsCompleted} {read.Buffer.Length}");
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(
            (byte[])
            [
                .. ids.SelectMany(static id => FrameClient.Request(id, ends: false, method: "POST", others: ("x-filler", new string('f', 60)))),
                .. ids.SelectMany(id => FrameClient.Data(id, body, ends: true)),
            ]);
        foreach (int id in ids)
        {
            Assert.Equal("True True 100", Text(await client.ReadStreamAsync(id)));
        }
    }

    [Fact]
    public async Task ARequestThatIsResetBeforeItsHandlerBeginsIsLeftOut()
    {
        ConcurrentQueue<string> served = new();
        await using Http2Host host = await Http2Host.StartAsync(context =>
        {
            served.Enqueue(context.Request.Path);
            return Task.CompletedTask;
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(
            (byte[])
            [
                .. FrameClient.Request(1, "/left", ends: false, method: "POST"), .. FrameClient.Data(1, "part"u8),
                .. FrameClient.Number(Http2FrameType.RstStream, 1, 8), .. FrameClient.Request(3, "/served"),
            ]);
        _ = await client.ReadStreamAsync(3);
        _ = await client.AskAsync(FrameClient.Request(5, "/next"));
        Assert.Equal(["/served", "/next"], served);
    }

    /// <summary>Reads of the stream and of the pipe in turn, of drawn sizes, while frames of drawn sizes come.</summary>
    [Theory, Each(1, 2, 3)]
    public async Task EachByteIsReadOnceAndInOrder(int seed)
    {
        byte[] body = RandomNumberGenerator.GetBytes(200_000);
        await using Http2Host host = await Http2Host.StartAsync(async context =>
        {
            Random random = new(seed);
            using MemoryStream read = new();
            byte[] buffer = new byte[40_000];
            while (true)
            {
                if (random.Next(3) == 0)
                {
                    ReadResult result = await context.Request.BodyReader.ReadAsync();
                    foreach (ReadOnlyMemory<byte> piece in result.Buffer.Slice(0, result.Buffer.Length / 2))
                    {
                        read.Write(piece.Span);
                    }

                    context.Request.BodyReader.AdvanceTo(result.Buffer.GetPosition(result.Buffer.Length / 2));
                }
                else if (await context.Request.Body.ReadAsync(buffer.AsMemory(0, random.Next(1, buffer.Length))) is var count and > 0)
                {
                    read.Write(buffer, 0, count);
                }
                else
                {
                    break;
                }
            }

            await context.Response.WriteAsync(Convert.ToHexString(SHA256.HashData(read.ToArray())));
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        Random sizes = new(seed);
        for (int start = 0; start < body.Length;)
        {
            int count = Math.Min(sizes.Next(1, 16_384), body.Length - start);
            await client.SendAsync(FrameClient.Data(1, body.AsSpan(start, count), ends: start + count == body.Length));
            start += count;
        }

        Assert.Equal(Convert.ToHexString(SHA256.HashData(body)), Text(await client.ReadStreamAsync(1)));
    }

    [Fact]
    public async Task ACancelledReadLosesNoByte()
    {
        TaskCompletionSource cancelled = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(async context =>
        {
            using CancellationTokenSource source = new();
            byte[] lost = new byte[10];
            ValueTask<int> read = context.Request.Body.ReadAsync(lost, source.Token);
            source.Cancel();
            OperationCanceledException error = await Assert.ThrowsAsync<OperationCanceledException>(async () => await read);
            Assert.Equal(source.Token, error.CancellationToken);
            cancelled.SetResult();
            await context.Request.Body.CopyToAsync(context.Response.Body);
            Assert.Equal(new byte[10], lost);
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        await cancelled.Task.Within(30.Seconds());
        await client.SendAsync(FrameClient.Data(1, "all of it"u8, ends: true));
        Assert.Equal("all of it", Text(await client.ReadStreamAsync(1)));
    }

    [Fact]
    public async Task AResetEndsAReadThatWaits()
    {
        TaskCompletionSource begun = Waits.Signal();
        TaskCompletionSource<Exception> failure = Waits.Signal<Exception>();
        await using Http2Host host = await Http2Host.StartAsync(async context =>
        {
            ValueTask<int> read = context.Request.Body.ReadAsync(new byte[10]);
            begun.SetResult();
            failure.SetResult(await Assert.ThrowsAnyAsync<Exception>(async () => await read));
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        await begun.Task.Within(30.Seconds());
        await client.SendAsync(FrameClient.Number(Http2FrameType.RstStream, 1, 8));
        Assert.IsType<IOException>(await failure.Task.Within(30.Seconds()));
    }

    /// <summary>By what is inside, an application tells a lost client from a stream that the client gave up.</summary>
    [Theory, AllValues]
    public async Task AReadThatWaitsSaysThatTheConnectionIsLost(bool isEngine, bool isReset)
    {
        TaskCompletionSource begun = Waits.Signal();
        TaskCompletionSource<Exception> failure = Waits.Signal<Exception>();
        await using Http2Host host = await Http2Host.StartAsync(
            isEngine,
            async context =>
            {
                ValueTask<int> read = context.Request.Body.ReadAsync(new byte[10]);
                begun.SetResult();
                failure.SetResult(await Assert.ThrowsAnyAsync<Exception>(async () => await read));
            });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        await begun.Task.Within(30.Seconds());
        if (isReset)
        {
            client.Socket.Reset();
        }
        else
        {
            client.Socket.Shutdown(SocketShutdown.Send);
        }

        Exception error = Assert.IsType<IOException>(await failure.Task.Within(30.Seconds()));
        Exception inner = Assert.IsType<ConnectionAbortedException>(error.InnerException);
        Assert.Equal(isReset, inner.InnerException is ConnectionResetException);
    }

    [Fact]
    public async Task AWaitingReadMeetsTheLimitOfTheBody()
    {
        TaskCompletionSource begun = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(async context =>
        {
            context.Features.Get<IHttpMaxRequestBodySizeFeature>()!.MaxRequestBodySize = 5;
            ValueTask<int> read = context.Request.Body.ReadAsync(new byte[10]);
            begun.SetResult();
            BadHttpRequestException error = await Assert.ThrowsAsync<BadHttpRequestException>(async () => await read);
            context.Response.StatusCode = error.StatusCode;
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        await begun.Task.Within(30.Seconds());
        await client.SendAsync(FrameClient.Data(1, new byte[6]));
        Assert.Equal("413", (await client.ReadStreamAsync(1))[0][":status"]);
    }

    /// <summary>A read that a handler has left behind fails, and takes nothing of later requests.</summary>
    [Theory, AllValues]
    public async Task AReadThatItsHandlerLeavesBehindEndsWithTheRequest(bool isStream)
    {
        TaskCompletionSource<Task> left = Waits.Signal<Task>();
        await using Http2Host host = await Http2Host.StartAsync(context =>
        {
            if (context.Request.Path != "/left")
            {
                return context.Request.Body.CopyToAsync(context.Response.Body);
            }

            left.SetResult(isStream ? context.Request.Body.ReadAsync(new byte[10]).AsTask() : context.Request.BodyReader.ReadAsync().AsTask());
            return context.Response.WriteAsync("early");
        });
        using FrameClient client = await host.ConnectAsync();
        Assert.Equal("early", Text(await client.AskAsync(FrameClient.Request(1, "/left", ends: false, method: "POST"))));
        Assert.NotNull(await (await left.Task.Within(30.Seconds())).ErrorWithin(30.Seconds()));
        for (int stream = 3; stream < 23; stream += 2)
        {
            await client.SendAsync(FrameClient.Request(stream, ends: false, method: "POST"));
            await client.SendAsync(FrameClient.Data(stream, Encoding.ASCII.GetBytes($"body {stream}"), ends: true));
            Assert.Equal($"body {stream}", Text(await client.ReadStreamAsync(stream)));
        }
    }

    /// <summary>Library code that reads without its context is resumed on the pool where its handler runs there: it may block.</summary>
    [Theory, AllValues]
    public async Task AReadOfTheThreadPoolIsResumedThere(bool isStream)
    {
        TaskCompletionSource begun = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Map = app =>
            {
                app.UseRouting();
                app.MapPost("/", async (HttpContext context) =>
                {
                    Task read = isStream
                        ? context.Request.Body.ReadAsync(new byte[10]).AsTask()
                        : context.Request.BodyReader.ReadAsync().AsTask();
                    Task<bool> resumed = read.ContinueWith(
                        static _ => Thread.CurrentThread.IsThreadPoolThread,
                        CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
                    begun.SetResult();
                    await context.Response.WriteAsync($"{await resumed}");
                }).RunOnThreadPool();
            },
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        await begun.Task.Within(30.Seconds());
        await client.SendAsync(FrameClient.Data(1, "x"u8, ends: true));
        Assert.Equal("True", Text(await client.ReadStreamAsync(1)));
    }

    /// <summary>Handlers tell an aborted wait from a failure by these types; what reads later is told that the request is aborted.</summary>
    [Theory, AllValues]
    public async Task AReadThatWaitsWhenItsHandlerAbortsIsCanceled(bool isEngine, bool isStream)
    {
        TaskCompletionSource<(Exception First, Exception Second)> seen = new(TaskCreationOptions.RunContinuationsAsynchronously);
        await using Http2Host host = await Http2Host.StartAsync(isEngine, async context =>
        {
            Task Read() => isStream ? context.Request.Body.ReadAsync(new byte[10]).AsTask() : context.Request.BodyReader.ReadAsync().AsTask();
            Task read = Read();
            context.Abort();
            seen.SetResult(((await Record.ExceptionAsync(() => read))!, (await Record.ExceptionAsync(Read))!));
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        (Exception first, Exception second) = await seen.Task.Within(30.Seconds());
        Assert.IsType<TaskCanceledException>(first);
        Assert.IsType<ConnectionAbortedException>(first.InnerException);
        Assert.Equal("The connection was aborted by the application.", Assert.IsType<ConnectionAbortedException>(second).Message);
    }

    [Theory, AllValues]
    public async Task ABodyThatAHandlerLeavesUnreadIsLoggedAsKestrelLogsIt(bool isEngine, bool isWhole)
    {
        await using Http2Host host = await Http2Host.StartAsync(isEngine, static context => context.Response.WriteAsync("early"));
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync((byte[])[.. FrameClient.Request(1, ends: false, method: "POST"), .. FrameClient.Data(1, "x"u8, ends: isWhole)]);
        await client.ReadStreamAsync(1);
        client.Dispose();
        await host.StopAsync();
        LogLine[] lines = [.. host.Logs.Where(static line => line.Event.Id == 32)];
        Assert.Equal(isWhole ? 0 : 1, lines.Length);
        Assert.All(lines, static line => Assert.Equal((LogLevel.Information, Http2Log.KestrelCategory), (line.Level, line.Category[..Http2Log.KestrelCategory.Length])));
        Assert.All(lines, static line => Assert.EndsWith("the application completed without reading the entire request body.", line.Message));
    }

    /// <summary>A burst needs many stream objects. A connection without requests keeps none of them.</summary>
    [Fact]
    public async Task AnIdleConnectionKeepsNoStreamObjects()
    {
        const int Count = 20;
        ConcurrentQueue<Http2Connection> connections = new();
        TaskCompletionSource all = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(context =>
        {
            connections.Enqueue(((HttpExchange)context.Features.Get<IHttpRequestLifetimeFeature>()!).Connection);
            if (connections.Count == Count)
            {
                all.SetResult();
            }

            return all.Task;
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(Enumerable.Range(0, Count).SelectMany(static index => FrameClient.Request((index * 2) + 1)).ToArray());
        for (int ended = 0; ended < Count;)
        {
            ended += (await client.ReadAsync())!.EndsStream ? 1 : 0;
        }

        Http2Connection connection = Assert.Single(connections.Distinct());
        await Waits.Eventually(() => connection.Pool.Count == 0, 30.Seconds());
    }

    private static string Text(IEnumerable<Frame> frames)
        => Encoding.UTF8.GetString(frames.Where(static frame => frame.Type == Http2FrameType.Data).SelectMany(static frame => frame.Payload).ToArray());
}
