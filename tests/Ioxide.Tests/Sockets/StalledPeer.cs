using System.Net;
using System.Net.Sockets;
using Ioxide.TestKit;

namespace Ioxide.Tests;

/// <summary>
/// A connection whose peer does not read and has little room, so that a large send stays in flight until the peer reads.
/// </summary>
internal sealed class StalledPeer : IAsyncDisposable
{
    /// <summary>More than the kernel keeps for a peer that does not read.</summary>
    internal const int TooManyBytes = 12 * 1024 * 1024;

    private readonly RingListener _listener;
    private readonly TaskCompletionSource _isOver;

    private StalledPeer(RingListener listener, RingConnection server, Socket client, TaskCompletionSource isOver)
    {
        _listener = listener;
        _isOver = isOver;
        Server = server;
        Client = client;
    }

    internal RingConnection Server { get; }

    internal Socket Client { get; }

    internal static async Task<StalledPeer> ConnectAsync(ReactorFixture fixture, RingConnectionOptions? options = null)
    {
        TaskCompletionSource<RingConnection> accepted = Waits.Signal<RingConnection>();
        TaskCompletionSource isOver = Waits.Signal();
        RingListener listener = await fixture.ListenAsync(
            connection =>
            {
                accepted.SetResult(connection);
                return isOver.Task;
            },
            new RingListenOptions { Connection = options ?? new RingConnectionOptions() });
        var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 4096 };
        await client.ConnectAsync((IPEndPoint)listener.EndPoint).Within(20.Seconds());
        return new StalledPeer(listener, await accepted.Task.Within(20.Seconds()), client, isOver);
    }

    internal Task OnReactor(Func<SendPipe, Task> test)
        => Server.Reactor.RunAsync(() => test(Server.Output)).Within(20.Seconds(), "the code on the reactor has ended");

    /// <summary>Aborts, because a peer that does not read would hold up the end.</summary>
    public async ValueTask DisposeAsync()
    {
        Server.Abort();
        Client.Dispose();
        _isOver.TrySetResult();
        await Server.DisposeAsync().Within(20.Seconds(), "the connection is closed");
        await _listener.UnbindAsync().Within(20.Seconds(), "the listener is unbound");
    }
}
