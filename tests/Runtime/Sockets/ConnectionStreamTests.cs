using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>
/// A connection as a stream writes in pieces: what a large write copies is bounded by the limit of the connection, not by its length, and
/// whatever ends it between two pieces is not taken for its end by the peer.
/// </summary>
public class ConnectionStreamTests : ReactorTests
{
    private const int LargeBytes = 64 * 1024 * 1024;

    // Limit, one piece, what other blocks of the chain leave unused.
    private const int BoundBytes = 512 * 1024;

    [Theory, AllValues]
    public async Task AWriteToAPeerThatDoesNotReadCopiesNoMoreThanTheLimit(bool onReactor)
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        await using Pair pair = await Pair.ConnectAsync(fixture);
        using var source = new CancellationTokenSource();
        byte[] sent = new byte[LargeBytes];
        Func<Task> write = () => pair.Stream.WriteAsync(sent, source.Token).AsTask();
        Task writing = onReactor ? fixture[0].RunAsync(write) : write();
        await Waits.Eventually(() => pair.Stream.Connection.Output.PendingBytes > 0 && fixture[0].Snapshot().BytesSent > 0, 20.Seconds());

        Assert.False(writing.IsCompleted);
        Assert.InRange(fixture[0].Memory.SmallBlocks.SizeBytes + fixture[0].Memory.LargeBlocks.SizeBytes, 1, BoundBytes);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => writing.Within(20.Seconds()));
        Assert.InRange(fixture[0].Memory.SmallBlocks.SizeBytes + fixture[0].Memory.LargeBlocks.SizeBytes, 1, BoundBytes);
        await pair.Stream.DisposeAsync();
        await Assert.ThrowsAsync<SocketException>(() => pair.Peer.ReceiveToEndAsync());
    }

    [Theory, Each(0, 1, RingConnectionStream.PieceBytes - 1, RingConnectionStream.PieceBytes, RingConnectionStream.PieceBytes + 1, 8 * 1024 * 1024)]
    public async Task WritesOfEverySizeArriveWhole(int lengthBytes)
    {
        await using Pair pair = await Pair.ConnectAsync(Fixture);
        byte[] sent = Payload.Of(lengthBytes);
        Task<byte[]> receiving = pair.Peer.ReceiveToEndAsync();
        await pair.Stream.WriteAsync(sent).AsTask().Within(20.Seconds());
        await pair.Stream.DisposeAsync();
        Payload.AssertSame(sent, await receiving);
    }

    [Fact]
    public async Task ATokenThatIsCancelledAlreadyWritesNothing()
    {
        await using Pair pair = await Pair.ConnectAsync(Fixture);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => pair.Stream.WriteAsync("never"u8.ToArray(), new CancellationToken(canceled: true)).AsTask());
        await pair.Stream.WriteAsync("sent"u8.ToArray());
        await pair.Stream.DisposeAsync();
        Assert.Equal("sent"u8.ToArray(), await pair.Peer.ReceiveToEndAsync());
    }

    [Fact]
    public async Task ADisposalEndsAReadAndAWriteAsANetworkStreams()
    {
        await using Pair pair = await Pair.ConnectAsync(Fixture);
        Task reading = pair.Stream.ReadAsync(new byte[1]).AsTask();
        Task writing = pair.Stream.WriteAsync(new byte[LargeBytes]).AsTask();
        await pair.Stream.DisposeAsync();
        foreach (Task task in new[] { reading, writing })
        {
            IOException error = await Assert.ThrowsAsync<IOException>(() => task.Within(20.Seconds()));
            Assert.Equal(SocketError.OperationAborted, Assert.IsType<SocketException>(error.InnerException).SocketErrorCode);
        }

        await Assert.ThrowsAsync<SocketException>(() => pair.Peer.ReceiveToEndAsync());
    }

    /// <summary>The call's own context is not the reactor's: whoever set another one, or none, does not see the wait.</summary>
    [Theory, AllValues]
    public async Task ABlockingCallKeepsItsReactorTurningUnderAnyContext(bool reads)
    {
        const int LengthBytes = 8 * 1024 * 1024;
        await using Pair pair = await Pair.ConnectAsync(Fixture);
        Task calling = pair.Stream.Connection.Reactor.RunAsync(() =>
        {
            SynchronizationContext.SetSynchronizationContext(null);
            if (reads)
            {
                Assert.Equal(1, pair.Stream.Read(new byte[1], 0, 1));
            }
            else
            {
                pair.Stream.Write(new byte[LengthBytes], 0, LengthBytes);
            }
        });
        await pair.Peer.SendAllAsync(new byte[1]);
        Task<byte[]> receiving = pair.Peer.ReceiveExactlyAsync(reads ? 0 : LengthBytes);

        await calling.Within(20.Seconds());
        await receiving.Within(20.Seconds());
    }

    private sealed class Pair(RingConnectionStream stream, Socket peer) : IAsyncDisposable
    {
        internal RingConnectionStream Stream { get; } = stream;

        internal Socket Peer { get; } = peer;

        internal static async Task<Pair> ConnectAsync(ReactorFixture fixture)
        {
            using Socket listener = RawSocket.Listen();
            listener.ReceiveBufferSize = 4096;
            RingConnection connection = await fixture.Group.ConnectAsync(listener.LocalEndPoint!).Within(20.Seconds());
            return new Pair(new RingConnectionStream(connection), await listener.AcceptAsync().Within(20.Seconds()));
        }

        public async ValueTask DisposeAsync()
        {
            Peer.Dispose();
            await Stream.DisposeAsync();
            await Stream.Connection.DisposeAsync().Within(20.Seconds());
        }
    }
}
