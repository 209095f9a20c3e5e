using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using System.Globalization;
using System.Net;
using System.Text;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Net.Http.Headers;

namespace Ioxide.Http2.Tests;

/// <summary>Options of Kestrel that are not limits, and what it does at a connection's edges: the same inputs on stock Kestrel and on the engine.</summary>
public class KestrelOptionTests
{
    [Theory]
    [InlineData("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")]
    [InlineData("POST /a HTTP/1.0\r\n", "\r\n")]
    [InlineData("GE", "T / HTTP/1.1\r", "\n\r\n")]
    [InlineData("PRI * HTTP/2.0\r\n\r\nSX\r\n\r\n")]
    [InlineData("not of any protocol that a server speaks\r\n")]
    public async Task WhateverAConnectionBeginsWithIsAnsweredAsByKestrel(params string[] pieces)
    {
        (string Bytes, string Logs) expected = await PlayAsync(isEngine: false);
        Assert.True(expected.Bytes.Length > 0);
        Assert.Equal(expected, await PlayAsync(isEngine: true));

        async Task<(string, string)> PlayAsync(bool isEngine)
        {
            await using Http2Host host = await Http2Host.StartAsync(new Http2Setup { IsEngine = isEngine, Handler = static _ => Task.CompletedTask });
            using FrameClient client = await FrameClient.ConnectAsync(host.EndPoint, null);
            foreach (string piece in pieces)
            {
                await client.SendAsync(Encoding.ASCII.GetBytes(piece));
                await Task.Delay(20);
            }

            List<byte> answer = [];
            byte[] buffer = new byte[1000];
            int count;
            while ((count = await client.Socket.ReceiveAsync(buffer).Within(30.Seconds())) > 0)
            {
                answer.AddRange(buffer[..count]);
            }

            return (Encoding.Latin1.GetString([.. answer]), string.Join('\n', host.Logs.Where(static line => line.Level > LogLevel.Information).Select(static line => line.Message)));
        }
    }

    /// <summary>Stock Kestrel ends each connection under some of them.</summary>
    [Fact]
    public async Task TheLargestLimitsRefuseNothing()
    {
        await using Http2Host host = await Http2Host.StartAsync(
            static kestrel =>
            {
                KestrelServerLimits limits = kestrel.Limits;
                limits.MaxRequestBufferSize = limits.MaxResponseBufferSize = limits.MaxRequestBodySize = long.MaxValue;
                limits.MaxRequestHeaderCount = limits.MaxRequestHeadersTotalSize = limits.MaxRequestLineSize = int.MaxValue;
                limits.KeepAliveTimeout = limits.RequestHeadersTimeout = Timeout.InfiniteTimeSpan;
                limits.MinRequestBodyDataRate = limits.MinResponseDataRate = new MinDataRate(1, TimeSpan.MaxValue);
                Http2Limits http2 = limits.Http2;
                http2.MaxStreamsPerConnection = http2.HeaderTableSize = http2.MaxRequestHeaderFieldSize = int.MaxValue;
                http2.InitialConnectionWindowSize = http2.InitialStreamWindowSize = int.MaxValue;
                http2.MaxFrameSize = (1 << 24) - 1;
                http2.KeepAlivePingDelay = http2.KeepAlivePingTimeout = TimeSpan.MaxValue;
            },
            static context => context.Request.Body.CopyToAsync(context.Response.Body));
        using HttpClient client = host.CreateClient();
        byte[] body = new byte[100_000];
        using HttpResponseMessage response = await client.PostAsync("/", new ByteArrayContent(body)).Within(30.Seconds());
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(body, await response.Content.ReadAsByteArrayAsync().Within(30.Seconds()));
    }

    /// <summary>.NET's client adds no field to its table, and does not announce that the table is smaller, as it should.</summary>
    [Theory, Each(0, 100, 4095)]
    public async Task ClientsOfDotNetAreServedWithASmallTable(int size)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Kestrel = kestrel => kestrel.Limits.Http2.HeaderTableSize = size,
            Handler = static context => context.Response.WriteAsync(context.Request.Headers["X-Number"].ToString()),
        });
        using HttpClient client = host.CreateClient();
        for (int number = 0; number < 20; number++)
        {
            using HttpRequestMessage request = new(HttpMethod.Get, "/")
            {
                Version = HttpVersion.Version20,
                VersionPolicy = HttpVersionPolicy.RequestVersionExact,
                Headers = { { "X-Number", $"{number}" } },
            };
            using HttpResponseMessage response = await client.SendAsync(request).Within(30.Seconds());
            Assert.Equal($"{number}", await response.Content.ReadAsStringAsync());
        }
    }

    public static TheoryData<string, string> Texts => new()
    {
        { "latin1", "caf\u00e9 \u00ff" },
        { "utf-8", "caf\u00e9 \u20ac" },
        { "utf-16", "wide" },
        { "by name", "caf\u00e9" },
        { "strict ascii", "caf\u00e9" },
        { "none", "plain" },
    };

    /// <summary>The field is sent twice, the second time by its place in the client's table, and comes back as a field and as a trailer.</summary>
    [Theory, MemberData(nameof(Texts))]
    public async Task FieldsHaveTheEncodingThatIsChosenByTheirNames(string choice, string text)
    {
        Encoding? Choose(string name) => choice switch
        {
            "latin1" => Encoding.Latin1,
            "utf-8" => Encoding.UTF8,
            "utf-16" => name.StartsWith("X-", StringComparison.OrdinalIgnoreCase) ? Encoding.BigEndianUnicode : null,
            "by name" => name.Equals("x-text", StringComparison.OrdinalIgnoreCase) ? Encoding.Latin1 : null,
            "strict ascii" => Encoding.GetEncoding("us-ascii", EncoderFallback.ReplacementFallback, DecoderFallback.ExceptionFallback),
            _ => null,
        };
        byte[] sent = (Choose("x-text") ?? Encoding.UTF8).GetBytes(text);
        byte[] other = Encoding.UTF8.GetBytes("caf\u00e9");
        string expected = await PlayAsync(isEngine: false);
        string actual = await PlayAsync(isEngine: true);
        Assert.Equal(expected, actual);
        Assert.Equal(choice == "strict ascii", !actual.Contains("200", StringComparison.Ordinal));

        async Task<string> PlayAsync(bool isEngine)
        {
            await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
            {
                IsEngine = isEngine,
                ExpectsErrors = true,
                Kestrel = kestrel => kestrel.RequestHeaderEncodingSelector = kestrel.ResponseHeaderEncodingSelector = Choose,
                Handler = async context =>
                {
                    string seen = context.Request.Headers["X-Text"].ToString();
                    context.Response.Headers["X-Text"] = seen;
                    context.Response.Headers["X-Seen"] = string.Join(' ', seen.Select(static letter => $"{(int)letter:x}"));
                    context.Response.Headers["X-Other"] = string.Join(' ', context.Request.Headers["Other"].ToString().Select(static letter => $"{(int)letter:x}"));
                    context.Response.ContentType = "text/plain";
                    context.Response.DeclareTrailer("X-Text");
                    await context.Response.StartAsync();
                    context.Response.AppendTrailer("X-Text", seen);
                },
            });
            using FrameClient client = await host.ConnectAsync();
            StringBuilder all = new();
            foreach (int streamId in (IEnumerable<int>)[1, 3])
            {
                byte[] block =
                [
                    .. FrameClient.Block((":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "localhost")),
                    .. streamId == 1 ? Added("x-text", sent) : [0xBF],
                    .. streamId == 1 ? Added("other", other) : [0xBE],
                ];
                await client.SendAsync(FrameClient.Frame(
                    Http2FrameType.Headers, Http2FrameFlags.EndHeaders | Http2FrameFlags.EndStream, streamId, block));
                foreach (Frame frame in await ReadAllAsync(client, streamId))
                {
                    all.AppendJoin('\n', (frame.Fields ?? []).Where(static field => field.Name != "date").Select(static field => $"{field.Name}={field.Value}").Order(StringComparer.Ordinal));
                }
            }

            return all.ToString();
        }

        static byte[] Added(string name, byte[] value) => [0x40, (byte)name.Length, .. Encoding.ASCII.GetBytes(name), (byte)value.Length, .. value];

        // A text that cannot be decoded ends the connection with one, and the stream with the other.
        static async Task<List<Frame>> ReadAllAsync(FrameClient client, int streamId)
        {
            List<Frame> frames = [];
            while (await client.ReadAsync() is { Type: Http2FrameType.Headers or Http2FrameType.Data } frame)
            {
                Assert.Equal(streamId, frame.StreamId);
                frames.Add(frame);
                if (frame.EndsStream)
                {
                    break;
                }
            }

            return frames;
        }
    }

    [Theory, AllValues]
    public async Task ATextThatItsEncodingCannotWriteIsRefusedWhereItIsSet(bool isTrailer)
    {
        await using Http2Host host = await Http2Host.StartAsync(
            static kestrel => kestrel.ResponseHeaderEncodingSelector =
                static name => name == "X-N" ? new UTF8Encoding(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true) : null,
            async context =>
            {
                IHeaderDictionary fields = isTrailer
                    ? context.Features.GetRequiredFeature<IHttpResponseTrailersFeature>().Trailers
                    : context.Response.Headers;
                fields["X-M"] = "written before it";
                Exception? refused = Record.Exception(() => fields["X-N"] = "\uD800");
                await context.Response.WriteAsync($"{refused?.GetType().Name}");
            });
        using FrameClient client = await host.ConnectAsync();
        Assert.Equal("InvalidOperationException", AnswerTests.Text(await client.AskAsync(FrameClient.Request(1))));
        Assert.Equal("InvalidOperationException", AnswerTests.Text(await client.AskAsync(FrameClient.Request(3))));
    }

    /// <summary>It is asked about the length of an answer without a body when the handler is over.</summary>
    [Fact]
    public async Task ASelectorOfEncodingsThatFailsBehindTheHandlerEndsItsRequestAlone()
    {
        TaskCompletionSource completed = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            ExpectsErrors = true,
            Kestrel = kestrel => kestrel.ResponseHeaderEncodingSelector =
                name => name == HeaderNames.ContentLength && !completed.Task.IsCompleted ? throw new NotSupportedException("It fails.") : null,
            Handler = context =>
            {
                context.Response.OnCompleted(() =>
                {
                    _ = completed.TrySetResult();
                    return Task.CompletedTask;
                });
                return Task.CompletedTask;
            },
        });
        using FrameClient client = await host.ConnectAsync();
        Assert.Equal(Http2ErrorCode.InternalError, (await client.AskAsync(FrameClient.Request(1)))[^1].Code);
        await completed.Task.Within(20.Seconds());
        Assert.Equal("200", (await client.AskAsync(FrameClient.Request(3)))[0][":status"]);
    }

    /// <summary>What the encoder has written of the block is in its table, and the client does not get it.</summary>
    [Theory, AllValues]
    public async Task ASelectorOfEncodingsThatFailsInABlockEndsItsConnection(bool isTrailer, bool isAsync)
    {
        await PlayAsync(isEngine: false);
        await PlayAsync(isEngine: true);

        async Task PlayAsync(bool isEngine)
        {
            bool fails = false;
            await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
            {
                IsEngine = isEngine,
                ExpectsErrors = true,
                Kestrel = kestrel => kestrel.ResponseHeaderEncodingSelector =
                    name => name == "X-N" && Volatile.Read(ref fails) ? throw new NotSupportedException("It fails.") : null,
                Handler = async context =>
                {
                    if (isTrailer)
                    {
                        context.Response.AppendTrailer("X-N", "value");
                    }
                    else
                    {
                        context.Response.Headers["X-N"] = "value";
                    }

                    if (isAsync)
                    {
                        await Task.Yield();
                    }

                    Volatile.Write(ref fails, true);
                },
            });
            using FrameClient client = await host.ConnectAsync();
            await client.SendAsync(FrameClient.Request(1));
            while (await client.ReadAsync().Within(20.Seconds()) is { } frame)
            {
                Assert.False(frame.EndsStream && frame.Type == Http2FrameType.Headers);
            }
        }
    }

    [Theory, AllValues]
    public async Task ATextThatAnEncodingDoesNotTakeIsTheApplicationsError(bool hasEncoding)
    {
        Assert.Equal(await PlayAsync(isEngine: false), await PlayAsync(isEngine: true));

        async Task<string?> PlayAsync(bool isEngine)
        {
            await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
            {
                IsEngine = isEngine,
                ExpectsErrors = true,
                Kestrel = kestrel => kestrel.ResponseHeaderEncodingSelector = hasEncoding ? static _ => Encoding.UTF8 : static _ => null,
                Handler = static async context =>
                {
                    List<string> errors = [];
                    foreach (string value in (IEnumerable<string>)["caf\u00e9", "a\r\nb", "a\0b", "a\tb", "a\u0001b", "a\u007fb", "a\u0080b"])
                    {
                        try
                        {
                            context.Response.Headers["X"] = value;
                            errors.Add("taken");
                        }
                        catch (InvalidOperationException)
                        {
                            errors.Add("refused");
                        }
                    }

                    context.Response.Headers.Remove("X");
                    await context.Response.WriteAsync(string.Join(' ', errors));
                },
            });
            using FrameClient client = await host.ConnectAsync();
            return AnswerTests.Text(await client.AskAsync(FrameClient.Request(1)));
        }
    }

    [Theory]
    [InlineData(true, "http")]
    [InlineData(true, "HTTP")]
    [InlineData(true, "https")]
    [InlineData(true, "x-scheme+1.0")]
    [InlineData(true, "1x")]
    [InlineData(true, "")]
    [InlineData(false, "https")]
    public async Task SchemesAreTakenAsByKestrel(bool allowsAlternates, string scheme)
    {
        Assert.Equal(await PlayAsync(isEngine: false), await PlayAsync(isEngine: true));

        async Task<string> PlayAsync(bool isEngine)
        {
            await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
            {
                IsEngine = isEngine,
                Kestrel = kestrel => kestrel.AllowAlternateSchemes = allowsAlternates,
                Handler = static context => context.Response.WriteAsync(context.Request.Scheme),
            });
            using FrameClient client = await host.ConnectAsync();
            List<Frame> frames = await client.AskAsync(FrameClient.Headers(1, true, (":method", "GET"), (":scheme", scheme), (":path", "/"), (":authority", "localhost")));
            return frames[^1].Type == Http2FrameType.RstStream ? $"{frames[^1].Code}" : AnswerTests.Text(frames);
        }
    }

    /// <summary>A transport for HTTP/3 is registered that binds nothing: the announcement is what is compared.</summary>
    [Theory]
    [InlineData(false, HttpProtocols.Http1AndHttp2AndHttp3)]
    [InlineData(true, HttpProtocols.Http1AndHttp2AndHttp3)]
    [InlineData(false, HttpProtocols.Http1AndHttp2)]
    public async Task Http3IsAnnouncedAsByKestrel(bool isDisabled, HttpProtocols protocols)
    {
        string expected = await PlayAsync(isEngine: false);
        Assert.Equal(expected, await PlayAsync(isEngine: true));
        Assert.Equal(!isDisabled && protocols.HasFlag(HttpProtocols.Http3), expected.Contains("h3=", StringComparison.Ordinal));

        async Task<string> PlayAsync(bool isEngine)
        {
            using var certificate = CertificateMaker.SelfSigned();
            await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
            {
                IsEngine = isEngine,
                Protocols = protocols,
                ExpectsErrors = true,
                Services = static services => services.AddSingleton<IMultiplexedConnectionListenerFactory, NoHttp3>(),
                Listen = listen =>
                {
                    listen.DisableAltSvcHeader = isDisabled;
                    _ = isEngine ? listen.UseIoxideTls(certificate) : listen.UseHttps(certificate);
                },
                Handler = static context =>
                {
                    if (context.Request.Path == "/own")
                    {
                        context.Response.Headers.AltSvc = "clear";
                    }

                    context.Response.StatusCode = context.Request.Path == "/fail" ? 500 : 200;
                    return context.Response.WriteAsync(context.Request.Protocol);
                },
            });
            using HttpClient client = host.CreateClient(isHttps: true);
            StringBuilder seen = new();
            foreach (string path in (IEnumerable<string>)["/", "/own", "/fail"])
            {
                using HttpResponseMessage response = await client.GetAsync(path).Within(30.Seconds());
                string announced = response.Headers.TryGetValues("Alt-Svc", out IEnumerable<string>? values) ? string.Join(',', values) : "none";
                seen.AppendLine(CultureInfo.InvariantCulture, $"{path} {response.Version} {announced.Replace($":{host.EndPoint.Port}", ":port", StringComparison.Ordinal)}");
            }

            return seen.ToString();
        }
    }

    /// <summary>The client decodes with a table. What is not added to it is written out in each answer.</summary>
    [Theory, AllValues]
    public async Task FieldsAreCompressedOnlyWhereItIsAllowed(bool isAllowed)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Kestrel = kestrel => kestrel.AllowResponseHeaderCompression = isAllowed,
            Handler = static context => context.Response.WriteAsync("fine"),
        });
        using FrameClient client = await host.ConnectAsync((1, 4096));
        List<int> lengths = [];
        for (int streamId = 1; streamId < 9; streamId += 2)
        {
            Frame head = (await client.AskAsync(FrameClient.Request(streamId)))[0];
            Assert.Equal(("200", "Kestrel"), (head[":status"], head["server"]));
            lengths.Add(head.Payload.Length);
        }

        Assert.Equal(isAllowed, lengths[^1] < 20);
    }

    [Fact]
    public async Task KestrelsEventSourceHasTheSameEvents()
    {
        string expected = await PlayAsync(isEngine: false);
        Assert.Contains("RequestStart", expected, StringComparison.Ordinal);
        Assert.Equal(expected, await PlayAsync(isEngine: true));

        static async Task<string> PlayAsync(bool isEngine)
        {
            using Listener listener = new();
            await using (Http2Host host = await Http2Host.StartAsync(new Http2Setup
            {
                IsEngine = isEngine,
                ExpectsErrors = true,
                Handler = static context => context.Request.Path == "/fail" ? throw new InvalidOperationException("a fault") : context.Response.WriteAsync("fine"),
            }))
            {
                using FrameClient client = await host.ConnectAsync();
                _ = await client.AskAsync(FrameClient.Request(1, "/one?query"));
                await client.SendAsync((byte[])[.. FrameClient.Request(3, "/two", ends: false, method: "POST"), .. FrameClient.Data(3, "body"u8, ends: true)]);
                _ = await client.ReadStreamAsync(3);
                _ = await client.AskAsync(FrameClient.Request(5, "/fail"));
                client.Socket.Shutdown(System.Net.Sockets.SocketShutdown.Send);
                _ = await client.ReadGoAwayAsync();
                await Waits.Eventually(() => listener.Lines.Any(static line => line.StartsWith("ConnectionStop", StringComparison.Ordinal)), 30.Seconds());
            }

            return string.Join('\n', listener.Lines);
        }
    }

    private sealed class NoHttp3 : IMultiplexedConnectionListenerFactory
    {
        public ValueTask<IMultiplexedConnectionListener> BindAsync(EndPoint endpoint, IFeatureCollection? features = null, CancellationToken cancellationToken = default)
            => throw new NotSupportedException();
    }

    /// <summary>What Kestrel's event source says of connections and requests, without what names the run.</summary>
    private sealed class Listener : EventListener
    {
        private readonly ConcurrentQueue<string> _lines = new();
        private readonly ConcurrentDictionary<string, int> _ids = new();

        internal IReadOnlyCollection<string> Lines => _lines;

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "Microsoft-AspNetCore-Server-Kestrel")
            {
                EnableEvents(eventSource, EventLevel.Informational);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            if (eventData.EventName is { } name && (name.StartsWith("Request", StringComparison.Ordinal) || name.StartsWith("Connection", StringComparison.Ordinal)))
            {
                IEnumerable<string> values = eventData.PayloadNames!.Zip(eventData.Payload!)
                    .Where(static pair => !pair.First.EndsWith("EndPoint", StringComparison.Ordinal))
                    .Select(pair => $"{pair.First}={(pair.First == "connectionId" ? _ids.GetOrAdd($"{pair.Second}", _ids.Count) : Number(pair.Second))}");
                _lines.Enqueue($"{name} {string.Join(' ', values)}");
            }
        }

        // A request's id is the connection's and a number.
        private static string Number(object? value) => $"{value}".Split(':')[^1];
    }
}
