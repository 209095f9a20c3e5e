using System.Diagnostics;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Http2.Tests;

/// <summary>What a request leaves in the execution context of the thread that began it: activities, logging scopes, <see cref="AsyncLocal{T}"/>.</summary>
public class ContextTests
{
    private static readonly AsyncLocal<string?> s_local = new();
    private static readonly AsyncLocal<string?> s_connection = new();

    [Theory, AllValues]
    public async Task ARequestSeesNothingOfTheOneBefore(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup { IsEngine = isEngine, Handler = Handle });
        using FrameClient client = await host.ConnectAsync();
        for (int id = 1; id < 16; id += 4)
        {
            await client.SendAsync(FrameClient.Request(id, "/waits", ends: false, method: "POST"));
            Assert.Equal("before: nothing, parent: nothing, own: /answers", AnswerTests.Text(await client.AskAsync(FrameClient.Request(id + 2, "/answers"))));
            await client.SendAsync(FrameClient.Data(id, "body"u8, ends: true));
            Assert.Equal("before: nothing, parent: nothing, own: /waits", AnswerTests.Text(await client.ReadStreamAsync(id)));
        }

        // No async method: what it sets stays on the thread unless the server puts it back.
        static Task Handle(HttpContext context)
        {
            string before = $"before: {s_local.Value ?? "nothing"}, parent: {Activity.Current!.Parent?.Id ?? "nothing"}";
            s_local.Value = context.Request.Path;
            return context.Request.Path == "/waits" ? WaitAsync(context, before) : AnswerAsync(context, before);
        }

        static async Task WaitAsync(HttpContext context, string before)
        {
            await context.Request.Body.CopyToAsync(Stream.Null);
            await AnswerAsync(context, before);
        }

        static Task AnswerAsync(HttpContext context, string before) => context.Response.WriteAsync($"{before}, own: {s_local.Value}");
    }

    /// <summary>The ring turns on the stack of a handler that blocks: it serves that handler's connection, and begins others.</summary>
    [Fact]
    public async Task NoRequestSeesWhatAHandlerThatBlocksHasSet()
    {
        TaskCompletionSource blocks = Waits.Signal();
        using ManualResetEventSlim release = new();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Transport = static options => options.ApplicationScheduling = ApplicationScheduling.Inline,
            Listen = NameConnection,
            Handler = context =>
            {
                string seen = $"{s_local.Value ?? "nothing"} on {s_connection.Value}";
                s_local.Value = context.Request.Path;
                if (context.Request.Path == "/block")
                {
                    blocks.SetResult();
                    release.Wait();
                }

                return context.Response.WriteAsync($"{seen}, own: {s_local.Value}");
            },
        });
        using FrameClient first = await host.ConnectAsync();
        await first.SendAsync(FrameClient.Request(1, "/block"));
        await blocks.Task.Within(30.Seconds());
        using FrameClient second = await host.ConnectAsync();
        Assert.Equal("nothing on its connection, own: /beside", AnswerTests.Text(await first.AskAsync(FrameClient.Request(3, "/beside"))));
        Assert.Equal("nothing on its connection, own: /beside", AnswerTests.Text(await second.AskAsync(FrameClient.Request(1, "/beside"))));
        release.Set();
        Assert.Equal("nothing on its connection, own: /block", AnswerTests.Text(await first.ReadStreamAsync(1)));
        Assert.Equal("nothing on its connection, own: /after", AnswerTests.Text(await first.AskAsync(FrameClient.Request(5, "/after"))));
        Assert.Equal("nothing on its connection, own: /after", AnswerTests.Text(await second.AskAsync(FrameClient.Request(3, "/after"))));
    }

    [Theory]
    [InlineData(true, ApplicationScheduling.Inline)]
    [InlineData(true, ApplicationScheduling.ThreadPool)]
    [InlineData(false, ApplicationScheduling.Inline)]
    public async Task ARequestSeesWhatTheMiddlewareOfItsConnectionHasSet(bool isEngine, ApplicationScheduling scheduling)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            Transport = options => options.ApplicationScheduling = scheduling,
            Listen = NameConnection,
            Handler = static context =>
            {
                string seen = $"on {s_connection.Value}";
                s_connection.Value = "another";
                return context.Response.WriteAsync(seen);
            },
        });
        using FrameClient client = await host.ConnectAsync();
        for (int id = 1; id < 8; id += 2)
        {
            Assert.Equal("on its connection", AnswerTests.Text(await client.AskAsync(FrameClient.Request(id))));
        }
    }

    /// <summary>The host's activity is found by type and by key, stands among the features, can be taken away, and ends with its request.</summary>
    [Theory, AllValues]
    public async Task TheActivityOfARequestIsAFeature(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup { IsEngine = isEngine, Handler = Handle });
        using FrameClient client = await host.ConnectAsync();
        for (int id = 1; id < 8; id += 2)
        {
            Assert.Equal("own own True 1 gone 0", AnswerTests.Text(await client.AskAsync(FrameClient.Request(id))));
        }

        static Task Handle(HttpContext context)
        {
            IFeatureCollection features = context.Features;
            string byType = features.Get<IHttpActivityFeature>()?.Activity == Activity.Current ? "own" : "other";
            string byKey = ReferenceEquals(features[typeof(IHttpActivityFeature)], features.Get<IHttpActivityFeature>()) ? "own" : "other";
            int revision = features.Revision;
            int count = Count();
            features[typeof(IHttpActivityFeature)] = null;
            string after = features.Get<IHttpActivityFeature>() is null ? "gone" : "there";
            return context.Response.WriteAsync($"{byType} {byKey} {features.Revision > revision} {count} {after} {Count()}");

            int Count() => features.Count(static feature => feature.Key == typeof(IHttpActivityFeature));
        }
    }

    /// <summary>What is known of a target or a host from the request before holds for the same one only.</summary>
    [Theory, AllValues]
    public async Task EachTargetIsReadForItself(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup { IsEngine = isEngine, Handler = Handle });
        using FrameClient client = await host.ConnectAsync();
        (string Target, string Host, string Seen)[] requests =
        [
            ("/a%20b?x=1", "one:80", "/a b ?x=1 one:80"),
            ("/a%20b?x=1", "one:80", "/a b ?x=1 one:80"),
            ("/a%20b", "two", "/a b  two"),
            ("/", "two", "/  two"),
            ("/a%20b?x=1", "one:80", "/a b ?x=1 one:80"),
            ("/?", "one:80", "/ ? one:80"),
        ];
        int id = 1;
        foreach ((string target, string name, string seen) in requests)
        {
            List<Frame> answer = await client.AskAsync(FrameClient.Headers(id, true, (":method", "GET"), (":scheme", "http"), (":path", target), (":authority", name)));
            Assert.Equal($"{seen} {id:X8}", AnswerTests.Text(answer));
            id += 2;
        }

        for (; id < 17; id += 2)
        {
            byte[] request = FrameClient.Headers(id, true, (":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "one:80, two"));
            Assert.Equal(Http2ErrorCode.ProtocolError, (await client.AskAsync(request))[^1].Code);
        }

        static Task Handle(HttpContext context)
        {
            Assert.StartsWith($"{context.Connection.Id}:", context.TraceIdentifier, StringComparison.Ordinal);
            return context.Response.WriteAsync(
                $"{context.Request.Path.Value} {context.Request.QueryString} {context.Request.Host} {context.TraceIdentifier[(context.Connection.Id.Length + 1)..]}");
        }
    }

    /// <summary>The object of a request is used again by the next: nothing that the application set on it is.</summary>
    [Theory, AllValues]
    public async Task FeaturesOfARequestEndWithIt(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup { IsEngine = isEngine, Handler = Handle });
        using FrameClient client = await host.ConnectAsync();
        for (int id = 1; id < 10; id += 2)
        {
            Assert.Equal("nothing 0 HttpRequestFeature /other own", AnswerTests.Text(await client.AskAsync(FrameClient.Request(id))));
        }

        static Task Handle(HttpContext context)
        {
            string before = $"{context.GetEndpoint()?.DisplayName ?? "nothing"} {context.Request.RouteValues.Count}";
            context.SetEndpoint(new Endpoint(null, null, "an endpoint"));
            context.Request.RouteValues["key"] = "value";
            IHttpRequestFeature own = context.Features.Get<IHttpRequestFeature>()!;
            context.Features.Set<IHttpRequestFeature>(new HttpRequestFeature { Path = "/other" });
            string replaced = $"{context.Features.Get<IHttpRequestFeature>()!.GetType().Name} {context.Request.Path}";
            context.Features.Set(own);
            string back = ReferenceEquals(own, context.Features.Get<IHttpRequestFeature>()) ? "own" : "replaced";
            return context.Response.WriteAsync($"{before} {replaced} {back}");
        }
    }

    [Fact]
    public async Task WhatIsSetOnTheFeaturesOfARequestThatIsOverTheNextDoesNotSee()
    {
        IFeatureCollection? kept = null;
        string called = "";
        await using Http2Host host = await Http2Host.StartAsync(context =>
        {
            kept = context.Features;
            IHttpResponseFeature response = kept.GetRequiredFeature<IHttpResponseFeature>();
            return context.Response.WriteAsync(
                $"{kept.Get<ContextTests>() is null} {context.GetEndpoint() is null} {response.ReasonPhrase} {response.Headers["X-Kept"]} "
                + $"{context.Request.Headers["X-Kept"]} {context.TraceIdentifier == "kept"} {context.RequestAborted.IsCancellationRequested}");
        });
        using FrameClient client = await host.ConnectAsync();
        for (int id = 1; id < 8; id += 2)
        {
            Assert.Equal("True True    False False", AnswerTests.Text(await client.AskAsync(FrameClient.Request(id))));
            kept!.Set(this);
            kept!.GetRequiredFeature<IEndpointFeature>().Endpoint = new Endpoint(null, null, "kept");
            kept!.GetRequiredFeature<IHttpRequestIdentifierFeature>().TraceIdentifier = "kept";
            kept!.GetRequiredFeature<IHttpRequestLifetimeFeature>().RequestAborted = new CancellationToken(canceled: true);
            IHttpRequestFeature request = kept!.GetRequiredFeature<IHttpRequestFeature>();
            request.Headers["X-Kept"] = "a field";
            request.Headers = new HeaderDictionary { ["X-Kept"] = "a field of another list" };
            IHttpResponseFeature response = kept!.GetRequiredFeature<IHttpResponseFeature>();
            response.Headers = new HeaderDictionary { ["X-Kept"] = "a field" };
            response.OnCompleted(
                _ =>
                {
                    called += "called";
                    return Task.CompletedTask;
                },
                this);
        }

        Assert.Equal("", called);
    }

    private static void NameConnection(ListenOptions listen) => listen.Use(static next => async connection =>
    {
        s_connection.Value = "its connection";
        await next(connection);
    });
}
