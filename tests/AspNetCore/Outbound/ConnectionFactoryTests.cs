using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Outbound connections come from the registered <see cref="IConnectionFactory"/>. The other side is a plain socket that echoes.</summary>
public sealed class ConnectionFactoryTests : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly IConnectionFactory _factory;

    public ConnectionFactoryTests()
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        WebApplicationBuilder builder = TransportSetup.CreateBuilder();
        builder.Logging.ClearProviders();
        builder.Services.AddIoxideTransport(options =>
        {
            options.ReactorCount = 1;
            options.Kernel = TestKernel.Choice;
        });
        _app = builder.Build();
        _factory = _app.Services.GetRequiredService<IConnectionFactory>();
    }

    [Theory, AllValues]
    public async Task ConnectsAndEchoes(EndPointKind endPoint)
    {
        using Socket listener = Listen(endPoint);
        Task echoing = EchoOnceAsync(listener);
        byte[] sent = Payload.Of(500_000);
        await using ConnectionContext connection = await _factory.ConnectAsync(listener.LocalEndPoint!).Within(20.Seconds());

        byte[] received = await ExchangeAsync(connection, sent).Within(20.Seconds());
        await connection.DisposeAsync().Within(20.Seconds());
        await echoing.Within(20.Seconds());

        Payload.AssertSame(sent, received);
    }

    [Fact]
    public async Task NeedsNoWebServer()
    {
        ServiceCollection services = new();
        services.AddLogging();
        services.AddIoxideTransport();
        await using ServiceProvider provider = services.BuildServiceProvider();
        using Socket listener = Listen(EndPointKind.IPv4);
        Task echoing = EchoOnceAsync(listener);
        ConnectionContext connection = await provider.GetRequiredService<IConnectionFactory>()
            .ConnectAsync(listener.LocalEndPoint!).Within(20.Seconds());

        Assert.Equal("x"u8.ToArray(), await ExchangeAsync(connection, "x"u8.ToArray()).Within(20.Seconds()));
        await connection.DisposeAsync().Within(20.Seconds());
        await echoing.Within(20.Seconds());
    }

    [Fact]
    public async Task AFactoryOfTheApplicationStays()
    {
        ServiceCollection services = new();
        services.AddLogging();
        services.AddSingleton<IConnectionFactory, OwnFactory>();
        services.AddIoxideTransport();
        await using ServiceProvider provider = services.BuildServiceProvider();

        Assert.IsType<OwnFactory>(provider.GetRequiredService<IConnectionFactory>());
    }

    [Fact]
    public async Task KnowsBothEndPointsAndItsReactor()
    {
        using Socket listener = Listen(EndPointKind.IPv4);
        await using ConnectionContext connection = await _factory.ConnectAsync(listener.LocalEndPoint!).Within(20.Seconds());
        using Socket accepted = await listener.AcceptAsync().Within(20.Seconds());

        Assert.Equal(listener.LocalEndPoint, connection.RemoteEndPoint);
        Assert.Equal(accepted.RemoteEndPoint, connection.LocalEndPoint);
        Assert.NotNull(connection.Features.Get<IReactorFeature>());
        Assert.NotEmpty(connection.ConnectionId);
    }

    [Fact]
    public async Task ManyConnectionsAtOnceEachEcho()
    {
        using Socket listener = Listen(EndPointKind.IPv4);
        byte[] sent = Payload.Of(10_000);
        Task[] echoing = [.. Enumerable.Range(0, 50).Select(_ => EchoOnceAsync(listener))];

        byte[][] received = await Task.WhenAll(Enumerable.Range(0, 50).Select(async _ =>
        {
            await using ConnectionContext connection = await _factory.ConnectAsync(listener.LocalEndPoint!);
            return await ExchangeAsync(connection, sent);
        })).Within(20.Seconds());

        Assert.All(received, bytes => Payload.AssertSame(sent, bytes));
        await Task.WhenAll(echoing).Within(20.Seconds());
    }

    [Fact]
    public async Task APortWhereNobodyListensRefuses()
    {
        using Socket nobody = RawSocket.Reserve();

        Exception exception = await Assert.ThrowsAnyAsync<Exception>(() => _factory.ConnectAsync(nobody.LocalEndPoint!).Within(20.Seconds()));

        SocketException refused = Assert.IsAssignableFrom<SocketException>(exception as SocketException ?? exception.InnerException);
        Assert.Equal(SocketError.ConnectionRefused, refused.SocketErrorCode);
    }

    [Fact]
    public async Task AMissingUnixSocketThrows()
    {
        Exception exception = await Assert.ThrowsAnyAsync<Exception>(() => _factory
            .ConnectAsync(new UnixDomainSocketEndPoint(TestServer.NewSocketPath())).Within(20.Seconds()));

        Assert.True(exception is SocketException or IOException, exception.ToString());
    }

    [Fact]
    public async Task ATokenThatIsCancelledAlreadyConnectsNowhere()
    {
        using Socket listener = Listen(EndPointKind.IPv4);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => _factory.ConnectAsync(listener.LocalEndPoint!, new CancellationToken(true)).Within(20.Seconds()));
    }

    [Fact]
    public async Task ConnectingToAFullListenerCanBeCancelled()
    {
        using Socket listener = Listen(EndPointKind.IPv4, backlog: 0);
        using CancellationTokenSource cancellation = new();

        // Linux keeps one more than the backlog; the next attempt stays.
        await using ConnectionContext queued = await _factory.ConnectAsync(listener.LocalEndPoint!, cancellation.Token).Within(20.Seconds());
        Task<ConnectionContext> waiting = _factory.ConnectAsync(listener.LocalEndPoint!, cancellation.Token).AsTask();
        using Socket roomy = Listen(EndPointKind.IPv4);
        await using ConnectionContext later = await _factory.ConnectAsync(roomy.LocalEndPoint!).Within(20.Seconds());
        Assert.False(waiting.IsCompleted);

        await cancellation.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting.Within(20.Seconds()));
    }

    [Fact]
    public async Task DisposingTheConnectionSendsFin()
    {
        using Socket listener = Listen(EndPointKind.IPv4);
        ConnectionContext connection = await _factory.ConnectAsync(listener.LocalEndPoint!).Within(20.Seconds());
        using Socket accepted = await listener.AcceptAsync().Within(20.Seconds());

        await connection.DisposeAsync().Within(20.Seconds());

        Assert.Equal(0, await accepted.ReceiveAsync(new byte[1]).Within(20.Seconds()));
    }

    public async ValueTask DisposeAsync() => await _app.DisposeAsync().Within(20.Seconds());

    private static Socket Listen(EndPointKind kind, int backlog = 128)
    {
        Socket listener = kind switch
        {
            EndPointKind.IPv4 => new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp),
            EndPointKind.IPv6 => new(AddressFamily.InterNetworkV6, SocketType.Stream, ProtocolType.Tcp),
            _ => new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified),
        };
        listener.Bind(kind switch
        {
            EndPointKind.IPv4 => new IPEndPoint(IPAddress.Loopback, 0),
            EndPointKind.IPv6 => new IPEndPoint(IPAddress.IPv6Loopback, 0),
            _ => new UnixDomainSocketEndPoint(TestServer.NewSocketPath()),
        });
        listener.Listen(backlog);
        return listener;
    }

    private static async Task EchoOnceAsync(Socket listener)
    {
        using Socket accepted = await listener.AcceptAsync();
        byte[] buffer = new byte[64 * 1024];
        for (int count; (count = await accepted.ReceiveAsync(buffer)) > 0;)
        {
            await accepted.SendAsync(buffer.AsMemory(0, count));
        }
    }

    private static async Task<byte[]> ExchangeAsync(ConnectionContext connection, byte[] sent)
    {
        Task writing = WriteInPiecesAsync(connection.Transport.Output, sent);
        ReadResult result = await connection.Transport.Input.ReadAtLeastAsync(sent.Length);
        byte[] received = result.Buffer.ToArray();
        connection.Transport.Input.AdvanceTo(result.Buffer.End);
        await writing;
        return received;
    }

    private static async Task WriteInPiecesAsync(PipeWriter output, byte[] bytes)
    {
        const int PieceBytes = 5000;
        for (int offset = 0; offset < bytes.Length; offset += PieceBytes)
        {
            await output.WriteAsync(bytes.AsMemory(offset, Math.Min(PieceBytes, bytes.Length - offset)));
        }
    }

    private sealed class OwnFactory : IConnectionFactory
    {
        public ValueTask<ConnectionContext> ConnectAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
            => throw new NotSupportedException();
    }
}
