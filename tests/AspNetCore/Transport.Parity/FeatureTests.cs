using System.Buffers;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.AspNetCore.Tests;

/// <summary>What middleware finds in a connection does not depend on the transport.</summary>
public class FeatureTests
{
    [Theory, AllValues]
    public async Task IoxideHasEveryFeatureThatSocketsHas(EndPointKind endPoint)
    {
        SeenConnection sockets = await SeeAsync(TransportKind.Sockets, endPoint);
        SeenConnection ioxide = await SeeAsync(TransportKind.Ioxide, endPoint);

        Assert.Empty(sockets.Features.Except(ioxide.Features).Select(type => type.Name));
    }

    [Theory, AllValues]
    public async Task IoxideNamesEndPointsAsSocketsDoes(EndPointKind endPoint)
    {
        SeenConnection sockets = await SeeAsync(TransportKind.Sockets, endPoint);
        SeenConnection ioxide = await SeeAsync(TransportKind.Ioxide, endPoint);

        Assert.Equal(sockets.Local?.GetType(), ioxide.Local?.GetType());
        Assert.Equal(sockets.Remote?.GetType(), ioxide.Remote?.GetType());
        Assert.Equal(sockets.Remote?.AddressFamily, ioxide.Remote?.AddressFamily);
    }

    [Theory, OverTransports]
    public async Task EachConnectionHasItsOwnId(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint);
        for (int i = 0; i < 5; i++)
        {
            using RawClient client = await server.ConnectAsync();
            Assert.Equal(200, (await client.GetAsync("/")).Status);
        }

        Assert.Equal(5, server.Connections.Select(connection => connection.Id).Distinct().Count());
    }

    [Theory, OverTransports(-1, 0, 1, 4096)]
    public async Task TheMemoryPoolRentsAWholeBlock(TransportKind transport, EndPointKind endPoint, int sizeHint)
    {
        TaskCompletionSource<int> rented = Waits.Signal<int>();
        await using TestServer server = await TestServer.StartAsync(new(transport, endPoint)
        {
            Listen = listen => listen.Use(_ => connection =>
            {
                MemoryPool<byte> pool = connection.Features.GetRequiredFeature<IMemoryPoolFeature>().MemoryPool;
                using IMemoryOwner<byte> block = pool.Rent(sizeHint);
                rented.SetResult(block.Memory.Length);
                return Task.CompletedTask;
            }),
        });
        using RawClient client = await server.ConnectAsync();

        Assert.Equal(4096, await rented.Task.Within(20.Seconds()));
    }

    [Theory, OverTransports]
    public async Task TheSocketFeatureGivesTheConnectionsSocket(TransportKind transport)
    {
        TaskCompletionSource<bool> noDelay = Waits.Signal<bool>();
        await using TestServer server = await TestServer.StartAsync(new(transport)
        {
            Listen = listen => listen.Use(_ => connection =>
            {
                Socket socket = connection.Features.GetRequiredFeature<IConnectionSocketFeature>().Socket;
                Assert.Equal(connection.RemoteEndPoint, socket.RemoteEndPoint);
                noDelay.SetResult(socket.NoDelay);
                return Task.CompletedTask;
            }),
        });
        using RawClient client = await server.ConnectAsync();

        Assert.True(await noDelay.Task.Within(20.Seconds()));
    }

    /// <summary>A second descriptor that stayed open would keep the end from the peer. The application holds on to the socket.</summary>
    [Theory, OverTransports(false, true, TcpOnly = true)]
    public async Task AConnectionWhoseSocketWasTakenEndsForThePeer(TransportKind transport, EndPointKind endPoint, bool isAborted)
    {
        TaskCompletionSource connected = Waits.Signal();
        TaskCompletionSource<Socket> taken = Waits.Signal<Socket>();
        await using TestServer server = await TestServer.StartAsync(new(transport, endPoint)
        {
            Listen = listen => listen.Use(_ => async connection =>
            {
                await connected.Task.Within(20.Seconds());
                taken.SetResult(connection.Features.GetRequiredFeature<IConnectionSocketFeature>().Socket);
                if (isAborted)
                {
                    connection.Abort();
                }
            }),
        });
        using RawClient client = await server.ConnectAsync();
        connected.SetResult();
        using Socket socket = await taken.Task.Within(20.Seconds());

        await client.AssertEndsAsync(isAborted ? Ending.Reset : Ending.Fin);
        // Stock Kestrel shuts the socket down, which the client has seen, and disposes it next.
        await Waits.Eventually(() => socket.SafeHandle.IsClosed, 20.Seconds());
    }

    /// <summary>
    /// The application asks for the socket for the first time when the connection is over. The handler goes on, so Kestrel does not dispose the
    /// connection again.
    /// </summary>
    [Theory, OverTransports(false, true, TcpOnly = true)]
    public async Task ASocketThatIsTakenBehindTheEndIsDisposed(TransportKind transport, EndPointKind endPoint, bool isAborted)
    {
        TaskCompletionSource connected = Waits.Signal();
        TaskCompletionSource<Socket> taken = Waits.Signal<Socket>();
        TaskCompletionSource end = Waits.Signal();
        await using TestServer server = await TestServer.StartAsync(new(transport, endPoint)
        {
            Listen = listen => listen.Use(_ => async connection =>
            {
                await connected.Task.Within(20.Seconds());
                IConnectionSocketFeature feature = connection.Features.GetRequiredFeature<IConnectionSocketFeature>();
                ValueTask ending = default;
                if (isAborted)
                {
                    connection.Abort();
                }
                else
                {
                    ending = connection.DisposeAsync();
                }

                taken.SetResult(feature.Socket);
                await ending;
                await end.Task;
            }),
        });
        using RawClient client = await server.ConnectAsync();
        connected.SetResult();
        using Socket socket = await taken.Task.Within(20.Seconds());
        try
        {
            await client.AssertEndsAsync(isAborted ? Ending.Reset : Ending.Fin);
            await Waits.Eventually(() => socket.SafeHandle.IsClosed, 20.Seconds());
        }
        finally
        {
            end.SetResult();
        }

        Assert.Throws<ObjectDisposedException>(() => socket.RemoteEndPoint);
        AddressFamily family = endPoint == EndPointKind.IPv6 ? AddressFamily.InterNetworkV6 : AddressFamily.InterNetwork;
        Assert.Equal((family, SocketType.Stream, ProtocolType.Tcp), (socket.AddressFamily, socket.SocketType, socket.ProtocolType));
    }

    /// <summary>The handler goes on, so Kestrel does not dispose the connection yet.</summary>
    [Theory, OverTransports(TcpOnly = true)]
    public async Task AnAbortResetsThePeerAtOnceThoughTheSocketWasTaken(TransportKind transport, EndPointKind endPoint)
    {
        TaskCompletionSource end = Waits.Signal();
        await using TestServer server = await TestServer.StartAsync(new(transport, endPoint)
        {
            Listen = listen => listen.Use(next => connection =>
            {
                Assert.True(connection.Features.GetRequiredFeature<IConnectionSocketFeature>().Socket.Connected);
                return next(connection);
            }),
            Handler = context =>
            {
                context.Abort();
                return end.Task;
            },
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(RawClient.Get("/"));
        try
        {
            await client.AssertEndsAsync(Ending.Reset);
        }
        finally
        {
            end.SetResult();
        }
    }

    [Theory, OverTransports]
    public async Task ItemsAreKeptForTheConnection(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(new(transport, endPoint)
        {
            Listen = listen => listen.Use(next => connection =>
            {
                connection.Items["key"] = "/value";
                return next(connection);
            }),
            Handler = context => Handlers.TextAsync(context, (string)context.Features.GetRequiredFeature<IConnectionItemsFeature>().Items["key"]!),
        });
        using RawClient client = await server.ConnectAsync();

        Assert.Equal("/value", (await client.GetAsync("/")).Text);
        Assert.Equal("/value", (await client.GetAsync("/")).Text);
    }

    /// <summary>What remembers a feature asks for it again when the revision is another.</summary>
    [Theory, OverTransports]
    public async Task AFeatureThatIsRemovedTakesNoOtherWithIt(TransportKind transport)
    {
        TaskCompletionSource<string> seen = Waits.Signal<string>();
        await using TestServer server = await TestServer.StartAsync(new(transport)
        {
            Listen = listen => listen.Use(_ => connection =>
            {
                IFeatureCollection features = connection.Features;
                int first = features.Revision;
                features.Set(new Marker());
                int second = features.Revision;
                Type[] before = [.. features.Select(static feature => feature.Key)];
                features.Set<IConnectionItemsFeature>(null);
                string lost = string.Join(' ', before.Except(features.Select(static feature => feature.Key)).Select(static type => type.Name));
                seen.SetResult($"{second > first} {lost} {features.Get<IConnectionItemsFeature>() is null} {features.Get<Marker>() is not null}");
                return Task.CompletedTask;
            }),
        });
        using RawClient client = await server.ConnectAsync();

        Assert.Equal("True IConnectionItemsFeature True True", await seen.Task.Within(20.Seconds()));
    }

    private sealed class Marker;

    private static async Task<SeenConnection> SeeAsync(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint);
        using RawClient client = await server.ConnectAsync();
        Assert.Equal(200, (await client.GetAsync("/")).Status);
        return Assert.Single(server.Connections);
    }
}
