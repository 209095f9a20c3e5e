using System.Security.Cryptography.X509Certificates;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Ioxide.Http2.Tests;

/// <summary>Where handlers run, what a blocked one holds up, and how connections end.</summary>
/// <remarks>Takes up to 11 s: a PING follows a second of silence, three times.</remarks>
public class LifeTests
{
    /// <summary>A connection that begins while the handler of another one blocks is the reactor's too: a handler of its own stops none of its frames.</summary>
    [Fact]
    public async Task AConnectionThatBeginsWhileAHandlerBlocksIsServedAndEnded()
    {
        TaskCompletionSource blocks = Waits.Signal();
        using ManualResetEventSlim release = new();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            ExpectsErrors = true,
            Transport = static options => options.ApplicationScheduling = ApplicationScheduling.Inline,
            Kestrel = static kestrel => kestrel.AllowSynchronousIO = true,
            Handler = context =>
            {
                if (context.Request.Path == "/block")
                {
                    blocks.SetResult();
                    release.Wait();
                }
                else
                {
                    // More than the client's window, and than what a response may hold.
                    context.Response.Body.Write(new byte[200_000]);
                }

                return Task.CompletedTask;
            },
        });
        using FrameClient first = await host.ConnectAsync();
        await first.SendAsync(FrameClient.Request(1, "/block"));
        await blocks.Task.Within(30.Seconds());
        using (FrameClient second = await host.ConnectAsync((4, 10u)))
        {
            await second.SendAsync(FrameClient.Request(1));
            Assert.Equal("200", (await second.ReadAsync())?[":status"]);
            Assert.Equal(10, (await second.ReadAsync())?.Payload.Length);
            second.Socket.Shutdown(System.Net.Sockets.SocketShutdown.Send);
            _ = await second.ReadGoAwayAsync();
        }

        release.Set();
        Assert.Equal("200", (await first.ReadStreamAsync(1))[0][":status"]);
    }

    /// <summary>The call's own context is not the reactor's: whoever set another one, or none, does not see the wait.</summary>
    [Theory]
    [InlineData("read")]
    [InlineData("write")]
    [InlineData("flush")]
    public async Task ABlockingCallOfABodyKeepsItsReactorTurningUnderAnyContext(string call)
    {
        const int LengthBytes = 200_000;
        TaskCompletionSource blocks = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Transport = static options => options.ApplicationScheduling = ApplicationScheduling.Inline,
            Kestrel = static kestrel => kestrel.AllowSynchronousIO = true,
            Handler = context =>
            {
                SynchronizationContext.SetSynchronizationContext(null);
                blocks.SetResult();
                switch (call)
                {
                    case "read":
                        Assert.Equal(1, context.Request.Body.Read(new byte[1], 0, 1));
                        break;
                    case "write":
                        context.Response.Body.Write(new byte[LengthBytes], 0, LengthBytes);
                        break;
                    case "flush":
                        context.Response.BodyWriter.GetMemory(LengthBytes);
                        context.Response.BodyWriter.Advance(LengthBytes);
                        context.Response.Body.Flush();
                        break;
                }

                return Task.CompletedTask;
            },
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        await blocks.Task.Within(30.Seconds());
        await client.SendAsync(FrameClient.Data(1, new byte[1], ends: true));
        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 1, LengthBytes));
        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 0, LengthBytes));
        List<Frame> answer = await client.ReadStreamAsync(1).Within(30.Seconds());

        Assert.Equal("200", answer[0][":status"]);
        Assert.Equal(call == "read" ? 0 : LengthBytes, answer.Skip(1).Sum(static frame => frame.Payload.Length));
    }

    [Fact]
    public async Task HandlersRunOnTheReactor()
    {
        await using Http2Host host = await Http2Host.StartAsync(static context => context.Response.WriteAsync($"{Reactor.Current}"));
        using FrameClient client = await host.ConnectAsync();
        Assert.Equal("Reactor 0", AnswerTests.Text(await client.AskAsync(FrameClient.Request(1))));
    }

    [Fact]
    public async Task HandlersRunOnTheThreadPoolWhereTheHostAsksForIt()
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Transport = static options => options.ApplicationScheduling = ApplicationScheduling.ThreadPool,
            Handler = static async context =>
            {
                await context.Request.Body.CopyToAsync(Stream.Null);
                await context.Response.WriteAsync($"{Reactor.Current}{Thread.CurrentThread.IsThreadPoolThread}");
            },
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        await client.SendAsync(FrameClient.Data(1, new byte[1000], ends: true));
        Assert.Equal("True", AnswerTests.Text(await client.ReadStreamAsync(1)));
    }

    /// <summary>The one reactor is blocked by a handler that waits for another request of the same connection.</summary>
    [Fact]
    public async Task ABlockedHandlerDoesNotHoldUpItsConnection()
    {
        using ManualResetEventSlim release = new();
        await using Http2Host host = await Http2Host.StartAsync(context =>
        {
            if (context.Request.Path == "/block")
            {
                release.Wait();
            }
            else
            {
                release.Set();
            }

            return context.Response.WriteAsync(context.Request.Path);
        });
        using FrameClient client = await host.ConnectAsync();

        // In one piece, so that the second request lies behind the first in the same receive.
        byte[] both = [.. FrameClient.Request(1, "/block"), .. FrameClient.Request(3, "/release")];
        await client.SendAsync(both);
        Dictionary<int, string> answers = [];
        while (answers.Count < 2)
        {
            Frame frame = (await client.ReadAsync())!;
            if (frame.Type == Http2FrameType.Data)
            {
                answers[frame.StreamId] = answers.GetValueOrDefault(frame.StreamId) + frame.Text;
            }
        }

        Assert.Equal(("/block", "/release"), (answers[1], answers[3]));
        Assert.Equal("/after", AnswerTests.Text(await client.AskAsync(FrameClient.Request(5, "/after"))));
    }

    [Fact]
    public async Task AStopAnswersWhatRunsAndSaysWhichStreamWasTheLast()
    {
        TaskCompletionSource started = Waits.Signal();
        TaskCompletionSource release = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(async context =>
        {
            started.SetResult();
            await release.Task;
            await context.Response.WriteAsync("answered");
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1));
        await started.Task.Within(30.Seconds());
        Task stop = host.StopAsync();
        Frame first = (await client.ReadAsync())!;
        Assert.Equal((Http2FrameType.GoAway, int.MaxValue, Http2ErrorCode.NoError), (first.Type, first.Number, first.Code));
        release.SetResult();
        Assert.Equal("200", (await client.ReadAsync())![":status"]);
        Assert.Equal("answered", (await client.ReadAsync())!.Text);
        Frame last = (await client.ReadAsync())!;
        while (last.Type == Http2FrameType.Data)
        {
            last = (await client.ReadAsync())!;
        }

        Assert.Equal((Http2FrameType.GoAway, 1, Http2ErrorCode.NoError), (last.Type, last.Number, last.Code));
        client.Dispose();
        await stop;
    }

    /// <summary>The host is not stopped: nothing but the client's end may end the connection.</summary>
    /// <param name="window">Of each stream; a small one makes the answer wait for it.</param>
    /// <param name="reads">Whether the client takes the answer and leaves, or leaves with the answer under way.</param>
    /// <param name="pool">Whether handlers run on the thread pool.</param>
    /// <param name="isEngine">Else stock Kestrel, of which the same is asked.</param>
    [Theory]
    [InlineData(16u, true, false, true)]
    [InlineData(16u, true, true, true)]
    [InlineData(16u, false, false, true)]
    [InlineData(16u, false, true, true)]
    [InlineData((uint)int.MaxValue, true, false, true)]
    [InlineData((uint)int.MaxValue, false, true, true)]
    [InlineData(16u, true, false, false)]
    [InlineData(16u, false, false, false)]
    public async Task AConnectionEndsWithItsClient(uint window, bool reads, bool pool, bool isEngine)
    {
        TaskCompletionSource ended = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            Transport = options => options.ApplicationScheduling = pool ? ApplicationScheduling.ThreadPool : ApplicationScheduling.Inline,
            Listen = listen => NoteEnd(listen, ended),
            Handler = static context => context.Response.Body.WriteAsync(new byte[100]).AsTask(),
        });
        using (FrameClient client = await host.ConnectAsync((4, window)))
        {
            byte[] both = [.. FrameClient.Request(1), .. FrameClient.Request(3)];
            await client.SendAsync(both);
            Assert.Equal(Http2FrameType.Headers, (await client.ReadAsync())!.Type);
            if (reads && window < 100)
            {
                await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 1, 84));
                await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 3, 84));
            }

            for (int answers = 0; reads && answers < 2;)
            {
                answers += (await client.ReadAsync())! is { Type: Http2FrameType.Data, EndsStream: true } ? 1 : 0;
            }
        }

        await ended.Task.Within(30.Seconds());
    }

    [Theory, AllValues]
    public async Task AStopEndsAConnectionWithoutARequest(bool hasServed, bool isEngine)
    {
        TaskCompletionSource ended = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            Listen = listen => NoteEnd(listen, ended),
            Handler = static context => context.Response.Body.WriteAsync(new byte[100]).AsTask(),
        });
        using FrameClient client = await host.ConnectAsync((4, 16u));
        if (hasServed)
        {
            await client.SendAsync(FrameClient.Request(1));
            Assert.Equal("200", (await client.ReadAsync())![":status"]);
            await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 1, 84));
            while (!(await client.ReadAsync())!.EndsStream)
            {
            }
        }
        else
        {
            Assert.Equal(Http2FrameType.Settings, (await client.ReadAnyAsync())!.Type);
        }

        Task stop = host.StopAsync();
        Frame goAway = (await client.ReadGoAwayAsync())!;
        Assert.Equal((hasServed ? 1 : 0, Http2ErrorCode.NoError), (goAway.Number, goAway.Code));
        await ended.Task.Within(30.Seconds());
        client.Dispose();
        await stop;
    }

    private static void NoteEnd(ListenOptions listen, TaskCompletionSource ended)
        => listen.Use(next => async connection =>
        {
            await next(connection);
            ended.TrySetResult();
        });

    [Fact]
    public async Task AConnectionWithoutARequestIsEndedByKeepAliveTimeout()
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Kestrel = static kestrel => kestrel.Limits.KeepAliveTimeout = 100.Milliseconds(),
            Handler = static context => Task.CompletedTask,
        });
        using FrameClient client = await host.ConnectAsync();
        Frame? goAway = await client.ReadAsync();
        Assert.Equal((Http2FrameType.GoAway, Http2ErrorCode.NoError), (goAway!.Type, goAway.Code));
    }

    [Fact]
    public Task AClientThatDoesNotAnswerPingsIsEnded() => AtOnce.RunAsync(LeavePingsAsync, true, false);

    private static async Task LeavePingsAsync(bool isEngine)
    {
        TaskCompletionSource ended = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            Kestrel = static kestrel => kestrel.Limits.Http2.KeepAlivePingDelay = kestrel.Limits.Http2.KeepAlivePingTimeout = 1.Seconds(),
            Listen = listen => NoteEnd(listen, ended),
            Handler = static context => Task.CompletedTask,
        });
        using FrameClient client = await host.ConnectAsync();

        // An answer keeps it alive.
        for (int answered = 0; answered < 2; answered++)
        {
            Frame ping = (await client.ReadAsync())!;
            Assert.Equal((Http2FrameType.Ping, Http2FrameFlags.None), (ping.Type, ping.Flags));
            Assert.False(ended.Task.IsCompleted);
            await client.SendAsync(FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.EndStream, 0, ping.Payload));
        }

        Assert.Equal(Http2FrameType.Ping, (await client.ReadAsync())!.Type);
        Frame? goAway = await client.ReadGoAwayAsync();
        if (isEngine || goAway is not null)
        {
            Assert.Equal(Http2ErrorCode.InternalError, goAway!.Code);
        }

        await ended.Task.Within(30.Seconds());
    }

    /// <summary>A server's pings are the clock: each comes after a second of silence or two, so that the last ones are behind the timeout.</summary>
    [Fact]
    public Task APingKeepsAConnectionWithoutARequest() => AtOnce.RunAsync<(bool IsEngine, bool IsAnswer)>(
        static one => AskByPingsAsync(one.IsEngine, one.IsAnswer),
        (true, true), (true, false), (false, true), (false, false));

    private static async Task AskByPingsAsync(bool isEngine, bool isAnswer)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            Kestrel = static kestrel =>
            {
                kestrel.Limits.Http2.KeepAlivePingDelay = 1.Seconds();
                kestrel.Limits.KeepAliveTimeout = 5.Seconds();
            },
            Handler = static context => Task.CompletedTask,
        });
        using FrameClient client = await host.ConnectAsync();
        for (int pings = 0; pings < 5;)
        {
            Frame frame = (await client.ReadAsync())!;
            Assert.Equal(Http2FrameType.Ping, frame.Type);
            if (frame.Flags == Http2FrameFlags.None)
            {
                pings++;
                await client.SendAsync(FrameClient.Frame(Http2FrameType.Ping, isAnswer ? Http2FrameFlags.EndStream : Http2FrameFlags.None, 0, frame.Payload));
            }
        }
    }

    [Fact]
    public async Task AClientThatSaysNothingIsEndedWhereHttp1MayFollow()
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Protocols = HttpProtocols.Http1AndHttp2,
            Kestrel = static kestrel => kestrel.Limits.KeepAliveTimeout = 100.Milliseconds(),
            Handler = static context => Task.CompletedTask,
        });
        using FrameClient client = await FrameClient.ConnectAsync(host.EndPoint, null);
        Assert.Null(await client.ReadAnyAsync());
    }

    /// <summary>P may begin POST as well as the preface of HTTP/2.</summary>
    [Theory, AllValues]
    public async Task AClientThatStopsInItsFirstBytesIsAnsweredWithARequestTimeout(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            Protocols = HttpProtocols.Http1AndHttp2,
            Kestrel = static kestrel => kestrel.Limits.RequestHeadersTimeout = 1.Seconds(),
            Handler = static context => Task.CompletedTask,
        });
        using RawClient client = await RawClient.ConnectAsync(host.EndPoint);
        await client.SendAsync("P");
        RawResponse response = await client.ReadResponseAsync();
        Assert.Equal((408, "close", "0"), (response.Status, response.Headers["Connection"], response.Headers["Content-Length"]));
        Assert.Equal("Kestrel", response.Headers["Server"]);
        Assert.NotNull(response.Headers["Date"]);
        Assert.Empty((await client.ReadToEndAsync()).Bytes);
    }

    /// <summary>Its request stays its own, and its connection stays with it: nothing of either is given to another one before.</summary>
    /// <param name="kind">In clear text, with TLS on the ring, or with a stream of other middleware: SslStream or a log of bytes.</param>
    /// <param name="isEngine">Else stock Kestrel, which leaves it its request, and ends the connection at once.</param>
    [Theory]
    [InlineData("clear", true)]
    [InlineData("ring", true)]
    [InlineData("ssl", true)]
    [InlineData("log", true)]
    [InlineData("clear", false)]
    [InlineData("ssl", false)]
    public async Task AFaultLeavesAHandlerItsRequestAndItsConnectionUntilItEnds(string kind, bool isEngine)
    {
        using X509Certificate2 certificate = CertificateMaker.SelfSigned();
        bool isTls = kind is "ring" or "ssl";
        TaskCompletionSource aborted = Waits.Signal();
        TaskCompletionSource release = Waits.Signal();
        TaskCompletionSource ended = Waits.Signal();
        TaskCompletionSource<string> seen = new(TaskCreationOptions.RunContinuationsAsynchronously);
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            Listen = listen =>
            {
                NoteEnd(listen, ended);
                _ = kind switch
                {
                    "ring" => listen.UseIoxideTls(certificate),
                    "ssl" => listen.UseHttps(certificate),
                    "log" => listen.UseConnectionLogging(),
                    _ => listen,
                };
            },
            Handler = async context =>
            {
                if (context.Request.Path == "/other")
                {
                    return;
                }

                context.RequestAborted.Register(aborted.SetResult);
                await release.Task;
                seen.SetResult($"{context.Request.Path} {context.Request.Headers["mark"]} {context.RequestAborted.IsCancellationRequested}");
            },
        });
        byte[] Request(int stream, string path, string mark) => FrameClient.Headers(
            stream, true, (":method", "GET"), (":scheme", isTls ? "https" : "http"), (":path", path), (":authority", "localhost"), ("mark", mark));
        using FrameClient client = await FrameClient.ConnectAsync(host.EndPoint, [], isTls);
        byte[] fault = FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.None, 1, new byte[8]);
        await client.SendAsync((byte[])[.. Request(1, "/mine", "1"), .. fault]);
        await aborted.Task.Within(30.Seconds());
        using FrameClient other = await FrameClient.ConnectAsync(host.EndPoint, [], isTls);
        for (int stream = 1; stream < 21; stream += 2)
        {
            Assert.Equal("200", (await other.AskAsync(Request(stream, "/other", "2")))[0][":status"]);
        }

        // The client is told to its end, which waits for no handler.
        Assert.Equal(Http2ErrorCode.ProtocolError, (await client.ReadGoAwayAsync())!.Code);
        Assert.False(isEngine && ended.Task.IsCompleted);
        release.SetResult();
        Assert.Equal("/mine 1 True", await seen.Task.Within(30.Seconds()));
        await ended.Task.Within(30.Seconds());
    }

    /// <summary>What handlers submit once their reactor has ended runs on the thread pool, and their connection still ends behind the last of them.</summary>
    [Fact]
    public async Task HandlersThatEndBehindTheirReactorEndTheirConnections()
    {
        const int Connections = 20;
        const int Streams = 100;
        int started = 0;
        int ended = 0;
        TaskCompletionSource release = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            ExpectsErrors = true,
            Listen = listen => listen.Use(next => async connection =>
            {
                await next(connection);
                _ = Interlocked.Increment(ref ended);
            }),
            Handler = async context =>
            {
                _ = Interlocked.Increment(ref started);
                await release.Task.ConfigureAwait(false);
            },
        });
        List<FrameClient> clients = [];
        for (int index = 0; index < Connections; index++)
        {
            FrameClient client = await host.ConnectAsync();
            clients.Add(client);
            await client.SendAsync(Enumerable.Range(0, Streams).SelectMany(static number => FrameClient.Request((2 * number) + 1)).ToArray());
        }

        await Waits.Eventually(() => Volatile.Read(ref started) == Connections * Streams, 30.Seconds());
        Reactor reactor = host.Services.GetRequiredService<IReactorGroupSource>().GetReactors().Reactors[0];
        reactor.RequestStop();
        await reactor.Ended.Within(30.Seconds());
        Assert.Equal(0, Volatile.Read(ref ended));
        release.SetResult();
        await Waits.Eventually(() => Volatile.Read(ref ended) == Connections, 30.Seconds());
        clients.ForEach(static client => client.Dispose());
    }

    /// <remarks>The first stream is over but for bytes that the window holds back. The second one's handler has not begun: its body may follow.</remarks>
    [Fact]
    public async Task AFaultEndsAConnectionWithAStreamThatWaitsForRoomAndOneThatWaitsToBegin()
    {
        await using Http2Host host = await Http2Host.StartAsync(static context => context.Response.Body.WriteAsync(new byte[100]).AsTask());
        using FrameClient client = await host.ConnectAsync((4, 0));
        await client.SendAsync(FrameClient.Request(1));
        Assert.Equal(Http2FrameType.Headers, (await client.ReadAsync())!.Type);
        byte[] fault = FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.None, 1, new byte[8]);
        await client.SendAsync(FrameClient.Request(3, ends: false, method: "POST").Concat(fault).ToArray());

        Assert.Equal(Http2ErrorCode.ProtocolError, (await client.ReadGoAwayAsync())!.Code);
    }

    [Fact]
    public void ItIsAskedForTheServiceThatItNeeds() => Assert.Throws<InvalidOperationException>(() => new ServiceCollection().AddIoxideHttp2());
}
