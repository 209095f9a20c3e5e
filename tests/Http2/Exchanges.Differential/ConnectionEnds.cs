using System.Collections.Concurrent;
using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Http2.Tests;

/// <summary>Says when a server is through with a connection: by then it has logged all that it has to say of it. Threads: any.</summary>
internal sealed class ConnectionEnds
{
    private readonly ConcurrentDictionary<int, TaskCompletionSource<string>> _byPort = new();

    /// <summary>Watches the connections of an endpoint. Called before anything else is put in front of HTTP.</summary>
    internal void Watch(ListenOptions listen)
        => listen.Use(next => async connection =>
        {
            TaskCompletionSource<string> ended = Of(((IPEndPoint)connection.RemoteEndPoint!).Port);
            try
            {
                await next(connection);
            }
            finally
            {
                ended.SetResult(connection.ConnectionId);
            }
        });

    /// <summary>The identifier of the connection from a client's port, once the server is through with it.</summary>
    internal async Task<string> EndedAsync(int port)
    {
        string id = await Of(port).Task.Within(10.Seconds(), "the server ends the connection");
        _ = _byPort.TryRemove(port, out _);
        return id;
    }

    private TaskCompletionSource<string> Of(int port) => _byPort.GetOrAdd(port, static _ => Waits.Signal<string>());
}
