namespace Ioxide.Pg;

/// <summary>Commands of one session go to its connection, in order.</summary>
internal sealed class SessionTarget(ReactorPool pool, ServerConnection connection) : CommandTarget(pool.Reactor, pool.DataSource)
{
    private volatile bool _isClosed;
    private int _isCancelled;
    private CopyInRoundTrip? _copy;
    private LentRows? _rows;
    private int _begun;
    private int _ended;

    /// <summary>Each command has had its whole answer, and none was abandoned or cancelled. Threads: the session's user.</summary>
    internal bool HasEndedAll => Volatile.Read(ref _isCancelled) == 0 && Volatile.Read(ref _ended) == _begun;

    /// <summary>The session is disposed: what the connection runs may be another's. Threads: any.</summary>
    internal bool IsClosed => _isClosed;

    internal override void Begins() => _begun++;

    internal override void Submit(RoundTrip roundTrip)
    {
        if (_isClosed)
        {
            roundTrip.Refuse(new ObjectDisposedException(nameof(PgSession), "The session is disposed; its connection may serve another."));
            return;
        }

        if (_copy is { IsRunning: true })
        {
            roundTrip.Refuse(new InvalidOperationException(
                $"A COPY ... FROM STDIN runs on this session. Nothing was sent. Complete or dispose its {nameof(PgCopyIn)} first."));
            return;
        }

        if (_rows is { IsOpen: true })
        {
            // It would wait for the reader, who may await it.
            roundTrip.Refuse(new InvalidOperationException(
                $"Rows of this session are being read. Nothing was sent. Read its {nameof(PgRows)} to the end, or dispose them first."));
            return;
        }

        _copy = roundTrip as CopyInRoundTrip;
        _rows = roundTrip.Lent;
        connection.Pipeline.Send(roundTrip);
    }

    internal override void Ended(RoundTrip roundTrip)
    {
        pool.Ended(roundTrip);
        if (!roundTrip.IsAbandoned)
        {
            Volatile.Write(ref _ended, _ended + 1);
        }
    }

    /// <summary>The session's running command is about to be cancelled. Threads: any.</summary>
    /// <remarks>
    /// A full fence, as <see cref="Close"/> is one: either the session's user sees it and gives the connection back by way of the reactor, or the
    /// reactor sees behind it that the session is closed.
    /// </remarks>
    internal void Cancels() => Interlocked.Exchange(ref _isCancelled, 1);

    /// <summary>Before the connection is given back. Threads: the session's user.</summary>
    internal void Close()
    {
        _isClosed = true;
        Interlocked.MemoryBarrier();
    }

    /// <summary>The session is disposed: a round trip that waits for its caller is abandoned.</summary>
    internal void CancelOpen()
        => connection.Pipeline.FindAll(static roundTrip => roundTrip is { EndsWithSession: true, IsAbandoned: false })?.ForEach(
            roundTrip => Cancel(
                roundTrip, new ObjectDisposedException(nameof(PgSession), "The session was disposed in the middle of the command.")));
}

/// <summary>A connection in exclusive use: leased from a pool, or that of the caller's own session.</summary>
internal readonly struct ExclusiveUse(CommandTarget target, PgSession? leased) : IAsyncDisposable
{
    internal CommandTarget Target { get; } = target;

    internal static async ValueTask<ExclusiveUse> BeginAsync(CommandTarget target, CancellationToken cancellationToken)
    {
        if (target is not ReactorPool pool)
        {
            return new ExclusiveUse(target, null);
        }

        PgSession session = await PgDataSource.OpenSessionAsync(pool, cancellationToken).ConfigureAwait(true);
        return new ExclusiveUse(session.Target, session);
    }

    public ValueTask DisposeAsync() => leased?.DisposeAsync() ?? default;
}
