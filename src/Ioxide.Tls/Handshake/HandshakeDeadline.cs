namespace Ioxide.Tls;

/// <summary>The deadline of a handshake. It passes early where the handshake has to make room for newer ones.</summary>
internal sealed class HandshakeDeadline : IDisposable
{
    // A timer has no more, and Kestrel's options have the longest time of all for none.
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(49);

    private readonly RingConnection _connection;
    private readonly TimeSpan _timeout;
    private readonly CancellationToken _callers;
    private readonly CancellationTokenSource _source;
    private readonly Timer _timer;
    private HandshakeLimit? _dropping;

    internal HandshakeDeadline(RingConnection connection, TimeSpan timeout, CancellationToken callers)
    {
        _connection = connection;
        _timeout = timeout;
        _callers = callers;
        _source = callers.CanBeCanceled ? CancellationTokenSource.CreateLinkedTokenSource(callers) : new CancellationTokenSource();
        TimeSpan due = timeout > s_longest ? Timeout.InfiniteTimeSpan : timeout;
        _timer = new Timer(static deadline => ((HandshakeDeadline)deadline!).Pass(), this, due, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Returns the timeout.</summary>
    /// <exception cref="ArgumentOutOfRangeException">No handshake could succeed with it.</exception>
    internal static TimeSpan Check(TimeSpan timeout, [CallerArgumentExpression(nameof(timeout))] string name = "")
        => timeout > TimeSpan.Zero || timeout == Timeout.InfiniteTimeSpan
            ? timeout
            : throw new ArgumentOutOfRangeException(
                name, timeout, "The longest that a handshake may take must be above zero. Set Timeout.InfiniteTimeSpan for no limit.");

    internal CancellationToken Token => _source.Token;

    /// <summary>The deadline has passed, and the caller has not cancelled.</summary>
    internal bool HasPassed => _source.IsCancellationRequested && !_callers.IsCancellationRequested;

    /// <summary>Lets the deadline pass now. Threads: any; what waits is resumed later, never inside this call.</summary>
    internal void Drop(HandshakeLimit room)
    {
        Volatile.Write(ref _dropping, room);
        Pass();
    }

    /// <summary>
    /// Why the handshake ends. The client gets no alert; one that is dropped for another is reset, because its memory is wanted now.
    /// </summary>
    internal TlsException End()
    {
        if (Volatile.Read(ref _dropping) is not { } room)
        {
            return new TlsException(TlsFailure.Timeout, $"The handshake took longer than {_timeout.TotalSeconds:0.###} seconds.");
        }

        var exception = new TlsException(
            TlsFailure.Displaced,
            "The handshake was dropped for a newer one: its client had been silent longest. "
            + $"{nameof(TlsServerOptions.MaxHandshakesPerReactor)} is {room.MaxHandshakes}.");
        _connection.Abort(exception);
        return exception;
    }

    public void Dispose()
    {
        _timer.Dispose();
        _source.Dispose();
    }

    /// <summary>Cancels what the handshake waits for. Threads: any.</summary>
    internal void Cancel()
    {
        try
        {
            _source.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // The handshake has ended meanwhile, and with it what it held.
        }
    }

    private void Pass() => HandshakeScheduler.Of(_connection.Reactor).End(this);
}
