using System.Net;
using System.Net.Sockets;

namespace Ioxide.Pg.Tests;

/// <summary>What the proxy says, it does, to the byte: each test sends known bytes through it to a plain socket and looks at what came.</summary>
public sealed class FaultProxyTests : IAsyncDisposable
{
    private readonly LeakCheck _descriptors = LeakCheck.Start();
    private readonly Socket _listener = RawSocket.Listen();
    private readonly Random _random = new(4711);

    private EndPoint Target => _listener.LocalEndPoint!;

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        await _descriptors.AssertNoneLeftAsync(20.Seconds());
    }

    [Theory, Each(0, 1, 65_535, 65_536, 65_537, 8 * 1024 * 1024)]
    public async Task ForwardsByteForByteBothWays(int count)
    {
        await using FaultProxy proxy = FaultProxy.Start(Target);
        (Socket client, Socket server) = await ConnectAsync(proxy);
        using Socket _ = client, __ = server;
        byte[] there = Bytes(count);
        byte[] back = Bytes(count);
        await Task.WhenAll(SendAndEndAsync(client, there), SendAndEndAsync(server, back), Expect(server, there), Expect(client, back));
        Assert.Equal(count, proxy.Links[0].Forwarded(Direction.ToServer));
        Assert.Equal(1, proxy.Connections);
    }

    [Fact]
    public async Task ForwardsFromAUnixSocket()
    {
        string path = Path.Combine(Path.GetTempPath(), $"ioxide-proxy-{Guid.NewGuid():N}");
        await using (FaultProxy proxy = FaultProxy.StartAt(new UnixDomainSocketEndPoint(path), Target))
        {
            (Socket client, Socket server) = await ConnectAsync(proxy);
            using Socket _ = client, __ = server;
            byte[] bytes = Bytes(100_000);
            await Task.WhenAll(SendAndEndAsync(client, bytes), Expect(server, bytes));
        }

        Assert.False(File.Exists(path));
    }

    [Theory]
    [InlineData(0, false)]
    [InlineData(1, false)]
    [InlineData(65_536, false)]
    [InlineData(100_001, false)]
    [InlineData(1, true)]
    [InlineData(100_001, true)]
    public async Task ACutLetsExactlySoManyBytesThrough(int count, bool isReset)
    {
        await using FaultProxy proxy = FaultProxy.Start(
            Target, isReset ? ProxyFault.ResetAfter(Direction.ToClient, count) : ProxyFault.CutAfter(Direction.ToClient, count));
        (Socket client, Socket server) = await ConnectAsync(proxy);
        using Socket _ = client, __ = server;
        byte[] bytes = Bytes(200_000);
        Task sending = SendUntilEndAsync(server, bytes);
        Assert.Equal(bytes[..count], await client.ReceiveExactlyAsync(count));
        Assert.Equal(isReset ? SocketError.ConnectionReset : SocketError.Success, await EndOfAsync(client));
        client.Dispose();
        await sending;
        Assert.Equal(count, proxy.Links[0].Forwarded(Direction.ToClient));
    }

    [Fact]
    public async Task AHalfCloseLeavesTheOtherDirection()
    {
        await using FaultProxy proxy = FaultProxy.Start(Target, ProxyFault.HalfCloseAfter(Direction.ToServer, 10));
        (Socket client, Socket server) = await ConnectAsync(proxy);
        using Socket _ = client, __ = server;
        byte[] bytes = Bytes(50);
        await client.SendAllAsync(bytes);
        Assert.Equal(bytes[..10], await server.ReceiveToEndAsync());
        await Task.WhenAll(SendAndEndAsync(server, bytes), Expect(client, bytes));
    }

    [Fact]
    public async Task WhatIsDroppedIsGoneAndNobodyIsTold()
    {
        await using FaultProxy proxy = FaultProxy.Start(Target, ProxyFault.DropAfter(Direction.ToServer, 10));
        (Socket client, Socket server) = await ConnectAsync(proxy);
        using Socket _ = client, __ = server;
        byte[] bytes = Bytes(50);
        await SendAndEndAsync(client, bytes);
        Assert.Equal(bytes[..10], await server.ReceiveToEndAsync());
    }

    [Fact]
    public async Task AStallHoldsTheRestUntilItIsReleased()
    {
        await using FaultProxy proxy = FaultProxy.Start(Target, ProxyFault.StallAfter(Direction.ToServer, 10));
        (Socket client, Socket server) = await ConnectAsync(proxy);
        using Socket _ = client, __ = server;
        byte[] bytes = Bytes(50);
        await SendAndEndAsync(client, bytes);
        Assert.Equal(bytes[..10], await server.ReceiveExactlyAsync(10));
        await Assert.ThrowsAsync<TimeoutException>(() => server.ReceiveToEndAsync().Within(50.Milliseconds()));
        Assert.Equal(10, proxy.Links[0].Forwarded(Direction.ToServer));
        proxy.Release();
        await Waits.Eventually(() => proxy.Links[0].Forwarded(Direction.ToServer) == 50, 20.Seconds());
    }

    [Fact]
    public async Task ADelayComesAtItsByte()
    {
        await using FaultProxy proxy = FaultProxy.Start(Target, ProxyFault.DelayAfter(Direction.ToServer, 10, 100.Milliseconds()));
        (Socket client, Socket server) = await ConnectAsync(proxy);
        using Socket _ = client, __ = server;
        byte[] bytes = Bytes(50);
        long started = Environment.TickCount64;
        await SendAndEndAsync(client, bytes);
        Assert.Equal(bytes[..10], await server.ReceiveExactlyAsync(10));
        Assert.Equal(bytes[10..], await server.ReceiveToEndAsync());
        Assert.InRange(Environment.TickCount64 - started, 95, long.MaxValue);
    }

    [Fact]
    public async Task SlicesComeAloneWhereEachIsHeld()
    {
        await using FaultProxy proxy = FaultProxy.Start(Target, ProxyFault.SliceAfter(Direction.ToServer, 4, 3, isEachHeld: true));
        (Socket client, Socket server) = await ConnectAsync(proxy);
        using Socket _ = client, __ = server;
        byte[] bytes = Bytes(12);
        await SendAndEndAsync(client, bytes);
        int taken = 0;
        foreach (int count in (int[])[7, 3, 2])
        {
            Assert.Equal(bytes[taken..(taken + count)], await server.ReceiveExactlyAsync(count));
            taken += count;
            await Waits.Eventually(() => proxy.Links[0].Forwarded(Direction.ToServer) == taken, 20.Seconds());
            Assert.Equal(0, server.Available);
            proxy.Release();
        }

        Assert.Equal(SocketError.Success, await EndOfAsync(server));
    }

    [Fact]
    public async Task ReplacesAndInsertsAtTheirBytes()
    {
        await using FaultProxy proxy = FaultProxy.Start(
            Target,
            ProxyFault.ReplaceAfter(Direction.ToServer, 3, "xy"u8.ToArray()),
            ProxyFault.InsertAfter(Direction.ToServer, 7, "++"u8.ToArray()));
        (Socket client, Socket server) = await ConnectAsync(proxy);
        using Socket _ = client, __ = server;
        await Task.WhenAll(SendAndEndAsync(client, "0123456789"u8.ToArray()), Expect(server, "012xy56++789"u8.ToArray()));
    }

    [Fact]
    public async Task OnlyTheNamedConnectionIsCutAndARefusedOneIsReset()
    {
        await using FaultProxy proxy = FaultProxy.Start(Target, ProxyFault.CutAfter(Direction.ToServer, 0).On(1));
        (Socket client, Socket server) = await ConnectAsync(proxy);
        (Socket cut, Socket cutServer) = await ConnectAsync(proxy);
        using Socket _ = client, __ = server, ___ = cut, ____ = cutServer;
        Assert.Equal(SocketError.Success, await EndOfAsync(cut));
        await Task.WhenAll(SendAndEndAsync(client, [1, 2, 3]), Expect(server, [1, 2, 3]));

        proxy.IsRefusing = true;
        SocketException refusal = await Assert.ThrowsAsync<SocketException>(async () =>
        {
            // The reset may come before the connect has been seen to succeed.
            using Socket refused = await RawSocket.ConnectAsync(proxy.EndPoint);
            await refused.ReceiveToEndAsync();
        });
        Assert.Equal(SocketError.ConnectionReset, refusal.SocketErrorCode);
        Assert.Equal(3, proxy.Connections);
    }

    [Fact]
    public async Task AConnectThatIsCutLeavesNoExceptionBehind()
    {
        using UnobservedExceptions unobserved = UnobservedExceptions.Watch();
        using Socket full = RawSocket.Listen(backlog: 0);
        using Socket only = await RawSocket.ConnectAsync(full.LocalEndPoint!);
        await using (FaultProxy proxy = FaultProxy.Start(full.LocalEndPoint!))
        {
            using Socket client = await RawSocket.ConnectAsync(proxy.EndPoint);
            await Waits.Eventually(() => proxy.OpenConnections == 1, 20.Seconds());
        }

        await Task.Run(unobserved.AssertNone);
    }

    [Fact]
    public async Task AResetOfTheClientReachesTheServer()
    {
        await using FaultProxy proxy = FaultProxy.Start(Target);
        (Socket client, Socket server) = await ConnectAsync(proxy);
        using Socket _ = server;
        client.Reset();
        Assert.Equal(SocketError.ConnectionReset, await EndOfAsync(server));
        await Waits.Eventually(() => proxy.OpenConnections == 0, 20.Seconds());
    }

    private byte[] Bytes(int count)
    {
        byte[] bytes = new byte[count];
        _random.NextBytes(bytes);
        return bytes;
    }

    private async Task<(Socket Client, Socket Server)> ConnectAsync(FaultProxy proxy)
    {
        Socket client = await RawSocket.ConnectAsync(proxy.EndPoint);
        return (client, await _listener.AcceptAsync().Within(20.Seconds()));
    }

    private static async Task SendAndEndAsync(Socket socket, byte[] bytes)
    {
        await socket.SendAllAsync(bytes);
        socket.Shutdown(SocketShutdown.Send);
    }

    private static async Task SendUntilEndAsync(Socket socket, byte[] bytes)
    {
        try
        {
            await SendAndEndAsync(socket, bytes);
        }
        catch (SocketException)
        {
            // The proxy has cut.
        }
    }

    private static async Task Expect(Socket socket, byte[] bytes)
    {
        byte[] received = await socket.ReceiveToEndAsync();
        Assert.True(bytes.AsSpan().SequenceEqual(received), $"Other bytes came: {received.Length} of {bytes.Length}.");
    }

    /// <summary>How the stream ends; it holds no more bytes.</summary>
    private static async Task<SocketError> EndOfAsync(Socket socket)
    {
        try
        {
            Assert.Equal(0, await socket.ReceiveAsync(new byte[1].AsMemory(), SocketFlags.None).AsTask().Within(20.Seconds()));
            return SocketError.Success;
        }
        catch (SocketException exception)
        {
            return exception.SocketErrorCode;
        }
    }
}
