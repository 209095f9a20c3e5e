namespace Ioxide.Tls;

/// <summary>The time that a handshake may take.</summary>
internal sealed class HandshakeDeadline : IDisposable
{
    private readonly RingConnection _connection;
    private readonly TimeSpan _timeout;
    private readonly CancellationToken _callers;
    private readonly CancellationTokenSource _source;

    private HandshakeDeadline(RingConnection connection, TimeSpan timeout, CancellationToken callers)
    {
        _connection = connection;
        _timeout = timeout;
        _callers = callers;
        _source = callers.CanBeCanceled ? CancellationTokenSource.CreateLinkedTokenSource(callers) : new CancellationTokenSource();
        _source.CancelAfter(timeout);
    }

    internal CancellationToken Token => _source.Token;

    /// <summary>The time is over, and it was not the caller who cancelled.</summary>
    internal bool HasPassed => _source.IsCancellationRequested && !_callers.IsCancellationRequested;

    internal static HandshakeDeadline Start(RingConnection connection, TimeSpan timeout, CancellationToken callers)
        => new(connection, timeout, callers);

    /// <summary>Ends the connection: who takes so long gets no alert.</summary>
    internal TlsException Abort()
    {
        var exception = new TlsException(TlsFailure.Timeout, $"The handshake took longer than {_timeout.TotalSeconds:0.###} seconds.");
        _connection.Abort(exception);
        return exception;
    }

    public void Dispose() => _source.Dispose();
}
