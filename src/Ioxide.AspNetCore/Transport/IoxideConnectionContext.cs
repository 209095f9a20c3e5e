using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.AspNetCore;

/// <summary>What Kestrel holds of a connection on the ring.</summary>
internal sealed class IoxideConnectionContext : ConnectionContext,
    IConnectionIdFeature, IConnectionTransportFeature, IConnectionItemsFeature, IMemoryPoolFeature, IConnectionLifetimeFeature,
    IConnectionEndPointFeature, IConnectionSocketFeature, IReactorFeature, IBodyReferenceFeature
{
    // The transport's own features and those that Kestrel adds to an HTTP connection.
    private const int FeatureCapacity = 16;

    private readonly RingConnection _connection;
    private readonly ConnectionFeatureCollection _features;
    private string? _connectionId;
    private CancellationToken? _connectionClosed;
    private IDictionary<object, object?>? _items;
    private Socket? _socket;
    private bool _isSocketDisposed;
    private ReferenceAllowance _allowance;

    internal IoxideConnectionContext(RingConnection connection, MemoryPool<byte> memoryPool)
    {
        _connection = connection;
        MemoryPool = memoryPool;
        Transport = connection;
        LocalEndPoint = connection.LocalEndPoint;
        RemoteEndPoint = connection.RemoteEndPoint;
        connection.Tag = this;
        _features = new ConnectionFeatureCollection(FeatureCapacity);
        _features.Add(typeof(IConnectionIdFeature), this);
        _features.Add(typeof(IConnectionTransportFeature), this);
        _features.Add(typeof(IConnectionItemsFeature), this);
        _features.Add(typeof(IMemoryPoolFeature), this);
        _features.Add(typeof(IConnectionLifetimeFeature), this);
        _features.Add(typeof(IConnectionEndPointFeature), this);
        _features.Add(typeof(IConnectionSocketFeature), this);
        _features.Add(typeof(IReactorFeature), this);
        _features.Add(typeof(IBodyReferenceFeature), this);
    }

    public override IFeatureCollection Features => _features;

    public override string ConnectionId
    {
        get => _connectionId ??= ConnectionIds.Next();
        set => _connectionId = value;
    }

    public override IDuplexPipe Transport { get; set; }

    public override IDictionary<object, object?> Items
    {
        get => _items ??= new ConnectionItems();
        set => _items = value;
    }

    public MemoryPool<byte> MemoryPool { get; }

    public override CancellationToken ConnectionClosed
    {
        // Not kept here: two words, which threads that ask first at the same time could see half written.
        get => _connectionClosed ?? _connection.ConnectionClosed;
        set => _connectionClosed = value;
    }

    public override EndPoint? LocalEndPoint { get; set; }

    public override EndPoint? RemoteEndPoint { get; set; }

    public Reactor Reactor => _connection.Reactor;

    /// <summary>
    /// The socket, for options and addresses; a disposed one where the connection is over, as with the framework's sockets. It is a second
    /// descriptor, so it cannot outlive or harm the first.
    /// </summary>
    public Socket Socket
    {
        get
        {
            lock (_features)
            {
                return _socket ??= MakeSocket();
            }
        }
    }

    /// <summary>Without a reason (Kestrel's answer to a client's FIN) the client gets a FIN, with one a reset.</summary>
    public override void Abort(ConnectionAbortedException? abortReason)
    {
        DisposeSocket();
        _connection.Abort(abortReason, resetsPeer: abortReason is not null);
    }

    /// <summary>Application code of the connection belongs on the thread pool.</summary>
    internal bool RunsOnThreadPool => _connection.Options.ResumeOnThreadPool;

    /// <summary>Bytes that were flushed wait until the peer takes others. Threads: any.</summary>
    internal bool HasUnsentBytes => _connection.Output.PendingBytes > 0;

    /// <summary>
    /// The peer speaks HTTP/2. It may speak at any time, so the end of the connection waits for its FIN: a client acknowledges settings
    /// and pings, and one that meets a closed socket there gives up answers that it has received already. Kestrel parses its frames and
    /// runs its streams on the thread pool, so its reads are resumed there too.
    /// </summary>
    internal void NoteHttp2()
    {
        _connection.WaitsForPeerFin = true;
        _connection.ResumesOnThreadPool = true;
    }

    /// <summary>Sends the end behind what was written, below middleware that has its own pipe. Threads: any; nothing more is written.</summary>
    internal void EndOutput() => _connection.Output.Complete();

    /// <summary>Logs why the connection ends, when it does.</summary>
    internal void LogEnd(ILogger logger)
        => _ = _connection.ConnectionClosed.UnsafeRegister(
            _ => TransportLog.ConnectionEnded(logger, ConnectionId, RemoteEndPoint, _connection.CloseReason), null);

    /// <summary>Says whether what follows reads and flushes of other threads belongs on the thread pool.</summary>
    /// <returns>What was said before.</returns>
    internal bool ExchangeHandledOnPool(bool isHandledOnPool)
    {
        bool before = _connection.IsHandledOnPool;
        _connection.IsHandledOnPool = isHandledOnPool;
        return before;
    }

    bool IBodyReferenceFeature.IsOfStream => false;

    /// <summary>Where another middleware than TLS has put its own pipe in front, the bytes are not the connection's to send.</summary>
    bool IBodyReferenceFeature.TryWrite(PipeWriter body, ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable)
        => !memory.IsEmpty
            && Transport.Output is IReferenceWriter writer
            && writer.TryAppendBehind(body, memory, owner, isImmutable);

    ValueTask<FlushResult> IBodyReferenceFeature.FlushAsync(HttpContext context, int bytes) => _allowance.FlushAsync(context, bytes);

    public override async ValueTask DisposeAsync()
    {
        DisposeSocket();
        await _connection.DisposeAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>A second descriptor that stays open would keep the FIN or the reset from the peer.</summary>
    private void DisposeSocket()
    {
        lock (_features)
        {
            _isSocketDisposed = true;
            _socket?.Dispose();
        }
    }

    private Socket MakeSocket()
    {
        int descriptor = _isSocketDisposed ? -Errno.EBADF : _connection.Duplicate();
        if (descriptor != -Errno.EBADF)
        {
            return new Socket(new SafeSocketHandle(Errno.Check(descriptor, "duplicate the connection's descriptor"), ownsHandle: true));
        }

        AddressFamily family = _connection.LocalEndPoint?.AddressFamily ?? AddressFamily.Unix;
        Socket disposed = new(family, SocketType.Stream, family == AddressFamily.Unix ? ProtocolType.Unspecified : ProtocolType.Tcp);
        disposed.Dispose();
        return disposed;
    }

    public override string ToString() => $"connection {ConnectionId} from {RemoteEndPoint}";
}
