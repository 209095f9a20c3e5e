using System.Security.Cryptography.X509Certificates;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace Ioxide.Http2.Tests;

/// <summary>Bodies that come too slowly, and answers that are taken too slowly, by stock Kestrel's rules.</summary>
public class RateTests
{
    /// <summary>Kestrel takes no shorter grace period.</summary>
    private static readonly MinDataRate s_rate = new(bytesPerSecond: 1_000_000, gracePeriod: 1100.Milliseconds());

    [Theory, AllValues]
    public async Task ABodyThatDoesNotComeEndsItsConnection(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            Kestrel = static kestrel => kestrel.Limits.MinRequestBodyDataRate = s_rate,
            Handler = static context => context.Request.Body.CopyToAsync(Stream.Null, context.RequestAborted),
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        await client.SendAsync(FrameClient.Data(1, "slow"u8));
        await AssertEndsAsync(client, isEngine);
    }

    /// <summary>The window is closed, so that nothing of the answer can be sent: bytes that merely wait give a client no time.</summary>
    [Theory, AllValues]
    public async Task AnAnswerWhoseWindowStaysClosedEndsItsConnection(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            Kestrel = static kestrel => kestrel.Limits.MinResponseDataRate = new MinDataRate(240, s_rate.GracePeriod),
            Handler = static context => context.Response.Body.WriteAsync(new byte[60_000]).AsTask(),
        });
        using FrameClient client = await host.ConnectAsync((4, 0u));
        await client.SendAsync(FrameClient.Request(1));
        await AssertEndsAsync(client, isEngine);
    }

    /// <summary>Bytes that bring no frame to its end are no sign that the client takes its answer.</summary>
    [Theory, AllValues]
    public async Task AnAnswerWhoseWindowStaysClosedEndsTheConnectionOfAClientThatSends(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            Kestrel = static kestrel => kestrel.Limits.MinResponseDataRate = new MinDataRate(240, s_rate.GracePeriod),
            Handler = static context => context.Response.Body.WriteAsync(new byte[60_000]).AsTask(),
        });
        using FrameClient client = await host.ConnectAsync((4, 0u));
        await client.SendAsync(FrameClient.Request(1));
        using CancellationTokenSource over = new();
        Task sending = SendByteByByteAsync(client, FrameClient.Frame((Http2FrameType)0xFF, Http2FrameFlags.None, 0, new byte[16_384]), over.Token);
        await AssertEndsAsync(client, isEngine);
        over.Cancel();
        _ = await sending.ErrorWithin(30.Seconds());
    }

    /// <summary>The control: each answer to a PING is a write, which has its time, and an answer that waits for its window has that time too.</summary>
    [Fact]
    public Task AClientThatIsSentSomethingHasTheTimeOfThatWrite() => AtOnce.RunAsync(SendSomethingAsync, true, false);

    private static async Task SendSomethingAsync(bool isEngine)
    {
        MinDataRate rate = new(240, gracePeriod: Waits.Stretched(4.Seconds()));
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            Kestrel = kestrel => kestrel.Limits.MinResponseDataRate = rate,
            Handler = static context => context.Response.Body.WriteAsync(new byte[1000]).AsTask(),
        });
        using FrameClient client = await host.ConnectAsync((4, 0u));
        await client.SendAsync(FrameClient.Request(1));
        Assert.Equal(Http2FrameType.Headers, (await client.ReadAsync())!.Type);
        const int Pings = 20;
        for (int ping = 0; ping < Pings; ping++)
        {
            await client.SendAsync(FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.None, 0, new byte[8]));
            Assert.Equal(Http2FrameType.Ping, (await client.ReadAsync())!.Type);
            await Task.Delay(2 * rate.GracePeriod / Pings);
        }

        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 1, 1000));
        Assert.Equal(1000, (await client.ReadStreamAsync(1)).Sum(static frame => frame.Payload.Length));
    }

    /// <summary>Its clients have had no part in it: one of them waits for its window, which the client opens as soon as it can.</summary>
    [Fact]
    public async Task AHandlerThatHoldsTheReactorCostsNoClientItsTime()
    {
        MinDataRate rate = new(240, gracePeriod: Waits.Stretched(4.Seconds()));
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            ExpectsErrors = true, // The log says that the reactor is stuck.
            Transport = static options => options.ApplicationScheduling = ApplicationScheduling.Inline,
            Kestrel = kestrel => kestrel.Limits.MinResponseDataRate = rate,
            Handler = context =>
            {
                if (context.Request.Path == "/hold")
                {
                    Thread.Sleep(2 * rate.GracePeriod);
                }

                return context.Response.Body.WriteAsync(new byte[1000]).AsTask();
            },
        });
        using FrameClient waits = await host.ConnectAsync((4, 0u));
        await waits.SendAsync(FrameClient.Request(1));
        Assert.Equal(Http2FrameType.Headers, (await waits.ReadAsync())!.Type);
        using FrameClient holds = await host.ConnectAsync((4, 0u));
        await holds.SendAsync(FrameClient.Request(1, "/hold"));
        Assert.Equal(Http2FrameType.Headers, (await holds.ReadAsync())!.Type);
        foreach (FrameClient client in (FrameClient[])[waits, holds])
        {
            await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 1, 1000));
            Assert.Equal(1000, (await client.ReadStreamAsync(1)).Sum(static frame => frame.Payload.Length));
        }
    }

    /// <summary>The windows are open, and the client's socket takes nothing.</summary>
    [Fact]
    public async Task AnAnswerThatIsNotReadEndsItsConnection()
    {
        TaskCompletionSource aborted = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Kestrel = static kestrel => kestrel.Limits.MinResponseDataRate = new MinDataRate(1e9, 1100.Milliseconds()),
            Handler = async context =>
            {
                using CancellationTokenRegistration registration = context.RequestAborted.Register(aborted.SetResult);
                byte[] piece = new byte[1 << 20];
                while (!context.RequestAborted.IsCancellationRequested)
                {
                    await context.Response.Body.WriteAsync(piece);
                }
            },
        });
        using FrameClient client = await host.ConnectAsync((4, (uint)int.MaxValue));
        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 0, int.MaxValue - 65_535));
        await client.SendAsync(FrameClient.Request(1));
        await aborted.Task.Within(30.Seconds());
    }

    /// <summary>The connection is over, and its last bytes wait for a client that has given its answer up, takes nothing more, and stays.</summary>
    [Fact]
    public Task AClientThatDoesNotTakeTheLastBytesIsEnded() => AtOnce.RunAsync<(string Kind, bool IsEngine)>(
        static one => LeaveLastBytesAsync(one.Kind, one.IsEngine),
        ("clear", true), ("ring", true), ("ssl", true), ("clear", false), ("ssl", false));

    private static async Task LeaveLastBytesAsync(string kind, bool isEngine)
    {
        const int PieceBytes = 10_000;
        using X509Certificate2 certificate = CertificateMaker.SelfSigned();
        int written = 0;
        TaskCompletionSource aborted = Waits.Signal();
        TaskCompletionSource ended = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,

            // What is written until then may take three seconds.
            Kestrel = static kestrel => kestrel.Limits.MinResponseDataRate = new MinDataRate(25_000, s_rate.GracePeriod),
            Listen = listen => ListenWithLittle(listen, kind, certificate, ended),
            Handler = async context =>
            {
                using CancellationTokenRegistration registration = context.RequestAborted.Register(aborted.SetResult);
                while (!context.RequestAborted.IsCancellationRequested)
                {
                    await context.Response.Body.WriteAsync(new byte[PieceBytes]);
                    _ = Interlocked.Add(ref written, PieceBytes);
                }
            },
        });
        using FrameClient client = await FrameClient.ConnectAsync(
            host.EndPoint, [(4, int.MaxValue)], isTls: kind != "clear", receiveBufferBytes: 4096);
        await client.SendAsync((byte[])[
            .. FrameClient.Number(Http2FrameType.WindowUpdate, 0, int.MaxValue - 65_535),
            .. FrameClient.Headers(1, true, (":method", "GET"), (":scheme", kind == "clear" ? "http" : "https"), (":path", "/"), (":authority", "localhost"))]);
        await Waits.Eventually(() => Volatile.Read(ref written) >= 60_000, 30.Seconds());
        await client.SendAsync((byte[])[
            .. FrameClient.Number(Http2FrameType.RstStream, 1, (uint)Http2ErrorCode.Cancel),
            .. FrameClient.Frame(Http2FrameType.GoAway, Http2FrameFlags.None, 0, new byte[8])]);
        await aborted.Task.Within(30.Seconds());
        await ended.Task.Within(30.Seconds());
    }

    /// <summary>The same for a client behind a fault, or one that gives everything up, where its handler does not end with its request.</summary>
    /// <remarks>Stock Kestrel's output has no limit before that.</remarks>
    [Fact]
    public Task AClientThatDoesNotTakeTheLastBytesIsEndedBeforeItsHandler() => AtOnce.RunAsync<(string Kind, bool IsFault)>(
        static one => LeaveLastBytesOfHandlerAsync(one.Kind, one.IsFault),
        ("clear", true), ("ring", true), ("ssl", true), ("clear", false), ("ssl", false));

    private static async Task LeaveLastBytesOfHandlerAsync(string kind, bool isFault)
    {
        using X509Certificate2 certificate = CertificateMaker.SelfSigned();
        TaskCompletionSource written = Waits.Signal();
        TaskCompletionSource ended = Waits.Signal();
        TaskCompletionSource release = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Kestrel = static kestrel => kestrel.Limits.MinResponseDataRate = new MinDataRate(25_000, s_rate.GracePeriod),
            Listen = listen => ListenWithLittle(listen, kind, certificate, ended),
            Handler = async context =>
            {
                // More than the kernel takes, and less than a flush waits for.
                await context.Response.Body.WriteAsync(new byte[60_000]);
                written.SetResult();
                await release.Task;
            },
        });
        using FrameClient client = await FrameClient.ConnectAsync(
            host.EndPoint, [(4, int.MaxValue)], isTls: kind != "clear", receiveBufferBytes: 4096);
        await client.SendAsync(FrameClient.Headers(
            1, true, (":method", "GET"), (":scheme", kind == "clear" ? "http" : "https"), (":path", "/"), (":authority", "localhost")));
        await written.Task.Within(30.Seconds());
        await client.SendAsync(isFault
            ? FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.None, 1, new byte[8])
            : [
                .. FrameClient.Number(Http2FrameType.RstStream, 1, (uint)Http2ErrorCode.Cancel),
                .. FrameClient.Frame(Http2FrameType.GoAway, Http2FrameFlags.None, 0, new byte[8]),
            ]);
        await ended.Task.Within(30.Seconds());
        release.SetResult();
    }

    /// <summary>The transport has a limit of its own for a client that has everything, and stays.</summary>
    [Fact]
    public async Task AClientThatHasTheLastBytesMayStayForTheTimeToLinger()
    {
        int beats = 0;
        TaskCompletionSource ended = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Kestrel = static kestrel => kestrel.Limits.MinResponseDataRate = s_rate,
            Transport = static options => options.LingerTimeout = 10 * 60.Seconds(),
            Listen = listen => listen.Use(next => async connection =>
            {
                _ = connection.ConnectionClosed.Register(ended.SetResult);
                await next(connection);
                connection.Features.GetRequiredFeature<IConnectionHeartbeatFeature>().OnHeartbeat(_ => Interlocked.Increment(ref beats), connection);
            }),
            Handler = static context => context.Response.WriteAsync("answered"),
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync((byte[])[
            .. FrameClient.Request(1), .. FrameClient.Frame(Http2FrameType.GoAway, Http2FrameFlags.None, 0, new byte[8])]);
        Assert.Equal(Http2ErrorCode.NoError, (await client.ReadGoAwayAsync())!.Code);

        // One comes per second, while the connection is there.
        await Waits.Eventually(() => Volatile.Read(ref beats) >= 6, 30.Seconds());
        Assert.False(ended.Task.IsCompleted);
        client.Dispose();
        await ended.Task.Within(30.Seconds());
    }

    /// <summary>What the kernel has taken is not taken back, however slowly the client reads it.</summary>
    [Fact]
    public Task AClientMayTakeItsTimeForBytesThatTheKernelHas() => AtOnce.RunAsync<(bool IsEngine, bool IsTransport)>(
        static one => TakeSlowlyAsync(one.IsEngine, one.IsTransport),
        (false, false), (false, true), (true, true));

    private static async Task TakeSlowlyAsync(bool isEngine, bool isTransport)
    {
        TaskCompletionSource served = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            IsTransport = isTransport,
            Kestrel = static kestrel => kestrel.Limits.MinResponseDataRate = s_rate,
            Transport = static options => options.LingerTimeout = 20.Seconds(),
            Listen = listen => listen.Use(next => async connection =>
            {
                connection.Features.GetRequiredFeature<IConnectionSocketFeature>().Socket.SendBufferSize = 1_000_000;
                await next(connection);
                served.SetResult();
            }),
            Handler = static context => context.Response.Body.WriteAsync(new byte[60_000]).AsTask(),
        });
        using FrameClient client = await FrameClient.ConnectAsync(host.EndPoint, [], receiveBufferBytes: 4096);
        await client.SendAsync((byte[])[
            .. FrameClient.Request(1), .. FrameClient.Frame(Http2FrameType.GoAway, Http2FrameFlags.None, 0, new byte[8])]);
        await served.Task.Within(30.Seconds());
        await Task.Delay(5.Seconds());
        Assert.Equal(60_000, (await client.ReadStreamAsync(1)).Skip(1).Sum(static frame => frame.Payload.Length));
        Assert.Equal(Http2ErrorCode.NoError, (await client.ReadGoAwayAsync())!.Code);
    }

    /// <summary>Only time counts in which a handler waits for its body.</summary>
    [Fact]
    public Task ABodyThatNobodyReadsAndOneWithoutARateMayTakeTheirTime() => AtOnce.RunAsync(SendWithoutARateAsync, true, false);

    private static async Task SendWithoutARateAsync(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            Kestrel = static kestrel => kestrel.Limits.MinRequestBodyDataRate = s_rate,
            Handler = static async context =>
            {
                if (context.Request.Path == "/free")
                {
                    context.Features.Get<IHttpMinRequestBodyDataRateFeature>()!.MinDataRate = null;
                    await context.Request.Body.CopyToAsync(Stream.Null);
                }
                else
                {
                    await Task.Delay(4.Seconds());
                }

                await context.Response.WriteAsync("answered");
            },
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, "/free", ends: false, method: "POST"));
        Assert.Equal("answered", AnswerTests.Text(await client.AskAsync(FrameClient.Request(3, "/unread", ends: false, method: "POST"))));
        await client.SendAsync(FrameClient.Data(1, "body"u8, ends: true));
        Assert.Equal("answered", AnswerTests.Text(await client.ReadStreamAsync(1)));
    }

    /// <summary>The connection's window is open, so nothing but an update of its own gives the stream its turn.</summary>
    [Fact]
    public Task AnAnswerWhoseOwnWindowOpensWaitsForNothingMore() => AtOnce.RunAsync(OpenOwnWindowAsync, true, false);

    private static async Task OpenOwnWindowAsync(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            Kestrel = static kestrel => kestrel.Limits.MinResponseDataRate = s_rate,
            Handler = static async context =>
            {
                await context.Response.Body.WriteAsync(new byte[1500]);
                await Task.Delay(4.Seconds());
                await context.Response.WriteAsync("later");
            },
        });
        using FrameClient client = await host.ConnectAsync((4, 1000u));
        await client.SendAsync(FrameClient.Request(1));
        Assert.Equal(Http2FrameType.Headers, (await client.ReadAsync())!.Type);
        Assert.Equal(1000, (await client.ReadAsync())!.Payload.Length);
        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 1, 10_000));
        Assert.Equal(500, (await client.ReadAsync())!.Payload.Length);
        Assert.Equal("later", AnswerTests.Text(await client.ReadStreamAsync(1)));
    }

    [Theory, AllValues]
    public async Task ARequestHasNoRateOfItsOwn(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(isEngine, static context =>
        {
            IHttpMinRequestBodyDataRateFeature feature = context.Features.Get<IHttpMinRequestBodyDataRateFeature>()!;
            _ = Assert.Throws<NotSupportedException>(() => feature.MinDataRate);
            _ = Assert.Throws<NotSupportedException>(() => feature.MinDataRate = s_rate);
            return context.Response.WriteAsync("refused");
        });
        using FrameClient client = await host.ConnectAsync();
        Assert.Equal("refused", AnswerTests.Text(await client.AskAsync(FrameClient.Request(1))));
    }

    /// <summary>The kernel takes little, and the rest waits here.</summary>
    private static void ListenWithLittle(ListenOptions listen, string kind, X509Certificate2 certificate, TaskCompletionSource ended)
    {
        listen.Use(next => connection =>
        {
            connection.Features.GetRequiredFeature<IConnectionSocketFeature>().Socket.SendBufferSize = 4096;
            _ = connection.ConnectionClosed.Register(ended.SetResult);
            return next(connection);
        });
        _ = kind == "ring" ? listen.UseIoxideTls(certificate) : kind == "ssl" ? listen.UseHttps(certificate) : listen;
    }

    private static async Task SendByteByByteAsync(FrameClient client, byte[] bytes, CancellationToken over)
    {
        for (int index = 0; index < bytes.Length; index++)
        {
            await client.SendAsync(bytes.AsMemory(index, 1));
            await Task.Delay(200.Milliseconds(), over);
        }
    }

    /// <summary>Kestrel may reset the connection before its GOAWAY was sent.</summary>
    private static async Task AssertEndsAsync(FrameClient client, bool isEngine)
    {
        Frame? goAway = await client.ReadGoAwayAsync();
        if (isEngine || goAway is not null)
        {
            Assert.Equal(Http2ErrorCode.InternalError, goAway!.Code);
        }
    }
}
