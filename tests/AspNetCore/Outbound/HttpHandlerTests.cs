using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// A <see cref="SocketsHttpHandler"/> on the ring does what a stock one does: each case runs over both, against stock Kestrel. The ring's
/// reactors are empty when the client is gone.
/// </summary>
public sealed class HttpHandlerTests : IAsyncDisposable
{
    private const int LargeBytes = 700_000;

    private static readonly X509Certificate2 s_certificate = CertificateMaker.SelfSigned(HttpsTests.Subject);

    private readonly ReactorGroup _group;

    public HttpHandlerTests()
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        _group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 2 });
    }

    public async ValueTask DisposeAsync()
    {
        await Waits.Eventually(() => _group.Reactors.All(static reactor => reactor.Snapshot() is { Connections: 0, BuffersTaken: 0 }), 20.Seconds(), "nothing is left");
        await _group.DisposeAsync();
    }

    public static TheoryData<bool, string, EndPointKind> Ways()
    {
        var rows = new TheoryData<bool, string, EndPointKind>();
        foreach (bool isRing in new[] { false, true })
        {
            rows.Add(isRing, "http1", EndPointKind.IPv4);
            rows.Add(isRing, "http1", EndPointKind.Unix);
            rows.Add(isRing, "http2", EndPointKind.IPv4);
            rows.Add(isRing, "https1", EndPointKind.IPv4);
            rows.Add(isRing, "https2", EndPointKind.IPv4);
            rows.Add(isRing, "https2", EndPointKind.Unix);
        }

        return rows;
    }

    [Theory, MemberData(nameof(Ways))]
    public async Task BodiesComeBackWholeFromManyRequestsAtOnce(bool isRing, string protocol, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(protocol, endPoint);
        using HttpClient client = Client(isRing, server, protocol, endPoint);
        byte[] large = Payload.Of(LargeBytes);

        byte[][] answers = await Task.WhenAll(Enumerable.Range(0, 12).Select(async index =>
        {
            byte[] sent = large[..(index % 3 == 0 ? large.Length : index * 7)];
            using HttpResponseMessage response = await client.PostAsync(new Uri("/echo", UriKind.Relative), new ByteArrayContent(sent));
            byte[] received = await response.Content.ReadAsByteArrayAsync();
            Payload.AssertSame(sent, received);
            return received;
        })).Within(20.Seconds());

        Assert.Equal(12, answers.Length);
        Assert.Equal(isRing, _group.Reactors.Any(static reactor => reactor.Snapshot().Connections > 0));
    }

    [Theory, AllValues]
    public async Task ANameWithSeveralAddressesReachesTheOneThatListens(bool isRing)
    {
        await using TestServer server = await StartAsync("http1", EndPointKind.IPv4);
        using HttpClient client = new(Handler(isRing, null));
        int port = ((IPEndPoint)server.EndPoint).Port;

        Assert.Equal("localhost", await client.GetStringAsync(new Uri($"http://localhost:{port}/host")).Within(20.Seconds()));
    }

    [Theory, AllValues]
    public async Task WhereNothingListensTheErrorIsThatOfAConnect(bool isRing)
    {
        using Socket bound = RawSocket.Reserve();
        using HttpClient client = new(Handler(isRing, null));

        HttpRequestException exception = await Assert.ThrowsAsync<HttpRequestException>(
            () => client.GetStringAsync(new Uri($"http://127.0.0.1:{((IPEndPoint)bound.LocalEndPoint!).Port}/")).Within(20.Seconds()));

        Assert.Equal(HttpRequestError.ConnectionError, exception.HttpRequestError);
        Assert.Equal(SocketError.ConnectionRefused, Assert.IsType<SocketException>(exception.InnerException).SocketErrorCode);
    }

    public enum Trouble
    {
        IsRefused,
        IsRefusedByName,
        IsReset,
        IsResetInAnAnswer,
        Ends,
        IsCancelled,
    }

    /// <summary>Applications look into the errors of a client, and logs and dashboards compare their text.</summary>
    [Theory, AllValues]
    public async Task AnErrorHasTheFrameworksTypesAndWords(Trouble trouble)
    {
        using Socket bound = RawSocket.Reserve();
        using Socket listener = RawSocket.Listen();
        string host = trouble switch
        {
            Trouble.IsRefused => bound.LocalEndPoint!.ToString()!,
            Trouble.IsRefusedByName => $"localhost:{((IPEndPoint)bound.LocalEndPoint!).Port}",
            _ => listener.LocalEndPoint!.ToString()!,
        };

        // What is inside of a cancelled request, or whether its write or its read sees a reset, is a matter of time: sockets say one of two things,
        // and so may the ring.
        bool isOfTime = trouble is Trouble.IsCancelled or Trouble.IsReset;
        HashSet<string> expected = [];
        HashSet<string> actual = [];
        for (int run = 0; run == 0 || (run < 20 && isOfTime && !expected.Overlaps(actual)); run++)
        {
            expected.Add(await TroubledAsync(isRing: false, trouble, host, listener));
            actual.Add(await TroubledAsync(isRing: true, trouble, host, listener));
        }

        Assert.True(expected.Overlaps(actual), $"sockets: {string.Join(" or ", expected)}\nring: {string.Join(" or ", actual)}");
    }

    private async Task<string> TroubledAsync(bool isRing, Trouble trouble, string host, Socket listener)
    {
        using HttpClient client = new(Handler(isRing, null));
        using var source = new CancellationTokenSource();
        Task asking = client.GetStringAsync(new Uri($"http://{host}/"), source.Token);

        // Where a connection ends without an answer the framework tries another one, up to three times.
        while (trouble is not (Trouble.IsRefused or Trouble.IsRefusedByName) && !asking.IsCompleted)
        {
            Task<Socket> accepting = listener.AcceptAsync(source.Token).AsTask();
            await Task.WhenAny(asking, accepting).Within(20.Seconds());
            if (!accepting.IsCompleted)
            {
                await source.CancelAsync();
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => accepting);
                break;
            }

            using Socket peer = await accepting;
            await peer.ReceiveAsync(new byte[4096]).Within(20.Seconds());
            if (trouble == Trouble.IsResetInAnAnswer)
            {
                await peer.SendAllAsync("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal"u8.ToArray());
                await Task.Delay(50.Milliseconds());
            }

            if (trouble is Trouble.IsReset or Trouble.IsResetInAnAnswer)
            {
                RawSocket.Reset(peer);
            }
            else if (trouble is not Trouble.Ends)
            {
                await source.CancelAsync();
                await asking.ErrorWithin(20.Seconds());
            }
        }

        Exception? error = await asking.ErrorWithin(20.Seconds());
        Assert.NotNull(error);
        string chain = string.Empty;
        for (; error is not null; error = error.InnerException)
        {
            string code = error is SocketException socket ? $" {socket.SocketErrorCode} {socket.NativeErrorCode}" : string.Empty;
            chain += $"{error.GetType().Name}{code}: {error.Message}\n";
        }

        return chain;
    }

    [Theory, AllValues]
    public async Task ARequestThatWaitsForItsConnectCanBeCancelled(bool isRing)
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(0);

        // Linux keeps one more than the backlog; the next attempt stays.
        using var queued = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await queued.ConnectAsync(listener.LocalEndPoint!);
        SocketsHttpHandler handler = Handler(isRing, listener.LocalEndPoint);
        TaskCompletionSource<Task> connecting = Waits.Signal<Task>();
        handler.ConnectTimeout = Timeout.InfiniteTimeSpan;
        using var ended = new CancellationTokenSource();
        Func<SocketsHttpConnectionContext, CancellationToken, ValueTask<Stream>> connect = handler.ConnectCallback!;
        handler.ConnectCallback = async (context, _) =>
        {
            // The handler's own token ends a connect that no request waits for only some time later.
            Task<Stream> stream = connect(context, ended.Token).AsTask();
            connecting.SetResult(stream);
            return await stream;
        };
        using HttpClient client = new(handler);
        using var cancellation = new CancellationTokenSource();
        Task<string> asking = client.GetStringAsync(new Uri("http://localhost/"), cancellation.Token);
        Task waiting = await connecting.Task.Within(20.Seconds());

        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => asking.Within(20.Seconds()));

        await ended.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting.Within(20.Seconds()));
    }

    [Theory]
    [InlineData(false, "http1")]
    [InlineData(true, "http1")]
    [InlineData(false, "https1")]
    [InlineData(true, "https1")]
    public async Task AnAnswerThatIsAbandonedEndsTheServersRequest(bool isRing, string protocol)
    {
        TaskCompletionSource aborted = Waits.Signal();
        await using TestServer server = await StartAsync(protocol, EndPointKind.IPv4, async context =>
        {
            context.RequestAborted.Register(aborted.SetResult);
            await context.Response.WriteAsync("begun");
            await context.Response.Body.FlushAsync();
            await aborted.Task;
        });
        using HttpClient client = Client(isRing, server, protocol, EndPointKind.IPv4);
        using var cancellation = new CancellationTokenSource();
        using HttpResponseMessage response = await client.GetAsync(
            new Uri("/endless", UriKind.Relative), HttpCompletionOption.ResponseHeadersRead).Within(20.Seconds());
        Stream body = await response.Content.ReadAsStreamAsync();
        byte[] buffer = new byte[5];
        await body.ReadExactlyAsync(buffer).AsTask().Within(20.Seconds());
        Task<int> reading = body.ReadAsync(buffer, cancellation.Token).AsTask();

        await cancellation.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading.Within(20.Seconds()));
        await aborted.Task.Within(20.Seconds());
    }

    [Theory, AllValues]
    public async Task AnUploadThatIsCutIsNotTakenForTheWhole(bool isRing)
    {
        TaskCompletionSource<bool> whole = Waits.Signal<bool>();
        TaskCompletionSource begun = Waits.Signal();
        await using TestServer server = await StartAsync("http1", EndPointKind.IPv4, async context =>
        {
            try
            {
                begun.SetResult();
                await context.Request.Body.CopyToAsync(Stream.Null);
                whole.SetResult(true);
            }
            catch (Exception exception) when (exception is IOException or OperationCanceledException)
            {
                whole.SetResult(false);
            }
        });
        using HttpClient client = Client(isRing, server, "http1", EndPointKind.IPv4);
        using var cancellation = new CancellationTokenSource();
        using var content = new StreamContent(new EndlessStream());
        Task asking = client.PostAsync(new Uri("/whole", UriKind.Relative), content, cancellation.Token);
        await begun.Task.Within(20.Seconds());
        await cancellation.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => asking.Within(20.Seconds()));
        Assert.False(await whole.Task.Within(20.Seconds()));
    }

    [Theory, AllValues]
    public async Task AServerThatEndedTheConnectionIsConnectedToAgain(bool isRing)
    {
        await using TestServer server = await StartAsync("http1", EndPointKind.IPv4, static context =>
        {
            context.Response.Headers.Connection = "close";
            return context.Response.WriteAsync("once");
        });
        using HttpClient client = Client(isRing, server, "http1", EndPointKind.IPv4);
        for (int turn = 0; turn < 5; turn++)
        {
            Assert.Equal("once", await client.GetStringAsync(new Uri("/once", UriKind.Relative)).Within(20.Seconds()));
        }

        Assert.Equal(5, server.Connections.Count);
    }

    [Theory, AllValues]
    public async Task AProxyIsAskedByTheHandler(bool isRing)
    {
        await using TestServer server = await StartAsync("http1", EndPointKind.IPv4);
        SocketsHttpHandler handler = Handler(isRing, null);
        handler.UseProxy = true;
        handler.Proxy = new WebProxy($"http://127.0.0.1:{((IPEndPoint)server.EndPoint).Port}");
        using HttpClient client = new(handler);

        Assert.Equal("nowhere.invalid", await client.GetStringAsync(new Uri("http://nowhere.invalid/host")).Within(20.Seconds()));
    }

    [Theory, AllValues]
    public async Task ASynchronousRequestIsAnswered(bool isRing)
    {
        await using TestServer server = await StartAsync("http1", EndPointKind.IPv4);
        using HttpClient client = Client(isRing, server, "http1", EndPointKind.IPv4);

        string answer = await Task.Run(() =>
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, new Uri("/echo", UriKind.Relative)) { Content = new StringContent("word") };
            using HttpResponseMessage response = client.Send(request);
            using var reader = new StreamReader(response.Content.ReadAsStream());
            return reader.ReadToEnd();
        }).Within(20.Seconds());

        Assert.Equal("word", answer);
    }

    [Fact]
    public async Task ACallerResumesWhereItCalledWhicheverReactorHasTheConnection()
    {
        await using TestServer server = await StartAsync("http1", EndPointKind.IPv4);
        using HttpClient client = Client(isRing: true, server, "http1", EndPointKind.IPv4);
        async Task<Reactor?> AskAsync()
        {
            for (int turn = 0; turn < 20; turn++)
            {
                Reactor? before = Reactor.Current;
                Assert.Equal("localhost", await client.GetStringAsync(new Uri("/host", UriKind.Relative)));
                Assert.Same(before, Reactor.Current);
            }

            return Reactor.Current;
        }

        Task<Reactor?>[] asking =
        [
            .. _group.Reactors.SelectMany(reactor => Enumerable.Range(0, 4).Select(_ => reactor.RunAsync(AskAsync))),
            .. Enumerable.Range(0, 4).Select(_ => Task.Run(AskAsync)),
        ];
        Reactor?[] ends = await Task.WhenAll(asking).Within(20.Seconds());

        Assert.Equal([0, 0, 0, 0, 1, 1, 1, 1, -1, -1, -1, -1], ends.Select(static reactor => reactor?.Id ?? -1));
    }

    [Fact]
    public void AHandlerThatConnectsInItsOwnWayIsRefused()
    {
        using var handler = new SocketsHttpHandler { ConnectCallback = static (_, _) => throw new NotSupportedException() };

        Assert.Contains("ConnectCallback", Assert.Throws<InvalidOperationException>(() => handler.UseIoxide(_group)).Message, StringComparison.Ordinal);
    }

    private static Task<TestServer> StartAsync(string protocol, EndPointKind endPoint, RequestDelegate? special = null)
        => TestServer.StartAsync(new ServerSetup(TransportKind.Sockets, endPoint)
        {
            Kestrel = static kestrel => kestrel.Limits.MinRequestBodyDataRate = null,
            Listen = listen =>
            {
                listen.Protocols = protocol.EndsWith('2') ? HttpProtocols.Http2 : HttpProtocols.Http1;
                if (protocol.StartsWith("https", StringComparison.Ordinal))
                {
                    listen.UseHttps(s_certificate);
                }
            },
            Handler = async context =>
            {
                if (context.Request.Path == "/echo")
                {
                    // As a whole: over HTTP/2 both directions share what the windows allow.
                    using var body = new MemoryStream();
                    await context.Request.Body.CopyToAsync(body);
                    await context.Response.Body.WriteAsync(body.GetBuffer().AsMemory(0, (int)body.Length));
                }
                else if (context.Request.Path != "/host")
                {
                    await special!(context);
                }
                else
                {
                    await context.Response.WriteAsync(context.Request.Host.Host);
                }
            },
        });

    private SocketsHttpHandler Handler(bool isRing, EndPoint? endPoint)
    {
        var handler = new SocketsHttpHandler { UseProxy = false };
        handler.SslOptions.RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate?.Subject == HttpsTests.Subject;
        if (isRing)
        {
            return handler.UseIoxide(_group, endPoint);
        }

        if (endPoint is not null)
        {
            handler.ConnectCallback = async (_, cancellationToken) =>
            {
                Socket socket = RawSocket.Create(endPoint);
                await socket.ConnectAsync(endPoint, cancellationToken);
                return new NetworkStream(socket, ownsSocket: true);
            };
        }

        return handler;
    }

    private HttpClient Client(bool isRing, TestServer server, string protocol, EndPointKind endPoint)
        => new(Handler(isRing, server.EndPoint))
        {
            BaseAddress = new Uri(protocol.StartsWith("https", StringComparison.Ordinal) ? "https://localhost/" : "http://localhost/"),
            DefaultRequestVersion = protocol.EndsWith('2') ? HttpVersion.Version20 : HttpVersion.Version11,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };

    private sealed class EndlessStream : Stream
    {
        public override bool CanRead => true;

        public override bool CanSeek => false;

        public override bool CanWrite => false;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        public override int Read(byte[] buffer, int offset, int count) => count;

        public override void Flush()
        {
        }

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
    }
}
