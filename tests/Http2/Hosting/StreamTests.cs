using System.IO.Pipelines;
using System.Net;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Http2.Tests;

/// <summary>
/// Connections whose bytes pass a stream of other middleware, SslStream or a log of bytes: the engine serves them too, and what it sends comes whole and
/// in order.
/// </summary>
/// <remarks>Slow: Kestrel's least rate of a response is looked at for 7 s before a client is ended.</remarks>
public class StreamTests
{
    public static TheoryData<string, bool> Kinds => new() { { "ssl", false }, { "ssl", true }, { "log", false }, { "log", true } };

    [Theory, MemberData(nameof(Kinds))]
    public async Task BodiesOfManyStreamsComeBackAsTheyWere(string kind, bool isOnPool)
    {
        await using Http2Host host = await StartAsync(kind, isOnPool, static async context =>
        {
            context.Response.Headers["X-Server"] = context.Features.Get<IHttpResetFeature>()!.GetType().Assembly.GetName().Name;

            // The client reads no answer before its request is sent.
            using MemoryStream body = new();
            await context.Request.Body.CopyToAsync(body);
            body.Position = 0;
            await body.CopyToAsync(context.Response.Body);
        });
        using HttpClient client = host.CreateClient(isHttps: kind == "ssl");
        await Task.WhenAll(Enumerable.Range(0, 40).Select(async number =>
        {
            byte[] body = RandomNumberGenerator.GetBytes(number * number * 300);
            using HttpResponseMessage response = await client.PostAsync("/", new ByteArrayContent(body)).Within(60.Seconds());
            Assert.Equal("Ioxide.Http2", response.Headers.GetValues("X-Server").Single());
            Assert.Equal(body, await response.Content.ReadAsByteArrayAsync().Within(60.Seconds()));
        }));
    }

    /// <summary>Memory that could be lent is copied before its owner may have it back.</summary>
    [Fact]
    public async Task LentMemoryIsCopied()
    {
        byte[] content = RandomNumberGenerator.GetBytes(200_000);
        await using Http2Host host = await StartAsync("ssl", isOnPool: false, async context =>
        {
            byte[] lent = [.. content];
            Assert.True(context.Features.Get<IBodyReferenceFeature>()!.TryWrite(context.Response.BodyWriter, lent, new Owner(lent), isImmutable: false));
            await context.Response.BodyWriter.FlushAsync();
        });
        using HttpClient client = host.CreateClient(isHttps: true);
        Assert.Equal(content, await client.GetByteArrayAsync("/").Within(30.Seconds()));
    }

    /// <summary>The second GOAWAY and the end of TLS come behind the answer.</summary>
    [Fact]
    public async Task AStopSendsTheLastAnswerAndEndsTheStream()
    {
        TaskCompletionSource started = Waits.Signal();
        TaskCompletionSource release = Waits.Signal();
        await using Http2Host host = await StartAsync("ssl", isOnPool: false, async context =>
        {
            started.SetResult();
            await release.Task;
            await context.Response.Body.WriteAsync(new byte[300_000]);
        });
        using HttpClient client = host.CreateClient(isHttps: true);
        Task<byte[]> answer = client.GetByteArrayAsync("/");
        await started.Task.Within(30.Seconds());
        Task stop = host.StopAsync();
        release.SetResult();
        Assert.Equal(300_000, (await answer.Within(30.Seconds())).Length);
        await stop;
    }

    /// <summary>What is written last waits for the write before it, which waits for the client: for 6 s, or without a limit where none is set.</summary>
    [Theory]
    [InlineData(200, null)]
    [InlineData(6000, 30)]
    [InlineData(6000, null)]
    public async Task TheLastFrameComesBehindAWriteThatWaits(int waitMs, int? graceSeconds)
    {
        TaskCompletionSource started = Waits.Signal();
        TaskCompletionSource written = Waits.Signal();
        TaskCompletionSource goesOn = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Kestrel = kestrel => kestrel.Limits.MinResponseDataRate = graceSeconds is { } grace ? new MinDataRate(240, grace.Seconds()) : null,

            // The first GOAWAY waits until the answer and the second one are written behind it.
            Listen = listen => listen.Use(next => connection =>
            {
                connection.Transport = new HeldTransport(connection.Transport, async () =>
                {
                    if (started.Task.IsCompleted && written.TrySetResult())
                    {
                        await goesOn.Task;
                    }
                });
                return next(connection);
            }),
            Handler = async context =>
            {
                started.SetResult();
                await written.Task;
                await context.Response.WriteAsync("answered");
                context.Response.OnCompleted(() =>
                {
                    _ = Task.Delay(waitMs).ContinueWith(_ => goesOn.SetResult(), TaskScheduler.Default);
                    return Task.CompletedTask;
                });
            },
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1));
        await started.Task.Within(30.Seconds());
        Task stop = host.StopAsync();
        List<Frame> frames = [];
        while (await client.ReadAsync() is { } frame)
        {
            frames.Add(frame);
        }

        Assert.Contains(frames, static frame => frame.Type == Http2FrameType.Data && frame.Text == "answered");
        Assert.Equal((Http2FrameType.GoAway, 1), (frames[^1].Type, frames[^1].Number));
        client.Dispose();
        await stop;
    }

    /// <summary>The engine is over when the last of its writes is, and not when that begins: SslStream would be disposed of under it.</summary>
    [Fact]
    public async Task AConnectionIsServedUntilTheLastWriteHasEnded()
    {
        TaskCompletionSource started = Waits.Signal();
        TaskCompletionSource answered = Waits.Signal();
        TaskCompletionSource held = Waits.Signal();
        TaskCompletionSource<bool> endsBehindIt = new(TaskCreationOptions.RunContinuationsAsynchronously);
        int writes = 0;
        bool isWritten = false;
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Listen = listen => listen.Use(next => async connection =>
            {
                connection.Transport = new HeldTransport(connection.Transport, async () =>
                {
                    if (started.Task.IsCompleted && ++writes <= 2)
                    {
                        if (writes == 1)
                        {
                            held.SetResult();
                            await answered.Task;
                        }

                        await Task.Delay(200);
                        isWritten = writes == 2;
                    }
                });
                await next(connection);
                endsBehindIt.SetResult(isWritten);
            }),
            Handler = async context =>
            {
                started.SetResult();
                await held.Task;
                await context.Response.WriteAsync("answered");
                context.Response.OnCompleted(() =>
                {
                    answered.SetResult();
                    return Task.CompletedTask;
                });
            },
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1));
        await started.Task.Within(30.Seconds());
        Task stop = host.StopAsync();
        Frame? goAway = await client.ReadGoAwayAsync();
        Assert.Equal(1, goAway!.Number);
        Assert.True(await endsBehindIt.Task.Within(30.Seconds()));
        client.Dispose();
        await stop;
    }

    /// <summary>Such a connection ends behind its handlers: nothing says when the task has passed the GOAWAY on.</summary>
    [Fact]
    public async Task AnErrorCutsNothingOffThatATaskOfMiddlewarePassesOn()
    {
        TaskCompletionSource started = Waits.Signal();
        TaskCompletionSource release = Waits.Signal();
        bool isSlow = false;
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Listen = listen => listen.Use(next => async connection =>
            {
                Pipe pipe = new();
                IDuplexPipe transport = connection.Transport;
                connection.Transport = new PipedTransport(transport.Input, pipe.Writer);
                Task passing = PassOnAsync(pipe.Reader, transport.Output, () => Task.Delay(Volatile.Read(ref isSlow) ? 200 : 0));
                await next(connection);
                await pipe.Writer.CompleteAsync();
                await passing;
            }),
            Handler = context =>
            {
                started.SetResult();
                return release.Task;
            },
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1));
        await started.Task.Within(30.Seconds());
        Volatile.Write(ref isSlow, true);
        await client.SendAsync(FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.None, 1, new byte[8]));
        Frame? goAway = await client.ReadAsync();
        Assert.Equal((Http2FrameType.GoAway, Http2ErrorCode.ProtocolError), (goAway?.Type, goAway?.Code));
        release.SetResult();
        Assert.Null(await client.ReadAsync());
    }

    /// <summary>Its continuation would run beside what handlers submit. What is left is written once they have ended.</summary>
    [Fact]
    public async Task AWriteThatEndsBehindItsReactorIsFollowedByNoneBeforeTheHandlersEnd()
    {
        TaskCompletionSource started = Waits.Signal();
        TaskCompletionSource marked = Waits.Signal();
        TaskCompletionSource held = Waits.Signal();
        TaskCompletionSource goesOn = Waits.Signal();
        TaskCompletionSource release = Waits.Signal();
        TaskCompletionSource<bool> isBehindHandlers = Waits.Signal<bool>();
        int writes = 0;
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            ExpectsErrors = true,
            Listen = listen => listen.Use(next => connection =>
            {
                connection.Transport = new HeldTransport(connection.Transport, async () =>
                {
                    if (started.Task.IsCompleted && ++writes == 1)
                    {
                        held.SetResult();
                        await goesOn.Task;
                    }
                    else if (writes == 2)
                    {
                        isBehindHandlers.SetResult(release.Task.IsCompleted);
                    }
                });
                return next(connection);
            }),
            Handler = context =>
            {
                (context.Request.Path == "/mark" ? marked : started).SetResult();
                return context.Request.Path == "/mark" ? Task.CompletedTask : release.Task;
            },
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1));
        await started.Task.Within(30.Seconds());
        await client.SendAsync((byte[])[
            .. FrameClient.Number(Http2FrameType.RstStream, 1, (uint)Http2ErrorCode.Cancel),
            .. FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.None, 0, new byte[8])]);
        await held.Task.Within(30.Seconds());

        // Its answer waits for the write.
        await client.SendAsync(FrameClient.Request(3, "/mark"));
        await marked.Task.Within(30.Seconds());
        Reactor reactor = host.Services.GetRequiredService<IReactorGroupSource>().GetReactors().Reactors[0];
        reactor.RequestStop();
        await reactor.Ended.Within(30.Seconds());
        goesOn.SetResult();

        // A next write would begin at once.
        await Task.Delay(200);
        release.SetResult();
        Assert.True(await isBehindHandlers.Task.Within(30.Seconds()));
    }

    [Fact]
    public async Task AClientThatTakesNothingIsEnded()
    {
        TaskCompletionSource ended = Waits.Signal();
        using X509Certificate2 certificate = CertificateMaker.SelfSigned();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Protocols = HttpProtocols.Http1AndHttp2,
            Kestrel = static kestrel => kestrel.Limits.MinResponseDataRate = new MinDataRate(1_000_000, 1001.Milliseconds()),
            Listen = listen =>
            {
                listen.UseHttps(certificate);
                listen.Use(next => async connection =>
                {
                    await next(connection);
                    ended.SetResult();
                });
            },
            Handler = static context => context.Response.Body.WriteAsync(new byte[20_000_000]).AsTask(),
        });
        using FrameClient client = await FrameClient.ConnectAsync(host.EndPoint, [(4, int.MaxValue)], isTls: true, receiveBufferBytes: 4096);
        await client.SendAsync((byte[])[
            .. FrameClient.Number(Http2FrameType.WindowUpdate, 0, int.MaxValue - 65_535),
            .. FrameClient.Headers(1, true, (":method", "GET"), (":scheme", "https"), (":path", "/"), (":authority", "localhost"))]);
        await ended.Task.Within(30.Seconds());
    }

    private static async Task<Http2Host> StartAsync(string kind, bool isOnPool, RequestDelegate handler)
    {
        X509Certificate2 certificate = CertificateMaker.SelfSigned();
        return await Http2Host.StartAsync(new Http2Setup
        {
            Protocols = kind == "ssl" ? HttpProtocols.Http1AndHttp2 : HttpProtocols.Http2,
            Transport = options => options.ApplicationScheduling = isOnPool ? ApplicationScheduling.ThreadPool : ApplicationScheduling.Inline,
            Listen = listen => _ = kind == "ssl" ? listen.UseHttps(certificate) : listen.UseConnectionLogging(),
            Handler = handler,
        });
    }

    private static async Task PassOnAsync(PipeReader from, PipeWriter to, Func<Task> delay)
    {
        while (true)
        {
            ReadResult result = await from.ReadAsync();
            await delay();
            foreach (ReadOnlyMemory<byte> piece in result.Buffer)
            {
                _ = await to.WriteAsync(piece);
            }

            from.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return;
            }
        }
    }

    private sealed class PipedTransport(PipeReader input, PipeWriter output) : IDuplexPipe
    {
        public PipeReader Input => input;

        public PipeWriter Output => output;
    }

    private sealed class HeldTransport(IDuplexPipe inner, Func<Task> hold) : IDuplexPipe
    {
        public PipeReader Input => inner.Input;

        public PipeWriter Output { get; } = PipeWriter.Create(new HeldStream(inner.Output, hold));
    }

    private sealed class HeldStream(PipeWriter inner, Func<Task> hold) : MemoryStream
    {
        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await hold();
            await inner.WriteAsync(buffer, cancellationToken);
        }
    }

    private sealed class Owner(byte[] memory) : IDisposable
    {
        public void Dispose() => Array.Clear(memory);
    }
}
