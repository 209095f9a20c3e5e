namespace Ioxide.Tls;

/// <summary>An encrypted connection: a duplex pipe in place of the connection's own.</summary>
/// <remarks>
/// Threads: as the connection's pipes: one reader and one writer at a time, each on any thread; awaits complete on the reactor.
/// The connection is not owned: dispose it too, after the session.
/// </remarks>
public sealed class TlsSession : IDuplexPipe, IControlTarget, IAsyncDisposable
{
    private readonly TlsReader _input;

    internal TlsSession(
        RingConnection connection, TlsSessionInfo info, RecordSealer sealer, RecordOpener opener, HandshakeSettings settings,
        TlsSessionKind kind)
    {
        Connection = connection;
        Info = info;
        Output = new TlsWriter(connection, sealer, settings.KernelOffload);
        _input = new TlsReader(
            connection.Reactor,
            connection.Input,
            connection.Options.ResumeOnThreadPool,
            opener,
            new ControlRecords(this, settings.IsServer) { TakesTruncationAsEnd = kind.TakesTruncationAsEnd, ErrorFactory = kind.ErrorFactory });
        connection.SendLayer = Output;
    }

    /// <summary>What the session encrypts.</summary>
    public RingConnection Connection { get; }

    /// <summary>What the handshake agreed on.</summary>
    public TlsSessionInfo Info { get; }

    /// <summary>
    /// What the peer sent. It ends where the peer said so (close_notify); where its stream just stopped, a read throws a
    /// <see cref="TlsException"/> with <see cref="TlsFailure.Truncated"/>.
    /// </summary>
    public PipeReader Input => _input;

    /// <summary>What is sent to the peer. Completing it sends close_notify.</summary>
    public TlsWriter Output { get; }

    PipeWriter IDuplexPipe.Output => Output;

    /// <summary>Why the session ended other than by close_notify, or null. Threads: any.</summary>
    public TlsException? Error { get; private set; }

    /// <summary>Sends what was written and close_notify, and lets go of the keys. May be called twice.</summary>
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
