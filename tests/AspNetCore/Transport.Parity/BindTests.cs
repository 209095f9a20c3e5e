using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Every way to name an endpoint binds where it should, or fails as the sockets transport fails.</summary>
public class BindTests
{
    [Theory, OverTransports(TcpOnly = true)]
    public async Task PortZeroIsReplacedByTheRealPort(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint);

        IPEndPoint bound = Assert.IsType<IPEndPoint>(server.EndPoint);
        string address = Assert.Single(AddressesOf(server));

        Assert.NotEqual(0, bound.Port);
        Assert.EndsWith($":{bound.Port}", address, StringComparison.Ordinal);
    }

    [Theory, OverTransports(TcpOnly = true)]
    public async Task APortThatAServerOfTheSameProcessOwnsIsRefused(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint);
        IPEndPoint bound = (IPEndPoint)server.EndPoint;

        IOException exception = await Assert.ThrowsAnyAsync<IOException>(() => StartAsync(transport, kestrel => kestrel.Listen(bound)));

        Assert.IsType<AddressInUseException>(exception.InnerException);
    }

    [Theory, OverTransports]
    public async Task APortThatAPlainSocketOwnsIsRefused(TransportKind transport)
    {
        using Socket owner = Listen(IPAddress.Loopback);
        IPEndPoint bound = (IPEndPoint)owner.LocalEndPoint!;

        IOException exception = await Assert.ThrowsAnyAsync<IOException>(() => StartAsync(transport, kestrel => kestrel.Listen(bound)));

        Assert.IsType<AddressInUseException>(exception.InnerException);
    }

    [Theory, OverTransports]
    public async Task AnAddressThatIsNotLocalIsRefused(TransportKind transport)
    {
        SocketException exception = await Assert.ThrowsAnyAsync<SocketException>(
            () => StartAsync(transport, kestrel => kestrel.Listen(IPAddress.Parse("192.0.2.1"), 0)));

        Assert.Equal(SocketError.AddressNotAvailable, exception.SocketErrorCode);
    }

    [Theory, OverTransports]
    public async Task ServesSeveralEndPointsAtOnce(TransportKind transport)
    {
        string path = TestServer.NewSocketPath();
        await using TestServer server = await StartAsync(transport, kestrel =>
        {
            kestrel.Listen(IPAddress.Loopback, 0);
            kestrel.Listen(IPAddress.Loopback, 0);
            kestrel.Listen(IPAddress.IPv6Loopback, 0);
            kestrel.ListenUnixSocket(path);
        });

        Assert.Equal(4, server.EndPoints.Distinct().Count());
        foreach (EndPoint endPoint in server.EndPoints)
        {
            using RawClient client = await RawClient.ConnectAsync(endPoint);
            Assert.Equal("/", (await client.GetAsync("/")).Text);
        }
    }

    [Theory, OverTransports]
    public async Task ListenAnyIPTakesBothFamilies(TransportKind transport)
    {
        await using TestServer server = await StartAsync(transport, kestrel => kestrel.ListenAnyIP(0));
        int port = ((IPEndPoint)server.EndPoint).Port;
        foreach (IPAddress address in new[] { IPAddress.Loopback, IPAddress.IPv6Loopback })
        {
            using RawClient client = await RawClient.ConnectAsync(new IPEndPoint(address, port));
            Assert.Equal("/", (await client.GetAsync("/")).Text);
        }

        Assert.Equal(["http://[::]:" + port], AddressesOf(server));
        Assert.Equal(["::ffff:127.0.0.1", "::1"], server.Connections.Select(connection => ((IPEndPoint)connection.Remote!).Address.ToString()));
    }

    [Theory, OverTransports]
    public async Task ListenLocalhostTakesBothFamilies(TransportKind transport)
    {
        (TestServer server, int port) = await StartOnAFreePortAsync(transport, (kestrel, port) => kestrel.ListenLocalhost(port));
        await using (server)
        {
            foreach (IPAddress address in new[] { IPAddress.Loopback, IPAddress.IPv6Loopback })
            {
                using RawClient client = await RawClient.ConnectAsync(new IPEndPoint(address, port));
                Assert.Equal("/", (await client.GetAsync("/")).Text);
            }
        }
    }

    [Theory, OverTransports("http://127.0.0.1:0", "http://[::1]:0", "http://*:0", "http://0.0.0.0:0")]
    public async Task TakesItsAddressFromUrls(TransportKind transport, string url)
    {
        await using TestServer server = await TestServer.StartAsync(new(transport)
        {
            Bind = _ => { },
            Builder = builder => builder.WebHost.UseUrls(url),
            Handler = Handlers.PathAsync,
        });
        string bound = Assert.Single(AddressesOf(server)).Replace("[::]", "localhost", StringComparison.Ordinal);
        int port = new Uri(bound).Port;
        IPAddress address = url.Contains("::1", StringComparison.Ordinal) ? IPAddress.IPv6Loopback : IPAddress.Loopback;
        using RawClient client = await RawClient.ConnectAsync(new IPEndPoint(address, port));

        Assert.Equal("/", (await client.GetAsync("/")).Text);
    }

    [Theory, OverTransports]
    public async Task TheHandlerSeesTheRealAddresses(TransportKind transport)
    {
        await using TestServer server = await TestServer.StartAsync(transport, context => Handlers.TextAsync(
            context,
            $"{context.Connection.LocalIpAddress}:{context.Connection.LocalPort} "
            + $"{context.Connection.RemoteIpAddress}:{context.Connection.RemotePort}"));
        using RawClient client = await server.ConnectAsync();

        Assert.Equal($"{client.Socket.RemoteEndPoint} {client.Socket.LocalEndPoint}", (await client.GetAsync("/")).Text);
    }

    [Theory, OverTransports]
    public async Task AUnixSocketsFileIsRemovedOnStop(TransportKind transport)
    {
        await using TestServer server = await TestServer.StartAsync(transport, EndPointKind.Unix);
        string path = server.EndPoint.ToString()!;
        Assert.True(File.Exists(path));

        await server.StopAsync();

        Assert.False(File.Exists(path));
    }

    [Theory, OverTransports]
    public async Task AFileInAUnixSocketsPlaceIsRefusedAndKept(TransportKind transport)
    {
        string path = TestServer.NewSocketPath();
        await File.WriteAllTextAsync(path, "kept");
        try
        {
            IOException exception = await Assert.ThrowsAnyAsync<IOException>(() => StartAsync(transport, kestrel => kestrel.ListenUnixSocket(path)));

            Assert.IsType<AddressInUseException>(exception.InnerException);
            Assert.Equal("kept", await File.ReadAllTextAsync(path));
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Theory, OverTransports]
    public async Task AUnixSocketThatAnotherServerOwnsIsRefusedAndKept(TransportKind transport)
    {
        await using TestServer server = await TestServer.StartAsync(transport, EndPointKind.Unix);

        IOException exception = await Assert.ThrowsAnyAsync<IOException>(
            () => StartAsync(transport, kestrel => kestrel.ListenUnixSocket(server.EndPoint.ToString()!)));
        using RawClient client = await server.ConnectAsync();

        Assert.IsType<AddressInUseException>(exception.InnerException);
        Assert.Equal("/", (await client.GetAsync("/")).Text);
    }

    [Theory, OverTransports]
    public async Task AUnixSocketInAMissingFolderIsRefused(TransportKind transport)
        => await Assert.ThrowsAnyAsync<SocketException>(() => StartAsync(
            transport, kestrel => kestrel.ListenUnixSocket(TestServer.NewSocketPath() + "/missing.sock")));

    [Theory, OverTransports]
    public async Task ServesAListenerThatWasHandedIn(TransportKind transport, EndPointKind endPoint)
    {
        using Socket listener = endPoint switch
        {
            EndPointKind.IPv4 => Listen(IPAddress.Loopback),
            EndPointKind.IPv6 => Listen(IPAddress.IPv6Loopback),
            _ => ListenUnix(),
        };
        EndPoint bound = listener.LocalEndPoint!;
        await using TestServer server = await StartAsync(transport, kestrel => kestrel.ListenHandle((ulong)listener.SafeHandle.DangerousGetHandle()));
        for (int i = 0; i < 10; i++)
        {
            using RawClient client = await RawClient.ConnectAsync(bound);
            Assert.Equal("/", (await client.GetAsync("/")).Text);
        }

        Assert.Equal(bound.ToString(), server.EndPoint.ToString());
    }

    [Theory, OverTransports]
    public async Task AListenerThatWasHandedInOutlivesTheServer(TransportKind transport)
    {
        using Socket listener = Listen(IPAddress.Loopback);
        await using (TestServer server = await StartAsync(
            transport, kestrel => kestrel.ListenHandle((ulong)listener.SafeHandle.DangerousGetHandle())))
        {
            using RawClient client = await RawClient.ConnectAsync(listener.LocalEndPoint!);
            Assert.Equal("/", (await client.GetAsync("/")).Text);
        }

        using RawClient late = await RawClient.ConnectAsync(listener.LocalEndPoint!);
        using Socket accepted = listener.Accept();

        Assert.Equal(late.Socket.LocalEndPoint, accepted.RemoteEndPoint);
    }

    [Fact]
    public async Task AHandleOfAnotherTypeThanASocketIsRefused()
    {
        using Socket listener = Listen(IPAddress.Loopback);
        var handle = new FileHandleEndPoint((ulong)listener.SafeHandle.DangerousGetHandle(), FileHandleType.Pipe);
        await Assert.ThrowsAnyAsync<NotSupportedException>(() => StartAsync(TransportKind.Ioxide, kestrel => kestrel.Listen(handle)));
    }

    private static Task<TestServer> StartAsync(TransportKind transport, Action<KestrelServerOptions> bind)
        => TestServer.StartAsync(new(transport) { Bind = bind, Handler = Handlers.PathAsync });

    /// <summary>Localhost takes no port 0, and a port found free may be taken by the time it is used.</summary>
    private static async Task<(TestServer Server, int Port)> StartOnAFreePortAsync(TransportKind transport, Action<KestrelServerOptions, int> bind)
    {
        for (int attempt = 0; ; attempt++)
        {
            int port;
            using (Socket probe = Listen(IPAddress.Loopback))
            {
                port = ((IPEndPoint)probe.LocalEndPoint!).Port;
            }

            try
            {
                return (await StartAsync(transport, kestrel => bind(kestrel, port)), port);
            }
            catch (IOException) when (attempt < 10)
            {
            }
        }
    }

    private static Socket Listen(IPAddress address)
    {
        Socket socket = new(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(address, 0));
        socket.Listen(128);
        return socket;
    }

    private static Socket ListenUnix()
    {
        Socket socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.Bind(new UnixDomainSocketEndPoint(TestServer.NewSocketPath()));
        socket.Listen(128);
        return socket;
    }

    private static ICollection<string> AddressesOf(TestServer server)
        => server.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses;
}
