namespace Ioxide.Tls;

/// <summary>Decrypts what the peer sent, from the connection's receive buffers directly into the reader's.</summary>
/// <remarks>
/// It decrypts when it is read, so a slow application fills the connection's buffers and TCP slows the peer. Threads: one reader at
/// a time, on any thread; an await completes where the connection's own would, on the reactor. It may be completed from another thread
/// while it reads: the key and the arrays go when the later of the two leaves.
/// </remarks>
internal sealed class TlsReader : PipeReader
{
    // Decrypted at once before the application has its turn.
    private const int MaxBytesPerStep = 256 * 1024;

    private readonly Reactor _reactor;
    private readonly PipeReader _input;
    private readonly TlsBufferSession _session;
    private readonly IControlTarget _target;
    private readonly TlsSessionKind _kind;
    private readonly PlainBuffer _plain = new();
    private readonly Action _onRead;
    private bool _isEnded;
    private TlsException? _error;

    // Set by any thread; the read that it cancels takes it.
    private volatile bool _isCancelRequested;

    // The connection's read was cancelled for it.
    private bool _isCancelDue;

    // Changed by interlocked operations only.
    private volatile ReaderState _state;

    private readonly ReactorAwaitable<ReadResult> _source = new();
    private ValueTaskAwaiter<ReadResult> _pending;
    private CancellationToken _cancellationToken;

    internal TlsReader(
        Reactor reactor, PipeReader input, bool resumesOnThreadPool, TlsBufferSession session, IControlTarget target, TlsSessionKind kind)
    {
        _reactor = reactor;
        _input = input;
        _session = session;
        _target = target;
        _kind = kind;
        session.Tell(target);
        _onRead = OnRead;
        _source.ResumesOnThreadPool = resumesOnThreadPool;
    }

    /// <summary>Who has the key and the arrays.</summary>
    private enum ReaderState
    {
        /// <summary>They are free.</summary>
        Idle,

        /// <summary>They are free; a read of the connection is pending.</summary>
        Waiting,

        /// <summary>A call of the reader's has them.</summary>
        Busy,

        /// <summary>They are gone, or go when the call that has them leaves.</summary>
        Completed,
    }

    private bool HasResult => _plain.HasUnexamined || _isEnded || _isCancelDue || _error is not null;

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfCompleted();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<ReadResult>(cancellationToken);
        }

        // Its own reads resume on the reactor, also one that a handler blocks.
        using ContextScope scope = Reactor.EnterRuntimeHere();
        return TryContinue(ReaderState.Idle, cancellationToken, out ReadResult result) ? new ValueTask<ReadResult>(result) : _source.Task;
    }

    public override bool TryRead(out ReadResult result)
    {
        using ContextScope scope = Reactor.EnterRuntimeHere();
        Enter(ReaderState.Idle);
        try
        {
            while (!HasResult)
            {
                if (!_input.TryRead(out ReadResult read))
                {
                    result = default;
                    return false;
                }

                Process(read);
            }

            result = TakeResult();
        }
        finally
        {
            Leave(ReaderState.Idle);
        }

        ThrowIfCompleted();
        return true;
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        if (_state == ReaderState.Completed)
        {
            return;
        }

        Enter(ReaderState.Idle);
        try
        {
            _plain.Advance(consumed, examined);
        }
        finally
        {
            Leave(ReaderState.Idle);
        }
    }

    /// <summary>Cancels the read that waits, or the next one. Threads: any.</summary>
    /// <remarks>
    /// The connection's read is cancelled as well, because it may wait; when that takes effect is for the connection to say. Where another read has
    /// taken the cancel by then, with data that was there, it is absorbed.
    /// </remarks>
    public override void CancelPendingRead()
    {
        _isCancelRequested = true;
        _input.CancelPendingRead();
    }

    public override void Complete(Exception? exception = null)
    {
        ReaderState before = Interlocked.Exchange(ref _state, ReaderState.Completed);
        if (before == ReaderState.Completed)
        {
            return;
        }

        if (before != ReaderState.Busy)
        {
            Free();
        }

        _input.Complete(exception);
    }

    /// <summary>Takes the key and the arrays.</summary>
    /// <exception cref="InvalidOperationException">Another call has them or waits for bytes, or the reader is completed.</exception>
    private void Enter(ReaderState expected)
    {
        if (Interlocked.CompareExchange(ref _state, ReaderState.Busy, expected) != expected)
        {
            ThrowIfCompleted();
            throw new InvalidOperationException("A read is pending already.");
        }
    }

    private void Leave(ReaderState next)
    {
        if (Interlocked.CompareExchange(ref _state, next, ReaderState.Busy) != ReaderState.Busy)
        {
            Debug.Assert(_state == ReaderState.Completed);
            Free();
        }
    }

    private void Free()
    {
        _plain.Clear();
        _session.EndReading();
    }

    private void Wait(ValueTask<ReadResult> read, ReaderState from, CancellationToken cancellationToken)
    {
        if (from == ReaderState.Idle)
        {
            _source.Reset();
            _cancellationToken = cancellationToken;
        }

        _pending = read.GetAwaiter();
        Leave(ReaderState.Waiting);
        _pending.UnsafeOnCompleted(_onRead);
    }

    private void OnRead()
    {
        ReadResult result;
        try
        {
            using ContextScope scope = Reactor.EnterRuntimeHere();
            if (!TryContinue(ReaderState.Waiting, _cancellationToken, out result))
            {
                return;
            }
        }
        catch (Exception exception)
        {
            _source.SetException(_reactor, exception);
            return;
        }

        _source.SetResult(_reactor, result);
    }

    /// <summary>Decrypts until there is a result. False where it waits; then <see cref="OnRead"/> continues.</summary>
    private bool TryContinue(ReaderState from, CancellationToken cancellationToken, out ReadResult result)
    {
        Enter(from);
        bool isWaiting = false;
        try
        {
            if (from == ReaderState.Waiting)
            {
                Process(_pending.GetResult());
            }

            while (!HasResult)
            {
                ValueTask<ReadResult> read = _input.ReadAsync(cancellationToken);
                if (!read.IsCompletedSuccessfully)
                {
                    isWaiting = true;
                    Wait(read, from, cancellationToken);
                    result = default;
                    return false;
                }

                Process(read.Result);
            }

            result = TakeResult();
        }
        finally
        {
            if (!isWaiting)
            {
                Leave(ReaderState.Idle);
            }
        }

        ThrowIfCompleted();
        return true;
    }

    private ReadResult TakeResult()
    {
        // What came before the error is authentic and is read first.
        if (_error is { } error && !_plain.HasUnexamined)
        {
            throw _kind.ErrorFactory?.Invoke(error) ?? error;
        }

        _isCancelDue = false;
        bool isCanceled = _isCancelRequested && Interlocked.Exchange(ref _isCancelRequested, false);
        return new ReadResult(_plain.Sequence, isCanceled, _isEnded);
    }

    /// <summary>Decrypts the whole records of a read. An error is kept until what came before it was read.</summary>
    private void Process(in ReadResult read)
    {
        _isCancelDue |= read.IsCanceled && _isCancelRequested;
        ReadOnlySequence<byte> rest = read.Buffer;
        bool isDrained;
        try
        {
            isDrained = OpenRecords(ref rest);
            if (read.IsCompleted && isDrained && !_isEnded)
            {
                throw new TlsException(
                    TlsFailure.Truncated,
                    rest.IsEmpty
                        ? "The peer's stream ended without close_notify."
                        : "The peer's stream ended inside a record.");
            }
        }
        catch (TlsException exception)
        {
            isDrained = true;
            Fail(exception, isAtBoundary: rest.IsEmpty);
        }

        if (_isEnded || _error is not null)
        {
            rest = rest.Slice(rest.End);
        }

        _input.AdvanceTo(rest.Start, isDrained ? rest.End : rest.Start);
    }

    /// <summary>False where whole records are left for the next step.</summary>
    private bool OpenRecords(ref ReadOnlySequence<byte> rest)
    {
        int budget = MaxBytesPerStep;
        while (!_isEnded)
        {
            switch (Open(rest, budget < 0 ? default : _plain.Room, out int consumed, out int written))
            {
                case TlsOperationStatus.NeedMoreData:
                    return true;
                case TlsOperationStatus.DestinationTooSmall when budget < 0:
                    return false;
                case TlsOperationStatus.DestinationTooSmall:
                    _plain.MakeRoom(written);
                    continue;
                case TlsOperationStatus.Closed:
                    _isEnded = true;
                    break;
                default:
                    break;
            }

            _plain.Commit(written);
            rest = rest.Slice(consumed);
            budget -= consumed;
        }

        return true;
    }

    private TlsOperationStatus Open(in ReadOnlySequence<byte> rest, Span<byte> room, out int consumed, out int written)
    {
        try
        {
            return _session.Read(rest, room, out consumed, out written);
        }
        catch
        {
            _plain.Commit(0);
            throw;
        }
    }

    private void Fail(TlsException error, bool isAtBoundary)
    {
        // An alert tells the peer why.
        _target.Fail(error, error.Failure is TlsFailure.Truncated or TlsFailure.PeerAlert ? null : error.Alert);
        if (error.Failure == TlsFailure.Truncated && isAtBoundary && _kind.TakesTruncationAsEnd)
        {
            _isEnded = true;
        }
        else
        {
            _error = error;
        }
    }

    private void ThrowIfCompleted()
    {
        if (_state == ReaderState.Completed)
        {
            throw new InvalidOperationException("Reading is not allowed after the reader was completed.");
        }
    }
}
