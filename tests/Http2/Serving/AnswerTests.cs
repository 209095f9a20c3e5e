using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Http2.Tests;

/// <summary>What becomes of what handlers do: statuses, bodies, trailers, failures, aborts.</summary>
public class AnswerTests
{
    [Theory]
    [InlineData("GET", 200, "body", "200 4 body")]
    [InlineData("HEAD", 200, "body", "200  ")]
    [InlineData("GET", 204, "", "204  ")]
    [InlineData("GET", 304, "", "304  ")]
    [InlineData("GET", 200, "", "200 0 ")]
    [InlineData("GET", 418, "", "418 0 ")]
    public async Task AnAnswerHasWhatItsStatusAndMethodAllow(string method, int status, string body, string expected)
    {
        await using Http2Host host = await Http2Host.StartAsync(async context =>
        {
            context.Response.StatusCode = status;
            if (body.Length > 0)
            {
                context.Response.ContentLength = method == "HEAD" ? null : body.Length;
                await context.Response.WriteAsync(body);
            }
        });
        List<Frame> frames = await GetAsync(host, method: method);
        Assert.Equal(expected, $"{frames[0][":status"]} {frames[0]["content-length"]} {Text(frames)}");
    }

    /// <summary>RFC 9113, section 8.1.1: Content-Length is the sum of the bytes, also where the handler says it behind them.</summary>
    [Theory]
    [InlineData("GET", 3, "500 0 ")]
    [InlineData("GET", 4, "200 4 body")]
    [InlineData("HEAD", 3, "200 3 ")]
    public async Task ALengthBehindMoreBytesIsAnErrorOfTheApplication(string method, int length, string expected)
    {
        await using Http2Host host = await Http2Host.StartAsync(
            isEngine: true,
            context =>
            {
                "body"u8.CopyTo(context.Response.BodyWriter.GetSpan(4));
                context.Response.BodyWriter.Advance(4);
                context.Response.ContentLength = length;
                return Task.CompletedTask;
            },
            expectsErrors: true);
        List<Frame> frames = await GetAsync(host, method: method);
        Assert.Equal(expected, $"{frames[0][":status"]} {frames[0]["content-length"]} {Text(frames)}");
    }

    /// <summary>Middleware replaces the method for what comes behind it; the client still waits for an answer to its own.</summary>
    [Theory]
    [InlineData("HEAD", "GET", "", true)]
    [InlineData("HEAD", "GET", "", false)]
    [InlineData("POST", "HEAD", "body", true)]
    [InlineData("POST", "HEAD", "body", false)]
    public async Task AnAnswerIsForTheMethodThatTheClientSent(string method, string replaced, string expected, bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(isEngine, context =>
        {
            context.Request.Method = replaced;
            return context.Response.WriteAsync("body");
        });
        List<Frame> frames = await GetAsync(host, method: method);
        Assert.Equal(expected, Text(frames));
    }

    [Fact]
    public async Task FieldsKeepTheirValuesAndOrderAndSecretsAreNeverIndexed()
    {
        await using Http2Host host = await Http2Host.StartAsync(static context =>
        {
            context.Response.ContentType = "text/x";
            context.Response.Headers.Server = "own";
            context.Response.Headers.Append("X-Many", "1");
            context.Response.Headers.Append("X-Many", "2");
            context.Response.Headers.Append("Set-Cookie", "a=1");
            context.Response.Headers.Append("Set-Cookie", "b=2");
            return Task.CompletedTask;
        });
        List<Frame> frames = await GetAsync(host);
        Assert.Equal([new(":status", "200"), new("content-type", "text/x"), new("server", "own")], frames[0].Fields!.Take(3));
        Assert.Equal(
            [new("x-many", "1"), new("x-many", "2"), new("set-cookie", "a=1", true), new("set-cookie", "b=2", true), new("content-length", "0")],
            frames[0].Fields!.Skip(4));
    }

    [Fact]
    public async Task FieldsAreReadOnlyOnceTheyAreSent()
    {
        List<string> failures = [];
        await using Http2Host host = await Http2Host.StartAsync(async context =>
        {
            await context.Response.StartAsync();
            failures.Add(Record.Exception(() => context.Response.Headers["X"] = "1")!.GetType().Name);
            failures.Add(Record.Exception(() => context.Response.StatusCode = 404)!.GetType().Name);
            failures.Add(Record.Exception(() => context.Response.OnStarting(static () => Task.CompletedTask))!.GetType().Name);
            await context.Response.WriteAsync("body");
        });
        List<Frame> frames = await GetAsync(host);
        Assert.Equal(["InvalidOperationException", "InvalidOperationException", "InvalidOperationException"], failures);
        Assert.Null(frames[0]["content-length"]);
        Assert.Equal("body", Text(frames));
    }

    [Theory, Each("line\r\nbreak", "caf\u00e9")]
    public async Task AFieldThatCannotBeSentIsRefusedWhereItIsSet(string value)
    {
        Exception? failure = null;
        await using Http2Host host = await Http2Host.StartAsync(context =>
        {
            failure = Record.Exception(() => context.Response.Headers["X"] = value);
            return Task.CompletedTask;
        });
        _ = await GetAsync(host);
        Assert.IsType<InvalidOperationException>(failure);
    }

    [Theory, AllValues]
    public async Task TrailersEndTheAnswer(bool hasBody)
    {
        await using Http2Host host = await Http2Host.StartAsync(async context =>
        {
            context.Response.AppendTrailer("grpc-status", "0");
            if (hasBody)
            {
                await context.Response.WriteAsync("body");
            }
        });
        List<Frame> frames = await GetAsync(host);
        Assert.Equal("0", frames[^1]["grpc-status"]);
        Assert.Equal(hasBody ? "body" : "", Text(frames));
        Assert.True(frames[^1].EndsStream);
    }

    [Fact]
    public async Task TrailersOfARequestAreThereBehindItsBody()
    {
        TaskCompletionSource begun = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(async context =>
        {
            bool before = context.Request.CheckTrailersAvailable();
            begun.SetResult();
            await context.Request.Body.CopyToAsync(Stream.Null);
            await context.Response.WriteAsync($"{before} {context.Request.CheckTrailersAvailable()} {context.Request.GetTrailer("sum")}");
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        await begun.Task.Within(30.Seconds());
        await client.SendAsync(FrameClient.Data(1, "body"u8));
        Assert.Equal("False True 42", Text(await client.AskAsync(FrameClient.Headers(1, true, ("sum", "42")))));
    }

    [Fact]
    public async Task AClientThatWaitsForContinueIsTold()
    {
        await using Http2Host host = await Http2Host.StartAsync(static context => context.Request.Body.CopyToAsync(context.Response.Body));
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST", others: ("expect", "100-continue")));
        Frame first = (await client.ReadAsync())!;
        Assert.Equal(("100", false), (first[":status"], first.EndsStream));
        await client.SendAsync(FrameClient.Data(1, "body"u8, ends: true));
        List<Frame> frames = await client.ReadStreamAsync(1);
        Assert.Equal("200 body", $"{frames[0][":status"]} {Text(frames)}");
    }

    [Fact]
    public async Task AFailureIs500OrAReset()
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            ExpectsErrors = true,
            Handler = static async context =>
            {
                context.Response.Headers["X-Lost"] = "1";
                if (context.Request.Path == "/late")
                {
                    await context.Response.WriteAsync("some");
                }

                throw context.Request.Path == "/bad" ? new Microsoft.AspNetCore.Http.BadHttpRequestException("bad", 422) : new InvalidOperationException("It fails.");
            },
        });
        using FrameClient client = await host.ConnectAsync();
        Frame early = Assert.Single(await client.AskAsync(FrameClient.Request(1)));
        Assert.Equal(("500", "0", null), (early[":status"], early["content-length"], early["x-lost"]));
        Frame late = (await client.AskAsync(FrameClient.Request(3, "/late")))[^1];
        Assert.Equal((Http2FrameType.RstStream, Http2ErrorCode.InternalError), (late.Type, late.Code));
        Assert.Equal("422", (await client.AskAsync(FrameClient.Request(5, "/bad")))[0][":status"]);
    }

    [Theory, Each("/few", "/many")]
    public async Task ALengthThatIsNotKeptIsAFailure(string path)
    {
        await using Http2Host host = await Http2Host.StartAsync(isEngine: true, static async context =>
        {
            context.Response.ContentLength = 5;
            await context.Response.StartAsync();
            await context.Response.WriteAsync(context.Request.Path == "/few" ? "four" : "sixsix");
        }, expectsErrors: true);
        Frame last = (await GetAsync(host, path))[^1];
        Assert.Equal((Http2FrameType.RstStream, Http2ErrorCode.InternalError), (last.Type, last.Code));
    }

    [Theory, AllValues]
    public async Task ABodyAboveTheLimitIs413(bool isDeclared)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            ExpectsErrors = true,
            Kestrel = static kestrel => kestrel.Limits.MaxRequestBodySize = 100,
            Handler = static context => context.Request.Body.CopyToAsync(Stream.Null),
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST", others: isDeclared ? [("content-length", "101")] : []));
        await client.SendAsync(FrameClient.Data(1, new byte[101], ends: true));
        Assert.Equal("413", (await client.ReadStreamAsync(1))[0][":status"]);
    }

    [Fact]
    public Task AResetOfTheClientFiresRequestAborted()
        => AssertAbortedAsync(static client => client.SendAsync(FrameClient.Number(Http2FrameType.RstStream, 1, 8)));

    [Fact]
    public Task ALostConnectionFiresRequestAborted() => AssertAbortedAsync(static client =>
    {
        client.Dispose();
        return Task.CompletedTask;
    });

    [Fact]
    public async Task TheApplicationAbortsAndResets()
    {
        await using Http2Host host = await Http2Host.StartAsync(static async context =>
        {
            await context.Response.StartAsync();
            if (context.Request.Path == "/reset")
            {
                context.Features.Get<IHttpResetFeature>()!.Reset((int)Http2ErrorCode.Cancel);
            }
            else
            {
                context.Abort();
            }
        });
        using FrameClient client = await host.ConnectAsync();
        Assert.Equal(Http2ErrorCode.Cancel, (await client.AskAsync(FrameClient.Request(1, "/reset")))[^1].Code);
        Assert.Equal(Http2ErrorCode.InternalError, (await client.AskAsync(FrameClient.Request(3)))[^1].Code);
    }

    /// <remarks>Such is the end of a gRPC call whose deadline passes on the server: its status, then the reset.</remarks>
    [Theory]
    [InlineData(false, ":status: 200; 7 bytes; RST Cancel")]
    [InlineData(true, ":status: 200; 7 bytes; grpc-status: 4 END; RST Cancel")]
    public async Task WhatWasWrittenBeforeAResetIsSentBeforeIt(bool completes, string expected)
    {
        // Off the reactor, so that it may find all of it at once.
        await using Http2Host host = await Http2Host.StartAsync(context => Task.Run(async () =>
        {
            context.Response.AppendTrailer("grpc-status", "4");
            await context.Response.WriteAsync("awaited");
            if (completes)
            {
                await context.Response.CompleteAsync();
            }

            context.Features.GetRequiredFeature<IHttpResetFeature>().Reset((int)Http2ErrorCode.Cancel);
        }));
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        List<string> seen = [];
        Frame frame;
        do
        {
            frame = await client.ReadAsync() ?? throw new EndOfStreamException();
            seen.Add(frame.Type switch
            {
                Http2FrameType.Headers => $"{frame.Fields![0].Name}: {frame.Fields[0].Value}{(frame.EndsStream ? " END" : "")}",
                Http2FrameType.Data => $"{frame.Payload.Length} bytes",
                _ => $"RST {frame.Code}",
            });
        }
        while (frame.Type != Http2FrameType.RstStream);
        Assert.Equal(expected, string.Join("; ", seen));
    }

    [Fact]
    public async Task AResetComesBehindACompleteAnswerThatWaitsForAWindow()
    {
        TaskCompletionSource reset = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(async context =>
        {
            await context.Response.WriteAsync(new string('w', 100));
            await context.Response.CompleteAsync();
            context.Features.GetRequiredFeature<IHttpResetFeature>().Reset((int)Http2ErrorCode.Cancel);
            reset.SetResult();
        });
        using FrameClient client = await host.ConnectAsync((4, 10));
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        await reset.Task.Within(30.Seconds());
        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 1, 1000));
        List<Frame> frames = await client.ReadStreamAsync(1);
        Assert.Equal(100, Text(frames).Length);
        Assert.True(frames[^1].EndsStream);
        Assert.Equal(Http2ErrorCode.Cancel, (await client.ReadStreamAsync(1))[^1].Code);
    }

    /// <remarks>RFC 9110, sections 15 and 6.4.1. Kestrel sends them as they are.</remarks>
    [Theory]
    [InlineData(99, 0)]
    [InlineData(1000, 0)]
    [InlineData(0, 0)]
    [InlineData(-1, 0)]
    [InlineData(204, 5)]
    [InlineData(205, 5)]
    [InlineData(304, 5)]
    public async Task AStatusThatCannotBeSentAndBytesThatItForbidsAreAnsweredBy500(int status, int bytes)
    {
        await using Http2Host host = await Http2Host.StartAsync(isEngine: true, context =>
        {
            context.Response.StatusCode = status;
            _ = context.Response.BodyWriter.GetMemory(bytes);
            context.Response.BodyWriter.Advance(bytes);
            return Task.CompletedTask;
        }, expectsErrors: true);
        List<Frame> frames = await GetAsync(host);
        Assert.Equal("500 0", $"{frames[0][":status"]} {frames[0]["content-length"]}");
        Assert.True(frames[0].EndsStream);
        Assert.Contains(host.Logs, static line => line.Exception is InvalidOperationException);
    }

    /// <remarks>Three megabytes in writes of 16 KiB: one frame each.</remarks>
    [Fact]
    public async Task AWriteOfAFramesLengthIsOneFrame()
    {
        const int FrameBytes = 16 * 1024;
        const int Writes = 183;
        await using Http2Host host = await Http2Host.StartAsync(static async context =>
        {
            byte[] piece = new byte[FrameBytes];
            for (int write = 0; write < Writes; write++)
            {
                await context.Response.Body.WriteAsync(piece);
            }
        });
        using FrameClient client = await host.ConnectAsync((4, int.MaxValue));
        await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 0, int.MaxValue - 65_535));
        List<Frame> frames = await client.AskAsync(FrameClient.Request(1));
        Assert.Equal(FrameBytes * Writes, frames.Where(static frame => frame.Type == Http2FrameType.Data).Sum(static frame => frame.Payload.Length));
        Assert.InRange(frames.Count, Writes, Writes + 2);
    }

    [Fact]
    public async Task ARequestWhoseBodyIsNotReadIsAnsweredAndReset()
    {
        await using Http2Host host = await Http2Host.StartAsync(static context => context.Response.WriteAsync("no"));
        using FrameClient client = await host.ConnectAsync();
        Assert.Equal("no", Text(await client.AskAsync(FrameClient.Request(1, ends: false, method: "POST"))));
        Frame reset = (await client.ReadAsync())!;
        Assert.Equal((Http2FrameType.RstStream, Http2ErrorCode.NoError), (reset.Type, reset.Code));

        // The client did not know yet.
        await client.SendAsync(FrameClient.Data(1, "late"u8));
        await client.SendAsync(FrameClient.Headers(1, true, ("late", "1")));
        Assert.Equal("200", (await client.AskAsync(FrameClient.Request(3)))[0][":status"]);
    }

    [Fact]
    public async Task CookiesInPiecesAreOneField()
    {
        await using Http2Host host = await Http2Host.StartAsync(static context => context.Response.WriteAsync(context.Request.Headers.Cookie.ToString()));
        Assert.Equal("a=1; b=2; c=3", Text(await GetAsync(host, others: [("cookie", "a=1"), ("cookie", "b=2"), ("cookie", "c=3")])));
    }

    [Fact]
    public async Task ResetsAndExtendedConnectAreFeatures()
    {
        Type[] expected = await FeaturesAsync(isEngine: false);
        Type[] actual = await FeaturesAsync(isEngine: true);
        Assert.DoesNotContain(typeof(IHttpExtendedConnectFeature), expected.Except(actual));
        Assert.DoesNotContain(typeof(IHttpResetFeature), expected.Except(actual));
    }

    internal static string Text(IEnumerable<Frame> frames)
        => string.Concat(frames.Where(static frame => frame.Type == Http2FrameType.Data).Select(static frame => frame.Text));

    private static async Task<Type[]> FeaturesAsync(bool isEngine)
    {
        Type[] features = [];
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            Protocols = HttpProtocols.Http2,
            Handler = context =>
            {
                features = [.. context.Features.Select(static feature => feature.Key)];
                return Task.CompletedTask;
            },
        });
        _ = await GetAsync(host);
        return features;
    }

    private static async Task<List<Frame>> GetAsync(
        Http2Host host, string path = "/", string method = "GET", (string Name, string Value)[]? others = null)
    {
        using FrameClient client = await host.ConnectAsync();
        return await client.AskAsync(FrameClient.Request(1, path, method: method, others: others ?? []));
    }

    private static async Task AssertAbortedAsync(Func<FrameClient, Task> end)
    {
        TaskCompletionSource started = Waits.Signal();
        TaskCompletionSource aborted = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(async context =>
        {
            started.SetResult();
            await Task.Delay(Timeout.Infinite, context.RequestAborted).ContinueWith(static _ => { }, TaskScheduler.Default);
            aborted.SetResult();
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1));
        await started.Task.Within(30.Seconds());
        await end(client);
        await aborted.Task.Within(30.Seconds());
    }
}
