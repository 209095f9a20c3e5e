using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;

namespace Ioxide.Http2.Tests;

/// <summary>What a handler reads, sets and removes through its request, on the engine as on stock Kestrel.</summary>
public class FeatureTests
{
    [Theory, AllValues]
    public async Task AFeatureThatWasSetToNullIsNotListed(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(isEngine, static context =>
        {
            IFeatureCollection features = context.Features;
            features.Set(new Marker());
            int before = features.Count(static feature => feature.Key == typeof(Marker));
            features.Set<Marker>(null);
            features.Set<IHttpResetFeature>(null);
            int after = features.Count(static feature => feature.Key == typeof(Marker) || feature.Key == typeof(IHttpResetFeature));
            return context.Response.WriteAsync($"{before} {after} {features.All(static feature => feature.Value is not null)}");
        });
        Assert.Equal("1 0 True", await GetAsync(host));
    }

    [Theory, AllValues]
    public async Task TheLimitOfABodyIsFixedOnceItIsRead(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(isEngine, static async context =>
        {
            IHttpMaxRequestBodySizeFeature limit = context.Features.GetRequiredFeature<IHttpMaxRequestBodySizeFeature>();
            bool before = limit.IsReadOnly;
            limit.MaxRequestBodySize = 50;
            await context.Request.Body.CopyToAsync(Stream.Null);
            Exception? refused = Record.Exception(() => limit.MaxRequestBodySize = 60);
            await context.Response.WriteAsync($"{before} {limit.IsReadOnly} {refused?.GetType().Name} {limit.MaxRequestBodySize}");
        });
        Assert.Equal("False True InvalidOperationException 50", await PostAsync(host, "body"u8.ToArray()));
    }

    /// <summary>What was consumed counts once, whatever the handler left of it at first.</summary>
    [Theory, AllValues]
    public async Task ABodyOfTheVeryLimitIsServed(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(static kestrel => kestrel.Limits.MaxRequestBodySize = 100, static async context =>
        {
            PipeReader reader = context.Request.BodyReader;
            ReadResult read;
            long length = 0;
            do
            {
                read = await reader.ReadAsync();
                long taken = read.IsCompleted ? read.Buffer.Length : read.Buffer.Length / 2;
                length += taken;
                reader.AdvanceTo(read.Buffer.GetPosition(taken), read.Buffer.End);
            }
            while (!read.IsCompleted);

            await context.Response.WriteAsync($"{length}");
        }, isEngine);
        Assert.Equal("100", await PostAsync(host, new byte[60], new byte[40]));
    }

    /// <summary>So does a reader of whole messages: it leaves everything where it is until it has seen the end.</summary>
    [Theory, AllValues]
    public async Task ABodyThatIsLookedAtAndLeftIsCredited(bool isEngine)
    {
        const int Window = 65_535;
        const int Piece = 13_107;
        await using Http2Host host = await Http2Host.StartAsync(
            static kestrel => kestrel.Limits.Http2.InitialStreamWindowSize = Window,
            static async context =>
            {
                PipeReader reader = context.Request.BodyReader;
                ReadResult read = await reader.ReadAsync();
                while (!read.IsCompleted)
                {
                    reader.AdvanceTo(read.Buffer.Start, read.Buffer.End);
                    read = await reader.ReadAsync();
                }

                await context.Response.WriteAsync($"{read.Buffer.Length}");
            },
            isEngine);
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        int left = Window;
        for (int sent = 0; sent < 3 * Window; sent += Piece)
        {
            while (left < Piece)
            {
                Frame frame = (await client.ReadAnyAsync().Within(20.Seconds()))!;
                left += frame is { Type: Http2FrameType.WindowUpdate, StreamId: 1 } ? frame.Number : 0;
            }

            left -= Piece;
            await client.SendAsync(FrameClient.Data(1, new byte[Piece], ends: sent + Piece == 3 * Window));
        }

        Assert.Equal($"{3 * Window}", AnswerTests.Text(await client.ReadStreamAsync(1)));
    }

    [Theory, AllValues]
    public async Task TrailersAreRefusedUntilTheRequestHasEnded(bool isEngine)
    {
        TaskCompletionSource begun = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(isEngine, async context =>
        {
            IHttpRequestTrailersFeature trailers = context.Features.GetRequiredFeature<IHttpRequestTrailersFeature>();
            Exception? refused = Record.Exception(() => trailers.Trailers);
            begun.SetResult();
            await context.Request.Body.CopyToAsync(Stream.Null);
            await context.Response.WriteAsync($"{refused?.GetType().Name} {trailers.Trailers["sum"]}");
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        await begun.Task.Within(20.Seconds());
        Assert.Equal("InvalidOperationException 42", AnswerTests.Text(await client.AskAsync(FrameClient.Headers(1, true, ("sum", "42")))));
    }

    [Theory, AllValues]
    public async Task TrailersOfAnAnswerEndWithIt(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(isEngine, static context =>
        {
            if (context.Request.Path == "/with")
            {
                context.Response.AppendTrailer("sum", "42");
            }

            return context.Response.WriteAsync("body");
        });
        using FrameClient client = await host.ConnectAsync();
        for (int id = 1; id < 20; id += 4)
        {
            Assert.Equal("42", (await client.AskAsync(FrameClient.Request(id, "/with")))[^1]["sum"]);
            List<Frame> frames = await client.AskAsync(FrameClient.Request(id + 2, "/without"));
            Assert.Equal("body", AnswerTests.Text(frames));
            Assert.Single(frames, static frame => frame.Type == Http2FrameType.Headers);
        }
    }

    [Theory]
    [InlineData(false, false, "500", "")]
    [InlineData(false, true, "500", "")]
    [InlineData(true, false, "200", "InternalError")]
    [InlineData(true, true, "200", "InternalError")]
    public async Task TrailersThatCannotBeSentAreTheApplicationsFailure(bool hasStarted, bool areUnreadable, string status, string reset)
    {
        TaskCompletionSource completed = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(isEngine: true, async context =>
        {
            if (context.Request.Path == "/wrong")
            {
                context.Response.OnCompleted(() =>
                {
                    completed.SetResult();
                    return Task.CompletedTask;
                });
                context.Features.GetRequiredFeature<IHttpResponseTrailersFeature>().Trailers =
                    areUnreadable ? new FieldsOf(static () => throw new NotSupportedException("They cannot be read.")) : new HeaderDictionary { ["X"] = "a\nb" };
                if (hasStarted)
                {
                    await context.Response.WriteAsync("body");
                }
            }
        }, expectsErrors: true);
        using FrameClient client = await host.ConnectAsync();
        List<Frame> frames = await client.AskAsync(FrameClient.Request(1, "/wrong"));
        Assert.Equal((status, reset), (frames[0][":status"], frames[^1].Type == Http2FrameType.RstStream ? $"{frames[^1].Code}" : ""));
        await completed.Task.Within(20.Seconds());
        Assert.Equal("200", (await client.AskAsync(FrameClient.Request(3)))[0][":status"]);
    }

    /// <summary>What replaces a list may read from it.</summary>
    [Fact]
    public async Task FieldsAndTrailersThatWereWrappedAreSent()
    {
        await using Http2Host host = await Http2Host.StartAsync(static async context =>
        {
            IHttpResponseFeature response = context.Features.GetRequiredFeature<IHttpResponseFeature>();
            response.Headers["X-Own"] = "1";
            IHeaderDictionary fields = response.Headers;
            response.Headers = new FieldsOf(() => fields);
            IHttpResponseTrailersFeature feature = context.Features.GetRequiredFeature<IHttpResponseTrailersFeature>();
            IHeaderDictionary trailers = feature.Trailers;
            trailers["Sum"] = "2";
            feature.Trailers = new FieldsOf(() => trailers);
            await context.Response.WriteAsync("body");
        });
        using FrameClient client = await host.ConnectAsync();
        List<Frame> frames = await client.AskAsync(FrameClient.Request(1));
        Assert.Equal(("1", "2"), (frames[0]["x-own"], frames[^1]["sum"]));
    }

    /// <summary>The feature is an old one: responses have no other way to it.</summary>
    [Theory, AllValues]
    public async Task AStreamThatReplacesTheBodysTakesItsBytes(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(isEngine, static async context =>
        {
            IHttpResponseFeature response = context.Features.GetRequiredFeature<IHttpResponseFeature>();
#pragma warning disable CS0618 // It is what the test is about.
            Stream own = response.Body;
            using MemoryStream instead = new();
            response.Body = instead;
            await context.Response.Body.WriteAsync("kept"u8.ToArray());
            response.Body = own;
#pragma warning restore CS0618
            await context.Response.Body.WriteAsync(System.Text.Encoding.ASCII.GetBytes($"{instead.Length} {ReferenceEquals(own, context.Response.Body)}"));
        });
        Assert.Equal("4 True", await GetAsync(host));
    }

    [Theory, AllValues]
    public async Task TheAuthorityCountsBeforeAHostField(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(isEngine, static context => context.Response.WriteAsync($"{context.Request.Host}"));
        using FrameClient client = await host.ConnectAsync();
        Assert.Equal("one:80", AnswerTests.Text(await client.AskAsync(FrameClient.Headers(
            1, true, (":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "one:80"), ("host", "two")))));
    }

    [Fact]
    public async Task AClientThatHasTheHeadIsToldOfNoContinue()
    {
        await using Http2Host host = await Http2Host.StartAsync(static async context =>
        {
            await context.Response.StartAsync();
            await context.Request.Body.CopyToAsync(context.Response.Body);
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST", others: ("expect", "100-continue")));
        Frame head = (await client.ReadAsync())!;
        Assert.Equal("200", head[":status"]);
        await client.SendAsync(FrameClient.Data(1, "body"u8, ends: true));
        List<Frame> rest = await client.ReadStreamAsync(1);
        Assert.DoesNotContain(rest, static frame => frame.Type == Http2FrameType.Headers);
        Assert.Equal("body", AnswerTests.Text(rest));
    }

    [Theory, AllValues]
    public async Task AFieldIsRemovedWithItsValueOnly(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(isEngine, static context =>
        {
            IHeaderDictionary headers = context.Response.Headers;
            headers["X-Field"] = "one";
            bool other = headers.Remove(KeyValuePair.Create("X-Field", new StringValues("two")));
            string left = headers["X-Field"].ToString();
            bool same = headers.Remove(KeyValuePair.Create("X-Field", new StringValues("one")));
            return context.Response.WriteAsync($"{other} {left} {same} {headers.ContainsKey("X-Field")}");
        });
        Assert.Equal("False one True False", await GetAsync(host));
    }

    [Theory, AllValues]
    public async Task EveryCallbackAtTheEndRunsThoughOneFails(bool isEngine)
    {
        TaskCompletionSource first = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(isEngine, context =>
        {
            // The last one that was registered is called first.
            context.Response.OnCompleted(() =>
            {
                first.SetResult();
                return Task.CompletedTask;
            });
            context.Response.OnCompleted(static () => throw new InvalidOperationException("It fails."));
            return context.Response.WriteAsync("answered");
        }, expectsErrors: true);
        Assert.Equal("answered", await GetAsync(host));
        await first.Task.Within(20.Seconds());
    }

    [Theory, AllValues]
    public async Task ACallbackAtTheEndMayAddAnother(bool isEngine)
    {
        TaskCompletionSource added = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(isEngine, context =>
        {
            context.Response.OnCompleted(() =>
            {
                context.Response.OnCompleted(() =>
                {
                    added.SetResult();
                    return Task.CompletedTask;
                });
                return Task.CompletedTask;
            });
            return context.Response.WriteAsync("answered");
        });
        Assert.Equal("answered", await GetAsync(host));
        await added.Task.Within(20.Seconds());
    }

    /// <summary>The token is asked for when the client has reset the stream: nothing had waited for it before.</summary>
    [Theory, AllValues]
    public async Task WhoAsksAfterTheAbortIsToldOfIt(bool isEngine)
    {
        TaskCompletionSource begun = Waits.Signal();
        TaskCompletionSource told = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(isEngine, async context =>
        {
            begun.SetResult();
            _ = await Assert.ThrowsAnyAsync<Exception>(() => context.Request.Body.CopyToAsync(Stream.Null));
            await Waits.Eventually(() => context.RequestAborted.IsCancellationRequested, 20.Seconds());
            told.SetResult();
        }, expectsErrors: true);
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        await begun.Task.Within(20.Seconds());
        await client.SendAsync(FrameClient.Number(Http2FrameType.RstStream, 1, 8));
        await told.Task.Within(30.Seconds());
    }

    [Theory, AllValues]
    public async Task AFlushThatIsCancelledBeforeItBeginsIsCancelled(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(isEngine, static async context =>
        {
            PipeWriter writer = context.Response.BodyWriter;
            _ = await writer.WriteAsync("flushed "u8.ToArray());
            writer.CancelPendingFlush();
            writer.Write("now "u8);
            FlushResult cancelled = await writer.FlushAsync();
            FlushResult next = await writer.FlushAsync();
            await context.Response.WriteAsync($"{cancelled.IsCanceled} {next.IsCanceled}");
        });
        Assert.Equal("flushed now True False", await GetAsync(host));
    }

    private static async Task<string> GetAsync(Http2Host host)
    {
        using FrameClient client = await host.ConnectAsync();
        return AnswerTests.Text(await client.AskAsync(FrameClient.Request(1)));
    }

    private static async Task<string> PostAsync(Http2Host host, params byte[][] pieces)
    {
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST"));
        for (int index = 0; index < pieces.Length; index++)
        {
            await client.SendAsync(FrameClient.Data(1, pieces[index], ends: index == pieces.Length - 1));
        }

        return AnswerTests.Text(await client.ReadStreamAsync(1));
    }

    private sealed class Marker;

    /// <summary>Is read from another list.</summary>
    private sealed class FieldsOf(Func<IHeaderDictionary> inner) : HeaderDictionary, ICollection<KeyValuePair<string, StringValues>>
    {
        int ICollection<KeyValuePair<string, StringValues>>.Count => inner().Count;

        void ICollection<KeyValuePair<string, StringValues>>.CopyTo(KeyValuePair<string, StringValues>[] array, int index)
            => inner().CopyTo(array, index);

        IEnumerator<KeyValuePair<string, StringValues>> IEnumerable<KeyValuePair<string, StringValues>>.GetEnumerator() => inner().GetEnumerator();
    }
}
