using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// A handler runs on its connection's reactor and comes back to it after every await that does not forbid it. Code
/// that left may still write. With <see cref="ApplicationScheduling.ThreadPool"/> no handler runs on a reactor.
/// </summary>
public class ReactorAffinityTests
{
    /// <summary>What the handler does on its reactor after another thread flushed.</summary>
    public enum AfterFlush
    {
        Write,
        Complete,
        Return,
    }

    [Theory, Each(EndPointKind.IPv4, EndPointKind.Unix)]
    public async Task AHandlerStartsOnItsConnectionsReactor(EndPointKind endPoint) => await AssertComesBackAsync(_ => Task.CompletedTask, endPoint);

    [Fact]
    public async Task ComesBackAfterAYield() => await AssertComesBackAsync(async _ => await Task.Yield());

    [Fact]
    public async Task ComesBackAfterADelay() => await AssertComesBackAsync(_ => Task.Delay(1));

    [Fact]
    public async Task ComesBackAfterWorkOnTheThreadPool() => await AssertComesBackAsync(_ => Task.Run(() => Assert.Null(Reactor.Current)));

    [Fact]
    public async Task ComesBackAfterReadingTheBody()
        => await AssertComesBackAsync(async context => await context.Request.Body.CopyToAsync(Stream.Null));

    [Fact]
    public async Task ComesBackAfterAFlush()
        => await AssertComesBackAsync(async context =>
        {
            await context.Response.StartAsync();
            await context.Response.Body.FlushAsync();
        });

    [Fact]
    public async Task ComesBackAfterAnOutboundRequest()
    {
        await using TestServer other = await TestServer.StartAsync(TransportKind.Sockets, Handlers.PathAsync);
        using HttpClient client = other.CreateClient();
        await AssertComesBackAsync(async _ => Assert.Equal("/other", await client.GetStringAsync(new Uri("/other", UriKind.Relative))));
    }

    [Fact]
    public async Task ComesBackAfterAnOutboundRequestToItself()
    {
        TestServer? self = null;
        await using TestServer server = await TestServer.StartAsync(TransportKind.Ioxide, async context =>
        {
            if (context.Request.Path == "/inner")
            {
                await Handlers.PathAsync(context);
                return;
            }

            Reactor reactor = ReactorOf(context);
            using HttpClient client = self!.CreateClient();
            string inner = await client.GetStringAsync(new Uri("/inner", UriKind.Relative));
            await Handlers.TextAsync(context, $"{inner} {ReferenceEquals(reactor, Reactor.Current)}");
        });
        self = server;
        using HttpClient outer = server.CreateClient();

        Assert.Equal("/inner True", await outer.GetStringAsync(new Uri("/outer", UriKind.Relative)));
    }

    [Fact]
    public async Task AContinuationThatStayedAwayStillCompletesTheAnswer()
    {
        byte[] content = Payload.Of(300_000);
        await using TestServer server = await TestServer.StartAsync(TransportKind.Ioxide, async context =>
        {
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            Assert.Null(Reactor.Current);
            await context.Response.Body.WriteAsync(content).ConfigureAwait(false);
        });
        using HttpClient client = server.CreateClient();
        for (int i = 0; i < 20; i++)
        {
            Payload.AssertSame(content, await client.GetByteArrayAsync(new Uri("/", UriKind.Relative)));
        }
    }

    [Theory, Each(1, 4096, 1_000_000)]
    public async Task AnotherThreadMayWriteTheAnswer(int pieceBytes)
    {
        byte[] piece = Payload.Of(pieceBytes);
        await using TestServer server = await TestServer.StartAsync(TransportKind.Ioxide, context =>
        {
            TaskCompletionSource done = Waits.Signal();
            Thread thread = new(() =>
            {
                for (int i = 0; i < 5; i++)
                {
                    context.Response.Body.WriteAsync(piece).AsTask().Wait(10.Seconds());
                }

                done.SetResult();
            });
            thread.Start();
            return done.Task;
        });
        using HttpClient client = server.CreateClient();

        byte[] received = await client.GetByteArrayAsync(new Uri("/", UriKind.Relative));

        Payload.AssertSame(Enumerable.Repeat(piece, 5).SelectMany(bytes => bytes).ToArray(), received);
    }

    /// <remarks>The reactor is held up meanwhile, so it cannot have seen the other thread's flush by chance.</remarks>
    [Theory, AllValues]
    public async Task WhatAnotherThreadFlushedGoesBeforeWhatTheReactorDoesNext(AfterFlush next)
    {
        await using TestServer server = await StartHandlerAsync(async connection =>
        {
            PipeWriter output = connection.Transport.Output;
            ValueTask<FlushResult> flush = default;
            RunOnAnotherThread(() => flush = output.WriteAsync("first "u8.ToArray()));
            await flush;
            if (next == AfterFlush.Write)
            {
                await output.WriteAsync("second"u8.ToArray());
            }
            else if (next == AfterFlush.Complete)
            {
                output.Write("second"u8);
                await output.CompleteAsync();
            }
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync("x");

        Ended ended = await client.ReadToEndAsync();

        Assert.Equal(next == AfterFlush.Return ? "first " : "first second", Encoding.ASCII.GetString(ended.Bytes));
        Assert.Equal(Ending.Fin, ended.Ending);
    }

    [Fact]
    public async Task WhatAnotherThreadConsumedDoesNotComeAgain()
    {
        await using TestServer server = await StartHandlerAsync(async connection =>
        {
            PipeReader input = connection.Transport.Input;
            for (int i = 0; i < 10; i++)
            {
                ReadResult result = await input.ReadAsync();
                byte[] received = result.Buffer.ToArray();
                RunOnAnotherThread(() => input.AdvanceTo(result.Buffer.End));
                ValueTask<ReadResult> next = input.ReadAsync();
                await connection.Transport.Output.WriteAsync(received);
                ReadResult following = await next;
                input.AdvanceTo(following.Buffer.Start);
            }
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync("x");
        for (int i = 0; i < 10; i++)
        {
            await client.SendAsync($"{i}");
            Assert.Equal($"{i}", Encoding.ASCII.GetString(await client.ReadExactlyAsync(1)));
        }

        client.Finish();
        Assert.Empty((await client.ReadToEndAsync()).Bytes);
    }

    [Fact]
    public async Task HandlersOnBothSidesOfTheReactorShareAConnection()
    {
        await using TestServer server = await TestServer.StartAsync(TransportKind.Ioxide, async context =>
        {
            if (context.Request.Path.Value!.EndsWith('1'))
            {
                await Task.Yield();
            }
            else if (context.Request.Path.Value.EndsWith('2'))
            {
                await Task.Run(() => { }).ConfigureAwait(false);
            }

            await Handlers.PathAsync(context);
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(string.Concat(Enumerable.Range(0, 500).Select(i => RawClient.Get($"/{i}"))));
        for (int i = 0; i < 500; i++)
        {
            Assert.Equal($"/{i}", (await client.ReadResponseAsync()).Text);
        }
    }

    [Fact]
    public async Task BothReactorsServeConnections()
    {
        await using TestServer server = await TestServer.StartAsync(TransportKind.Ioxide, context => Handlers.TextAsync(context, $"{ReactorOf(context).Id}"));
        HashSet<string> ids = [];
        for (int i = 0; i < 200 && ids.Count < TransportSetup.ReactorCount; i++)
        {
            using RawClient client = await server.ConnectAsync();
            ids.Add((await client.GetAsync("/")).Text);
        }

        Assert.Equal(TransportSetup.ReactorCount, ids.Count);
    }

    [Fact]
    public async Task AConnectionHandlerReadsAndWritesOnItsReactor()
    {
        await using TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide)
        {
            Listen = listen => listen.Use(_ => async connection =>
            {
                Reactor mine = connection.Features.GetRequiredFeature<IReactorFeature>().Reactor;
                bool isMine = true;
                for (int i = 0; i < 3; i++)
                {
                    ReadResult result = await connection.Transport.Input.ReadAsync();
                    isMine &= ReferenceEquals(mine, Reactor.Current);
                    connection.Transport.Input.AdvanceTo(result.Buffer.End);
                    await connection.Transport.Output.WriteAsync(Encoding.ASCII.GetBytes(isMine ? "T" : "F"));
                    isMine &= ReferenceEquals(mine, Reactor.Current);
                }
            }),
        });
        using RawClient client = await server.ConnectAsync();
        for (int i = 0; i < 3; i++)
        {
            await client.SendAsync("x");
            Assert.Equal("T"u8.ToArray(), await client.ReadExactlyAsync(1));
        }
    }

    [Fact]
    public async Task OnTheThreadPoolTheSameAnswersComeAndNoHandlerIsOnAReactor()
    {
        await using TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide)
        {
            Ioxide = options => options.ApplicationScheduling = ApplicationScheduling.ThreadPool,
            Handler = async context =>
            {
                bool isOff = Reactor.Current is null;
                await context.Request.Body.CopyToAsync(Stream.Null);
                isOff &= Reactor.Current is null;
                await Task.Yield();
                isOff &= Reactor.Current is null;
                await Handlers.TextAsync(context, $"{context.Request.Path} {isOff}");
            },
        });
        using RawClient client = await server.ConnectAsync();
        for (int i = 0; i < 20; i++)
        {
            Assert.Equal($"/{i} True", (await client.GetAsync($"/{i}")).Text);
        }
    }

    [Theory, Each(0, 4097, 8 * 1024 * 1024)]
    public async Task OnTheThreadPoolBodiesAreEchoed(int lengthBytes)
    {
        await using TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide)
        {
            Ioxide = options => options.ApplicationScheduling = ApplicationScheduling.ThreadPool,
            Handler = Handlers.EchoAsync,
        });
        using HttpClient client = server.CreateClient();
        byte[] sent = Payload.Of(lengthBytes);

        using HttpResponseMessage response = await client.PostAsync("/", new ByteArrayContent(sent));

        Payload.AssertSame(sent, await response.Content.ReadAsByteArrayAsync());
    }

    [Fact]
    public async Task OnTheThreadPoolAFinAborts()
    {
        TaskCompletionSource entered = Waits.Signal();
        TaskCompletionSource aborted = Waits.Signal();
        await using TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide)
        {
            Ioxide = options => options.ApplicationScheduling = ApplicationScheduling.ThreadPool,
            Handler = async context =>
            {
                using CancellationTokenRegistration registration = context.RequestAborted.Register(aborted.SetResult);
                entered.SetResult();
                await aborted.Task.Within(20.Seconds());
            },
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/"));
        await entered.Task.Within(20.Seconds());

        client.Finish();

        await aborted.Task.Within(20.Seconds());
    }

    /// <summary>Runs the handler on its reactor: after it has read the client's first byte.</summary>
    private static Task<TestServer> StartHandlerAsync(ConnectionDelegate handler)
        => TestServer.StartAsync(new(TransportKind.Ioxide)
        {
            Listen = listen => listen.Use(_ => async connection =>
            {
                ReadResult result = await connection.Transport.Input.ReadAsync();
                connection.Transport.Input.AdvanceTo(result.Buffer.GetPosition(1));
                Assert.NotNull(Reactor.Current);
                await handler(connection);
            }),
        });

    private static void RunOnAnotherThread(ThreadStart action)
    {
        Thread thread = new(action);
        thread.Start();
        thread.Join();
    }

    private static Reactor ReactorOf(HttpContext context) => context.Features.GetRequiredFeature<IReactorFeature>().Reactor;

    /// <summary>Three requests of one connection and one of another each await, then look where they are.</summary>
    private static async Task AssertComesBackAsync(Func<HttpContext, Task> leave, EndPointKind endPoint = EndPointKind.IPv4)
    {
        await using TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide, endPoint)
        {
            // A machine that is busy enough looks like a pipeline that blocks.
            Ioxide = options => options.ApplicationScheduling = ApplicationScheduling.Inline,
            Handler = async context =>
            {
                Reactor mine = ReactorOf(context);
                bool wasMine = ReferenceEquals(mine, Reactor.Current);
                await leave(context);
                bool isMine = ReferenceEquals(mine, Reactor.Current);
                await context.Response.WriteAsync($"before {wasMine}, after {isMine}");
            },
        });
        using RawClient client = await server.ConnectAsync();
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal("before True, after True", (await client.GetAsync("/")).Text);
        }

        using RawClient other = await server.ConnectAsync();
        Assert.Equal("before True, after True", (await other.GetAsync("/")).Text);
    }
}
