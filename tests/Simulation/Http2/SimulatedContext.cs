using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Simulation;

/// <summary>The smallest that the engine needs of a connection: the ring's pipes, its end, the request to end, and memory that is counted.</summary>
/// <remarks>
/// Its tokens are its own and not the connection's: the engine lets go of them on a real thread, and a token that fires at that time would be a matter of
/// luck.
/// </remarks>
internal sealed class SimulatedContext : ConnectionContext, IConnectionLifetimeNotificationFeature, IMemoryPoolFeature
{
    private readonly RingConnection _connection;
    private readonly CancellationTokenSource _closed = new();
    private readonly CancellationTokenSource _closeRequested = new();

    internal SimulatedContext(RingConnection connection, MemoryPool<byte> memory)
    {
        _connection = connection;
        MemoryPool = memory;
        Transport = connection;
        ConnectionId = connection.RemoteEndPoint!.ToString()!;
        Features.Set<IConnectionLifetimeNotificationFeature>(this);
        Features.Set<IMemoryPoolFeature>(this);
    }

    public override string ConnectionId { get; set; }

    public override IFeatureCollection Features { get; } = new FeatureCollection();

    public override IDictionary<object, object?> Items { get; set; } = new ConnectionItems();

    public override IDuplexPipe Transport { get; set; }

    public override EndPoint? RemoteEndPoint
    {
        get => _connection.RemoteEndPoint;
        set => throw new NotSupportedException();
    }

    public override CancellationToken ConnectionClosed
    {
        get => _closed.Token;
        set => throw new NotSupportedException();
    }

    public CancellationToken ConnectionClosedRequested
    {
        get => _closeRequested.Token;
        set => throw new NotSupportedException();
    }

    public MemoryPool<byte> MemoryPool { get; }

    public void RequestClose() => _closeRequested.Cancel();

    /// <summary>The connection has ended.</summary>
    internal void NoteClosed() => _closed.Cancel();

    public override void Abort(ConnectionAbortedException abortReason) => _connection.Abort(abortReason, resetsPeer: true);
}
