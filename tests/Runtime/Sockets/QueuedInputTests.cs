using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using Xunit;

namespace Ioxide.Tests;

/// <summary>
/// What a client sent, with the end of its stream or a reset behind it, lies in the kernel before the receive is armed: more than
/// one multishot hands over without a pause (32 completions).
/// </summary>
public class QueuedInputTests
{
    private const int QueuedBytes = 150_000;

    [Theory, AllValues]
    public async Task IsReadToItsEnd(bool isUnix)
    {
        for (int round = 0; round < 20; round++)
        {
            (long received, bool isEnd) = await ReceiveQueuedAsync(isUnix, static socket => socket.Shutdown(SocketShutdown.Send));
            Assert.Equal(QueuedBytes, received);
            Assert.True(isEnd);
        }
    }

    [Fact]
    public async Task EndsWithAnErrorWhereAResetLiesBehindIt()
    {
        for (int round = 0; round < 20; round++)
        {
            (_, bool isEnd) = await ReceiveQueuedAsync(isUnix: false, static socket =>
            {
                socket.LingerState = new LingerOption(true, 0);
                socket.Dispose();
            });
            Assert.False(isEnd);
        }
    }

    /// <summary>Bytes that the server read, and whether they ended by an end of the stream; by an error otherwise.</summary>
    private static async Task<(long Received, bool IsEnd)> ReceiveQueuedAsync(bool isUnix, Action<Socket> end)
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        TaskCompletionSource<(long, bool)> result = Waits.Signal<(long, bool)>();
        EndPoint endPoint = isUnix
            ? new UnixDomainSocketEndPoint($"\0ioxide-queued-{Guid.NewGuid():N}")
            : new IPEndPoint(IPAddress.Loopback, 0);
        await using RingListener listener = await fixture.Group.ListenAsync(endPoint, async connection => result.SetResult(await ReadAsync(connection)));
        using var isQueued = new Blocker();
        TaskCompletionSource isBlocked = Waits.Signal();

        // The reactor accepts, and arms the receive, only after all is queued.
        fixture.Reactors[0].Post(
            _ =>
            {
                isBlocked.SetResult();
                isQueued.Hold();
            },
            null);
        await isBlocked.Task.Within(20.Seconds());
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        client.SendBufferSize = 2 * QueuedBytes;
        await client.SendAllAsync(new byte[QueuedBytes]);
        end(client);
        isQueued.Release();
        return await result.Task.Within(20.Seconds());
    }

    private static async Task<(long Received, bool IsEnd)> ReadAsync(RingConnection connection)
    {
        long received = 0;
        try
        {
            while (true)
            {
                ReadResult read = await connection.Input.ReadAsync();
                received += read.Buffer.Length;
                connection.Input.AdvanceTo(read.Buffer.End);
                if (read.IsCompleted)
                {
                    return (received, true);
                }
            }
        }
        catch (IOException)
        {
            // A reset is what one of the tests waits for.
            return (received, false);
        }
    }
}
