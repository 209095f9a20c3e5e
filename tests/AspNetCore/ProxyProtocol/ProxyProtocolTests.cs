using System.Collections.Concurrent;
using System.IO.Pipelines;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// Endpoints behind a balancer that sends PROXY protocol headers: what requests see, what follows the header, who is refused. The
/// balancer is a client that decides about each byte.
/// </summary>
public sealed class ProxyProtocolTests : IDisposable
{
    private const string Refused = "ProxyPeerRefused";

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);

    private readonly X509Certificate2 _certificate = CertificateMaker.SelfSigned(HttpsTests.Subject);

    [Theory, OverTransports(1, 2)]
    public async Task RequestsSeeTheClientAndNotTheBalancer(TransportKind transport, EndPointKind endPoint, int version)
    {
        await using TestServer server = await StartAsync(transport, endPoint);
        using RawClient balancer = await server.ConnectAsync();
        await balancer.SendAsync(version == 1 ? "PROXY TCP4 203.0.113.7 198.51.100.1 51000 443\r\n"u8.ToArray() : HeaderBytes.OfClient());

        for (int request = 0; request < 3; request++)
        {
            Assert.Equal("203.0.113.7:51000 198.51.100.1:443", (await balancer.GetAsync("/who")).Text);
        }

        Assert.Equal("local False", (await balancer.GetAsync("/header")).Text);
        string? own = endPoint == EndPointKind.Unix ? null : balancer.Socket.LocalEndPoint!.ToString();
        Assert.Equal(own ?? "", (await balancer.GetAsync(own is null ? "/nothing" : "/balancer")).Text);
    }

    [Theory, OverTransports]
    public async Task IPv6ClientsAreSeenOverIPv4(TransportKind transport)
    {
        await using TestServer server = await StartAsync(transport);
        using RawClient balancer = await server.ConnectAsync();
        await balancer.SendAsync(HeaderBytes.Of(HeaderBytes.Client6, HeaderBytes.Service6));

        Assert.Equal("[2001:db8::7]:51000 [2001:db8:1::1]:443", (await balancer.GetAsync("/who")).Text);
    }

    [Theory, OverTransports]
    public async Task ABalancersOwnConnectionKeepsItsAddresses(TransportKind transport)
    {
        await using TestServer server = await StartAsync(transport);
        foreach (byte[] header in (byte[][])
        [
            HeaderBytes.Raw(HeaderBytes.Local, HeaderBytes.Unspecified, []),
            HeaderBytes.Raw(HeaderBytes.Proxy, HeaderBytes.Unspecified, []),
            [.. "PROXY UNKNOWN\r\n"u8],
        ])
        {
            using RawClient balancer = await server.ConnectAsync();
            await balancer.SendAsync(header);
            Assert.Equal($"{balancer.Socket.LocalEndPoint} {balancer.Socket.RemoteEndPoint}", (await balancer.GetAsync("/who")).Text);
        }
    }

    [Theory, OverTransports]
    public async Task RequestsSeeWhatElseTheHeaderHeld(TransportKind transport)
    {
        await using TestServer server = await StartAsync(transport);
        using RawClient balancer = await server.ConnectAsync();
        await balancer.SendAsync(HeaderBytes.WithSum());

        Assert.Equal("612E6578616D706C65 010203", (await balancer.GetAsync("/values")).Text);
    }

    [Theory, OverTransports]
    public async Task RequestsInTheHeadersSegmentAreServed(TransportKind transport, EndPointKind endPoint)
    {
        byte[] body = Payload.Of(1_000_000);
        await using TestServer server = await StartAsync(transport, endPoint);
        using RawClient balancer = await server.ConnectAsync();
        Task sending = balancer.SendAsync((byte[])
        [
            .. HeaderBytes.OfClient(),
            .. Encoding.ASCII.GetBytes(RawClient.Get("/who") + $"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: {body.Length}\r\n\r\n"),
            .. body,
            .. Encoding.ASCII.GetBytes(RawClient.Get("/last")),
        ]);

        Assert.Equal("203.0.113.7:51000 198.51.100.1:443", (await balancer.ReadResponseAsync()).Text);
        Payload.AssertSame(body, (await balancer.ReadResponseAsync()).Body);
        Assert.Equal("/last", (await balancer.ReadResponseAsync()).Text);
        await sending;
    }

    [Theory, OverTransports]
    public async Task AHeaderMayComeInTwoPartsAndByteByByte(TransportKind transport, EndPointKind endPoint)
    {
        byte[] header = HeaderBytes.WithSum();
        await using TestServer server = await StartAsync(transport, endPoint);
        for (int cut = 1; cut < header.Length; cut++)
        {
            using RawClient balancer = await server.ConnectAsync();
            await balancer.SendAsync(header.AsMemory(0, cut));
            await balancer.SendAsync((byte[])[.. header[cut..], .. Encoding.ASCII.GetBytes(RawClient.Get("/who"))]);
            Assert.Equal("203.0.113.7:51000 198.51.100.1:443", (await balancer.ReadResponseAsync()).Text);
        }

        using RawClient slow = await server.ConnectAsync();
        foreach (byte value in (byte[])[.. header, .. Encoding.ASCII.GetBytes(RawClient.Get("/who"))])
        {
            await slow.SendAsync((byte[])[value]);
        }

        Assert.Equal("203.0.113.7:51000 198.51.100.1:443", (await slow.ReadResponseAsync()).Text);
    }

    /// <summary>Nothing stands between: what follows the header reads and writes the transport's own pipe.</summary>
    [Theory, OverTransports]
    public async Task TheConnectionGoesOnAsItIs(TransportKind transport)
    {
        TaskCompletionSource<IDuplexPipe> seen = Waits.Signal<IDuplexPipe>();
        await using TestServer server = await TestServer.StartAsync(new(transport)
        {
            Listen = listen =>
            {
                listen.UseProxyProtocol(BePatient);
                listen.Use(next => connection =>
                {
                    seen.SetResult(connection.Transport);
                    return next(connection);
                });
            },
            Handler = Handlers.PathAsync,
        });
        using RawClient balancer = await server.ConnectAsync();
        await balancer.SendAsync(HeaderBytes.OfClient());
        Assert.Equal("/", (await balancer.GetAsync("/")).Text);

        Assert.Equal(transport == TransportKind.Ioxide, await seen.Task.Within(30.Seconds()) is RingConnection);
    }

    [Theory, OverTransports]
    public async Task WhoIsNotTrustedIsRefused(TransportKind transport)
    {
        await using TestServer server = await StartAsync(transport, options: static options =>
        {
            options.TrustedNetworks.Clear();
            options.TrustedNetworks.Add(IPNetwork.Parse("10.0.0.0/8"));
        });

        await AssertRefusedAsync(server, [.. HeaderBytes.OfClient(), .. Encoding.ASCII.GetBytes(RawClient.Get("/who"))], "TrustedNetworks");
    }

    [Theory, OverTransports]
    public async Task APeerOfAnAbstractUnixSocketIsRefusedBecauseNoFileGuardsIt(TransportKind transport)
    {
        await using TestServer server = await TestServer.StartAsync(new(transport)
        {
            Bind = static kestrel => kestrel.Listen(
                new UnixDomainSocketEndPoint($"\0ioxide-{Guid.NewGuid():N}"), static listen => listen.UseProxyProtocol(BePatient)),
            Handler = AnswerAsync,
        });

        await AssertRefusedAsync(server, [.. HeaderBytes.OfClient(), .. Encoding.ASCII.GetBytes(RawClient.Get("/who"))], "abstract");
    }

    [Theory, OverTransports]
    public async Task APeerOfAUnixSocketWhoseFileBeginsWithAnAtSignIsTrusted(TransportKind transport)
    {
        var endPoint = new UnixDomainSocketEndPoint($"@ioxide-{Guid.NewGuid():N}");
        await using TestServer server = await TestServer.StartAsync(new(transport)
        {
            Bind = kestrel => kestrel.Listen(endPoint, static listen => listen.UseProxyProtocol(BePatient)),
            Handler = AnswerAsync,
        });
        using RawClient balancer = await RawClient.ConnectAsync(endPoint);
        await balancer.SendAsync(HeaderBytes.OfClient());

        Assert.Equal("203.0.113.7:51000 198.51.100.1:443", (await balancer.GetAsync("/who")).Text);
    }

    [Theory, OverTransports]
    public async Task AnAddressMappedToIPv6IsTrustedAsIPv4(TransportKind transport)
    {
        Assert.SkipUnless(Socket.OSSupportsIPv6, "This host has no IPv6.");
        await using TestServer server = await TestServer.StartAsync(new(transport)
        {
            Bind = static kestrel => kestrel.Listen(IPAddress.IPv6Any, 0, static listen => listen.UseProxyProtocol(BePatient)),
            Handler = AnswerAsync,
        });
        using RawClient balancer = await RawClient.ConnectAsync(new IPEndPoint(IPAddress.Loopback, ((IPEndPoint)server.EndPoint).Port));
        await balancer.SendAsync(HeaderBytes.OfClient());

        Assert.Equal("203.0.113.7:51000 198.51.100.1:443", (await balancer.GetAsync("/who")).Text);
    }

    [Theory, OverTransports("GET /who HTTP/1.1\r\nHost: a\r\n\r\n", "PROXY NOBODY\r\n", "P", "\r\n\r\n\0\r\nQUIT\n\u0030\u0011\0\u000c............")]
    public async Task WhatIsNoHeaderIsRefusedWithALineThatNamesTheRemedy(TransportKind transport, EndPointKind endPoint, string sent)
    {
        await using TestServer server = await StartAsync(transport, endPoint);

        // The beginning of a header, and then the end, is the one that only the end makes wrong.
        bool isBeginning = sent == "P";
        await AssertRefusedAsync(
            server,
            Encoding.Latin1.GetBytes(sent),
            isBeginning ? "within its PROXY protocol header" : "Make the balancer send",
            finishes: isBeginning);
    }

    [Theory, OverTransports]
    public async Task AHeaderAboveTheLimitIsRefusedAndOneAtTheLimitServed(TransportKind transport)
    {
        await using TestServer server = await StartAsync(transport, options: static options => options.MaxHeaderBytes = 1000);
        using RawClient modest = await server.ConnectAsync();
        await modest.SendAsync(HeaderBytes.OfClient(HeaderBytes.Value(HeaderBytes.Noop, new byte[1000 - 28 - 3])));
        Assert.Equal("203.0.113.7:51000 198.51.100.1:443", (await modest.GetAsync("/who")).Text);

        // Only what says how long it is; the rest never comes.
        await AssertRefusedAsync(server, HeaderBytes.Raw(HeaderBytes.Proxy, HeaderBytes.Tcp4, new byte[ushort.MaxValue])[..16], "MaxHeaderBytes");
    }

    [Theory, OverTransports(0, 1, 27)]
    public async Task WhoNeverSendsAWholeHeaderIsRefused(TransportKind transport, int lengthBytes)
    {
        await using TestServer server = await StartAsync(transport, options: static options => options.Timeout = 200.Milliseconds());

        await AssertRefusedAsync(server, HeaderBytes.OfClient()[..lengthBytes], "within 0.2 seconds");
    }

    [Theory, OverTransports]
    public async Task WhoOnlyLooksWhetherSomebodyListensIsNoWarning(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint);
        using (RawClient probe = await server.ConnectAsync())
        {
            probe.Finish();
            Assert.Empty((await probe.ReadToEndAsync()).Bytes);
        }

        if (endPoint != EndPointKind.Unix)
        {
            using RawClient rude = await server.ConnectAsync();
            rude.Reset();
        }

        using RawClient balancer = await server.ConnectAsync();
        await balancer.SendAsync(HeaderBytes.OfClient());
        Assert.Equal("203.0.113.7:51000 198.51.100.1:443", (await balancer.GetAsync("/who")).Text);
        Assert.DoesNotContain(server.Logs, static line => line.Event.Name == Refused);
    }

    [Theory, OverTransports]
    public async Task ManyRefusalsAreOneWarning(TransportKind transport)
    {
        const int Strangers = 20;
        await using TestServer server = await StartAsync(transport);
        for (int count = 0; count < Strangers; count++)
        {
            using RawClient stranger = await server.ConnectAsync();
            await stranger.SendAsync("x");
            Assert.Empty((await stranger.ReadToEndAsync()).Bytes);
        }

        // One every ten seconds, should they take as long.
        Assert.InRange(server.Logs.Count(static line => line.Event.Name == Refused), 1, Strangers - 1);
    }

    /// <summary>Kestrel starts connections on the thread pool; only where the application runs there too does what follows a header.</summary>
    [Theory]
    [InlineData(ApplicationScheduling.Inline, true)]
    [InlineData(ApplicationScheduling.ThreadPool, false)]
    public async Task WhatFollowsAHeaderStartsWhereTheApplicationRuns(ApplicationScheduling scheduling, bool isOnReactor)
    {
        const int Connections = 20;
        ConcurrentQueue<bool> seen = [];
        await using TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide)
        {
            Ioxide = options => options.ApplicationScheduling = scheduling,
            Listen = listen => listen.UseProxyProtocol(BePatient).Use(next => connection =>
            {
                seen.Enqueue(Reactor.Current is not null);
                return next(connection);
            }),
            Handler = AnswerAsync,
        });
        for (int count = 0; count < Connections; count++)
        {
            // The header is often there before the connection is looked at, and often not.
            using RawClient balancer = await server.ConnectAsync();
            await balancer.SendAsync(HeaderBytes.OfClient());
            Assert.Equal(200, (await balancer.GetAsync("/who")).Status);
        }

        Assert.Equal(Enumerable.Repeat(isOnReactor, Connections), seen);
    }

    [Theory, OverTransports]
    public async Task AStopDoesNotWaitForAHeader(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint, static options => options.Timeout = Timeout.InfiniteTimeSpan);
        using RawClient silent = await server.ConnectAsync();
        using RawClient slow = await server.ConnectAsync();
        await slow.SendAsync(HeaderBytes.OfClient().AsMemory(0, 20));
        using RawClient balancer = await server.ConnectAsync();
        await balancer.SendAsync(HeaderBytes.OfClient());
        Assert.Equal(200, (await balancer.GetAsync("/who")).Status);

        await server.StopAsync();

        Assert.Empty((await silent.ReadToEndAsync()).Bytes);
        Assert.Empty((await slow.ReadToEndAsync()).Bytes);
        Assert.DoesNotContain(server.Logs, static line => line.Event.Name == Refused);
    }

    [Theory, OverTransports(false, true)]
    public async Task TlsStandsBehindTheHeaderWhereverItIsConfigured(TransportKind transport, EndPointKind endPoint, bool isCalledFirst)
    {
        await using TestServer server = await TestServer.StartAsync(new(transport, endPoint)
        {
            Listen = listen =>
            {
                if (isCalledFirst)
                {
                    listen.UseProxyProtocol(BePatient);
                }

                listen.UseHttps(https =>
                {
                    https.ServerCertificate = _certificate;
                    https.HandshakeTimeout = s_patience;
                });
                if (!isCalledFirst)
                {
                    listen.UseProxyProtocol(BePatient);
                }
            },
            Handler = AnswerAsync,
        });
        using RawClient balancer = await server.ConnectAsync();
        await balancer.SendAsync(HeaderBytes.OfClient());
        await using SslStream tls = await RawConnection.ShakeHandsAsync(balancer.Socket);
        await tls.WriteAsync(Encoding.ASCII.GetBytes(RawClient.Get("/who", "Connection: close\r\n")));
        using StreamReader reader = new(tls);

        Assert.EndsWith("\r\n\r\n203.0.113.7:51000 198.51.100.1:443", await reader.ReadToEndAsync().Within(30.Seconds()), StringComparison.Ordinal);
    }

    [Fact]
    public void OptionsOutOfTheirRangeAreRefused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(static () => new ProxyProtocolOptions { MaxHeaderBytes = 535 }.Validate());
        Assert.Throws<ArgumentOutOfRangeException>(static () => new ProxyProtocolOptions { MaxHeaderBytes = 65_552 }.Validate());
        Assert.Throws<ArgumentOutOfRangeException>(static () => new ProxyProtocolOptions { Timeout = TimeSpan.Zero }.Validate());
        new ProxyProtocolOptions { MaxHeaderBytes = 65_551, Timeout = Timeout.InfiniteTimeSpan }.Validate();
    }

    public void Dispose() => _certificate.Dispose();

    /// <summary>No header comes before QUIC, so anyone could be any client there.</summary>
    [Theory, OverTransports]
    public async Task Http3IsRefused(TransportKind transport)
    {
        Task starting = TestServer.StartAsync(new(transport)
        {
            Listen = listen =>
            {
                listen.UseProxyProtocol();
                listen.UseHttps(_certificate);
                listen.Protocols = HttpProtocols.Http3;
            },
            Builder = static builder => builder.Services.AddSingleton<IMultiplexedConnectionListenerFactory, NoQuic>(),
        });
        InvalidOperationException refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => starting);
        Assert.Contains("HTTP/3", refusal.Message, StringComparison.Ordinal);
    }

    private static Task<TestServer> StartAsync(
        TransportKind transport, EndPointKind endPoint = EndPointKind.IPv4, Action<ProxyProtocolOptions>? options = null)
        => TestServer.StartAsync(new(transport, endPoint)
        {
            Listen = listen => listen.UseProxyProtocol(proxy =>
            {
                BePatient(proxy);
                options?.Invoke(proxy);
            }),
            Handler = AnswerAsync,
        });

    /// <summary>A loaded machine is no peer that never sends.</summary>
    private static void BePatient(ProxyProtocolOptions options) => options.Timeout = s_patience;

    private static Task AnswerAsync(HttpContext context)
    {
        ConnectionInfo connection = context.Connection;
        IProxyProtocolFeature header = context.Features.GetRequiredFeature<IProxyProtocolFeature>();
        return context.Request.Path.Value switch
        {
            "/who" => Handlers.TextAsync(
                context,
                $"{new IPEndPoint(connection.RemoteIpAddress!, connection.RemotePort)} "
                + $"{new IPEndPoint(connection.LocalIpAddress!, connection.LocalPort)}"),
            "/header" => Handlers.TextAsync(context, $"local {header.IsLocal}"),
            "/balancer" => Handlers.TextAsync(context, $"{header.BalancerEndPoint}"),
            "/nothing" => Handlers.TextAsync(context, ""),
            "/values" => Handlers.TextAsync(context, $"{Hex(header, HeaderBytes.Authority)} {Hex(header, HeaderBytes.UniqueId)}"),
            "/echo" => Handlers.EchoAsync(context),
            _ => Handlers.PathAsync(context),
        };
    }

    private static string Hex(IProxyProtocolFeature header, byte type)
        => header.TryGetValue(type, out ReadOnlyMemory<byte> value) ? Convert.ToHexString(value.Span) : "none";

    /// <summary>Connects, sends, gets nothing but the end, and finds the line in the log.</summary>
    private static async Task AssertRefusedAsync(TestServer server, byte[] sent, string named, bool finishes = false)
    {
        try
        {
            using RawClient client = await server.ConnectAsync();
            await client.SendAsync(sent);
            if (finishes)
            {
                client.Finish();
            }

            Assert.Empty((await client.ReadToEndAsync()).Bytes);
        }
        catch (SocketException exception) when (exception.SocketErrorCode is SocketError.ConnectionReset or SocketError.Shutdown)
        {
            // It was refused before it had said anything, or had even noticed that it was connected.
        }

        await Waits.Eventually(() => server.Logs.Any(static line => line.Event.Name == Refused), 60.Seconds());
        LogLine line = Assert.Single(server.Logs, static line => line.Event.Name == Refused);
        Assert.Equal(LogLevel.Warning, line.Level);
        Assert.Contains(named, line.Message, StringComparison.Ordinal);
    }

    private sealed class NoQuic : IMultiplexedConnectionListenerFactory
    {
        public ValueTask<IMultiplexedConnectionListener> BindAsync(
            EndPoint endpoint, IFeatureCollection? features = null, CancellationToken cancellationToken = default) => throw new NotSupportedException();
    }
}
