using System.Net;
using System.Net.Sockets;

namespace Ioxide.TestKit;

/// <summary>A connection on a reactor and the plain socket at its other end, over TCP or a unix socket.</summary>
/// <remarks>The connection stays open until the pair is disposed or the test ends it: nobody handles it but the test.</remarks>
internal sealed class LoopbackPair : IAsyncDisposable
{
    private readonly RingListener _listener;
    private readonly TaskCompletionSource _isOver;
    private readonly string? _path;
    private ReactorFixture? _own;

    private LoopbackPair(RingListener listener, RingConnection server, Socket client, TaskCompletionSource isOver, string? path)
    {
        _listener = listener;
        _isOver = isOver;
        _path = path;
        Server = server;
        Client = client;
    }

    internal RingConnection Server { get; }

    internal Socket Client { get; }

    /// <summary>Connects one.</summary>
    /// <param name="fixture">Where the connection lives.</param>
    /// <param name="options">How the connection behaves.</param>
    /// <param name="endPoint">Where to listen; a free IPv4 loopback port by default.</param>
    /// <param name="receiveBufferBytes">Room of the plain socket; the kernel's choice by default.</param>
    internal static async Task<LoopbackPair> ConnectAsync(
        ReactorFixture fixture, RingConnectionOptions? options = null, EndPoint? endPoint = null, int receiveBufferBytes = 0)
    {
        TaskCompletionSource<RingConnection> accepted = Waits.Signal<RingConnection>();
        TaskCompletionSource isOver = Waits.Signal();
        RingListener listener = await fixture.ListenAsync(
            connection =>
            {
                accepted.SetResult(connection);
                return isOver.Task;
            },
            new RingListenOptions { Connection = options ?? new RingConnectionOptions() },
            endPoint).ConfigureAwait(false);
        Socket client = await RawSocket.ConnectAsync(listener.EndPoint, receiveBufferBytes).ConfigureAwait(false);
        RingConnection server = await accepted.Task.Within(20.Seconds(), "the connection is accepted").ConfigureAwait(false);
        return new LoopbackPair(listener, server, client, isOver, (endPoint as UnixDomainSocketEndPoint)?.ToString());
    }

    /// <summary>Connects one on reactors of its own, which end with it.</summary>
    internal static async Task<LoopbackPair> ConnectAsync(
        RingConnectionOptions? options = null, EndPoint? endPoint = null, int receiveBufferBytes = 0)
    {
        ReactorFixture own = ReactorFixture.Start();
        LoopbackPair pair = await ConnectAsync(own, options, endPoint, receiveBufferBytes).ConfigureAwait(false);
        pair._own = own;
        return pair;
    }

    public async ValueTask DisposeAsync()
    {
        await using ReactorFixture? own = _own;
        Client.Dispose();
        _isOver.TrySetResult();
        await Server.DisposeAsync().AsTask().Within(20.Seconds(), "the connection is closed").ConfigureAwait(false);
        await _listener.UnbindAsync().Within(20.Seconds(), "the listener is unbound").ConfigureAwait(false);
        if (_path is not null)
        {
            File.Delete(_path);
        }
    }
}
