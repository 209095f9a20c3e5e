using System.Net.Sockets;

namespace Ioxide.Files.Tests;

/// <summary>The pipe that all connections of a reactor share, between plain sockets: what a full one leaves in it must not reach the next.</summary>
public sealed class PagePipeTests : IDisposable
{
    private const int LengthBytes = 1024 * 1024;
    private const int SmallBytes = 10_000;

    private readonly byte[] _pages = GC.AllocateArray<byte>(LengthBytes, pinned: true);
    private readonly byte[] _otherPages = GC.AllocateArray<byte>(SmallBytes, pinned: true);
    private readonly List<Socket> _sockets = [];

    public PagePipeTests()
    {
        Payload.Of(LengthBytes).CopyTo(_pages, 0);
        _otherPages.AsSpan().Fill(0xEE);
    }

    public void Dispose() => _sockets.ForEach(static socket => socket.Dispose());

    [Fact]
    public async Task WhatAFullSocketLeavesDoesNotReachTheNextOne()
    {
        using PagePipe pipe = PagePipe.TryOpen(out _) ?? throw new InvalidOperationException("There is no pipe.");
        (Socket full, Socket slow) = await PairAsync();
        (Socket other, Socket quick) = await PairAsync();
        full.SendBufferSize = 64 * 1024;
        int taken = Send(pipe, full, _pages, LengthBytes);
        Assert.InRange(taken, 1, LengthBytes - 1);
        Assert.Equal(-Errno.EAGAIN, Send(pipe, full, _pages, LengthBytes));

        Assert.Equal(SmallBytes, Send(pipe, other, _otherPages, SmallBytes));
        other.Shutdown(SocketShutdown.Send);
        Payload.AssertSame(_otherPages, await quick.ReceiveToEndAsync());

        // The control: the full one has what it said, and goes on from there.
        Payload.AssertSame(_pages[..taken], await slow.ReceiveExactlyAsync(taken));
        Assert.False(pipe.IsRefused);
    }

    private static unsafe int Send(PagePipe pipe, Socket socket, byte[] pages, int lengthBytes)
    {
        fixed (byte* memory = pages)
        {
            return pipe.Send((int)socket.Handle, memory, (nuint)lengthBytes);
        }
    }

    private async Task<(Socket Sender, Socket Receiver)> PairAsync()
    {
        using Socket listener = RawSocket.Listen();
        Socket sender = await RawSocket.ConnectAsync(listener.LocalEndPoint!);
        _sockets.Add(sender);
        Socket receiver = await listener.AcceptAsync().Within(60.Seconds());
        _sockets.Add(receiver);
        sender.Blocking = false;
        return (sender, receiver);
    }
}
