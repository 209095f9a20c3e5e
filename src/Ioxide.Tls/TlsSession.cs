namespace Ioxide.Tls;

/// <summary>An encrypted connection: a duplex pipe that replaces the connection's own.</summary>
/// <remarks>
/// Threads: one reader and one writer at a time, each on any thread. Awaits complete on the reactor, as with the connection's own pipes.
/// The session does not own the connection: dispose of the connection after the session.
/// </remarks>
public sealed class TlsSession : IDuplexPipe, IControlTarget, IAsyncDisposable
{
    private readonly TlsReader _input;

    internal TlsSession(
        RingConnection connection, TlsSessionInfo info, TlsBufferSession session, TlsKernelOffload offload, TlsSessionKind kind)
    {
        Connection = connection;
        Info = info;
        Output = new TlsWriter(connection, session, offload);
        _input = new TlsReader(connection.Reactor, connection.Input, connection.Options.ResumeOnThreadPool, session, this, kind);
        connection.Output.Layer = Output;
    }

    /// <summary>The connection that the session encrypts.</summary>
    public RingConnection Connection { get; }

    /// <summary>What the handshake negotiated.</summary>
    public TlsSessionInfo Info { get; }

    /// <summary>
    /// What the peer sent, decrypted. It completes when the peer sends close_notify. Where the peer's stream ends without it, a read throws a
    /// <see cref="TlsException"/> with <see cref="TlsFailure.Truncated"/>.
    /// </summary>
    public PipeReader Input => _input;

    /// <summary>Encrypts and sends to the peer. Completing it sends close_notify.</summary>
    public TlsWriter Output { get; }

    PipeWriter IDuplexPipe.Output => Output;

    /// <summary>Why the session failed, or null. Threads: any.</summary>
    public TlsException? Error { get; private set; }

    /// <summary>Sends what was written and close_notify, and frees the keys. May be called more than once.</summary>
    public ValueTask DisposeAsync()
    {
        Output.Complete();
        _input.Complete();
        return ValueTask.CompletedTask;
    }

    void IControlTarget.Fail(TlsException error, TlsAlert? alert)
    {
        Error ??= error;
        if (error.Failure != TlsFailure.Truncated)
        {
            Output.Fail(alert);
        }
    }

    void IControlTarget.NotePeerKeyUpdate(bool isAnswerRequested)
    {
        if (isAnswerRequested)
        {
            Output.RequestKeyUpdate();
        }
    }

    void IControlTarget.RefuseRenegotiation() => Output.Warn(TlsAlert.NoRenegotiation);
}
