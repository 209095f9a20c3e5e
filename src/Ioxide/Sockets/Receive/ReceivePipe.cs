using System.Buffers;
using System.Threading.Tasks.Sources;

namespace Ioxide;

/// <summary>A connection's receiving side: a <see cref="PipeReader"/> over the reactor's buffers, without a copy.</summary>
/// <remarks>
/// <para>The <see cref="Receiver"/> has the bytes; this is the one who reads them: its reads, advances, cancelled reads, and its end.</para>
/// <para>Its state belongs to the reactor. A call from another thread is posted. A read from another thread starts when it is awaited
/// and completes on the reactor; this moves an application that started elsewhere onto the reactor.</para>
/// </remarks>
[DebuggerDisplay("{Describe(),nq}")]
internal sealed class ReceivePipe : PipeReader
{
    private readonly RingConnection _connection;
    private readonly Receiver _receiver;
    private readonly Reactor _reactor;
    private readonly ReadWait _wait;
    private ReaderState _reader;
    private bool _hasSeenEnd;
    private volatile bool _isAdvancePosted;
    private long _postedConsumed;
    private long _postedExamined;

    // Set by any thread. Who takes a cancelled read also sees what the canceller wrote before, such as why it cancels.
    private volatile bool _isCancelRequested;
    private bool _mayCancel;

    internal ReceivePipe(RingConnection connection)
    {
        _connection = connection;
        _receiver = connection.Receiver;
        _reactor = connection.Reactor;
        _wait = new ReadWait(this);
        LastAct = _reactor.Clock.Started;
    }

    /// <summary>The reader's state. <see cref="ReadWait"/> knows whether a read waits.</summary>
    private enum ReaderState
    {
        /// <summary>The reader may read.</summary>
        Idle,

        /// <summary>The reader has a result, which an advance ends.</summary>
        Reading,

        /// <summary>The reader wants nothing more.</summary>
        Completed,
    }

    /// <summary>The reader knows that nothing more comes, or wants nothing more.</summary>
    internal bool HasSeenEnd => _hasSeenEnd || IsReaderCompleted;

    /// <summary>
    /// The turn in which the reader took its last result or advanced over it, or the connection began; see <see cref="TurnClock.Started"/>.
    /// </summary>
    internal long LastAct { get; private set; }

    internal bool IsReaderCompleted => _reader == ReaderState.Completed;

    private bool HasResult => _receiver.Bytes.HasNews || _receiver.HasEnded || IsCancelDue;

    /// <summary>The peer has sent nothing yet, and the connection's listener has stopped.</summary>
    private bool IsSilentAfterUnbind
        => _connection.Listener is { IsUnbound: true } && _receiver.Bytes.Received == _connection.FirstRead!.PrologueEnd && !_receiver.HasEnded;

    /// <summary>A read without bytes ends now. Behind a stop it first waits for bytes that have arrived.</summary>
    private bool IsCancelDue => _isCancelRequested && (_mayCancel || _connection.Listener is not { IsUnbound: true });

    /// <summary>The receive and the reader in one line. Threads: the reactor's.</summary>
    internal string Describe()
        => $"{_receiver.Describe()}, reader {(_wait.IsWaiting ? "waits" : $"is {_reader.ToString().ToLowerInvariant()}")}";

    /// <inheritdoc/>
    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        _connection.FirstRead?.Note();
        bool isElsewhere = !_reactor.IsCurrent;
        if (!isElsewhere)
        {
            TakePostedAdvance();
        }

        ThrowIfNotReadable();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<ReadResult>(cancellationToken);
        }

        if (!isElsewhere && HasResult)
        {
            return new ValueTask<ReadResult>(TakeResult());
        }

        _wait.Reset();
        _wait.ResumesOnThreadPool = _connection.ResumesOnPool(isElsewhere);
        if (isElsewhere)
        {
            _wait.PrepareOffer(cancellationToken);
        }
        else
        {
            _wait.Wait(cancellationToken);
        }

        return _wait.Read;
    }

    /// <summary>Reads available bytes. From another thread it finds none, because only the reactor knows; use an asynchronous read there.</summary>
    public override bool TryRead(out ReadResult result)
    {
        if (_reactor.IsCurrent)
        {
            TakePostedAdvance();
            ThrowIfNotReadable();
            if (HasResult)
            {
                result = TakeResult();
                return true;
            }
        }

        result = default;
        return false;
    }

    /// <inheritdoc/>
    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    /// <inheritdoc/>
    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        long consumedAt = OffsetOf(consumed, _receiver.Bytes.Consumed);
        long examinedAt = OffsetOf(examined, _receiver.Bytes.Examined);
        if (_reactor.IsCurrent)
        {
            TakePostedAdvance();
            Advance(consumedAt, examinedAt);
            return;
        }

        // It waits in the pipe: code that advanced elsewhere may read on the reactor at once, and that read must see the advance.
        // There is at most one, because a read must follow.
        _postedConsumed = consumedAt;
        _postedExamined = examinedAt;
        _isAdvancePosted = true;
        _reactor.Enqueue(this, static pipe => pipe.TakePostedAdvance());
    }

    /// <inheritdoc/>
    public override void Complete(Exception? exception = null)
    {
        if (_reactor.IsCurrent)
        {
            CompleteReader();
            return;
        }

        _reactor.Enqueue(this, static pipe => pipe.CompleteReader());
    }

    /// <summary>Cancels the read that waits, or the next one.</summary>
    /// <remarks>
    /// Threads: any. From the return of this call on it belongs to that read, whatever is still posted: only a read that already waits gets it
    /// later, from the loop.
    /// </remarks>
    public override void CancelPendingRead()
    {
        _isCancelRequested = true;
        if (_reactor.IsCurrent && !IsSilentAfterUnbind)
        {
            // The reader is resumed from the loop, never inside other application code.
            _mayCancel = true;
            _reactor.Enqueue(this, static pipe => pipe.Notify());
            return;
        }

        // A turn later, so that arrived bytes are seen first. A stopping server cancels the reads of connections that look idle or have
        // just begun, and a request that lies in the socket would be lost.
        _reactor.Enqueue(this, static pipe => pipe._reactor.Enqueue(pipe, static pipe => pipe.CancelAfterGrace()));
    }

    /// <summary>Resumes the reader if it waits and has something to see. Called last, because it runs application code.</summary>
    internal void Notify()
    {
        if (_wait.IsWaiting && HasResult)
        {
            _wait.EndWait();
            AnswerWait();
        }
    }

    private void AnswerWait()
    {
        if (_receiver.Error is { } error)
        {
            NoteEnd();
            _wait.SetException(_reactor, error);
        }
        else
        {
            _wait.SetResult(TakeResult());
        }
    }

    private ReadResult TakeResult()
    {
        if (_receiver.Error is { } error)
        {
            NoteEnd();
            throw error;
        }

        Debug.Assert(!IsReaderCompleted);
        _reader = ReaderState.Reading;
        LastAct = _reactor.Clock.Started;

        // The end has a result of its own: Kestrel takes a whole body for a cut one if both come together.
        if (_receiver.HasEnded && !_receiver.Bytes.HasNews)
        {
            NoteEnd();
        }

        return new ReadResult(_receiver.Bytes.Sequence, TakeCancel(), _hasSeenEnd);
    }

    private void NoteEnd()
    {
        _hasSeenEnd = true;
        _connection.ReaderIsOver();
    }

    private void Advance(long consumed, long examined)
    {
        if (IsReaderCompleted)
        {
            return;
        }

        ref readonly ReceivedBytes bytes = ref _receiver.Bytes;
        if (consumed < bytes.Consumed || consumed > examined || examined > bytes.Received)
        {
            throw new InvalidOperationException(
                $"AdvanceTo moves from {bytes.Consumed} to consumed {consumed}, examined {examined}, but {bytes.Received} bytes were received. " +
                "Positions must come from the last read, and examined must not lie before consumed.");
        }

        _reader = ReaderState.Idle;
        LastAct = _reactor.Clock.Started;
        _receiver.Advance(consumed, examined);
    }

    private void CompleteReader()
    {
        if (IsReaderCompleted)
        {
            return;
        }

        TakePostedAdvance();
        _reader = ReaderState.Completed;
        _receiver.Discard();
        _connection.ReaderIsOver();
        if (_wait.IsWaiting)
        {
            _wait.EndWait();

            // From the loop, not inside the call that completed the reader.
            _reactor.Enqueue(this, static pipe => pipe._wait.SetException(
                pipe._reactor, new InvalidOperationException("The reader was completed while a read was pending.")));
        }
    }

    private void TakePostedAdvance()
    {
        if (_isAdvancePosted)
        {
            _isAdvancePosted = false;
            Advance(_postedConsumed, _postedExamined);
        }
    }

    private void ThrowIfNotReadable()
    {
        if (IsReaderCompleted)
        {
            throw new InvalidOperationException("Reading is not allowed after the reader was completed.");
        }

        // The state belongs to the reactor; elsewhere, a posted AdvanceTo of this very thread may still be on its way.
        if ((_wait.IsWaiting || _reader == ReaderState.Reading) && _reactor.IsCurrent)
        {
            throw new InvalidOperationException(_wait.IsWaiting ? "A read is pending already." : "The last read was not ended by AdvanceTo.");
        }
    }

    private void CancelAfterGrace()
    {
        if (IsSilentAfterUnbind && _connection.Options.FirstBytesPatience > TimeSpan.Zero)
        {
            _ = CancelLaterAsync();
        }
        else
        {
            CancelRead();
        }
    }

    private async Task CancelLaterAsync()
    {
        try
        {
            await _reactor.DelayAsync(_connection.Options.FirstBytesPatience).ConfigureAwait(false);
        }
        catch (ObjectDisposedException)
        {
            // The reactor ends, and the connection with it.
            return;
        }

        CancelRead();
    }

    private void CancelRead()
    {
        // A read that ended meanwhile has taken the cancel with it.
        _mayCancel = _isCancelRequested;
        Notify();
    }

    /// <summary>Whether the result that is taken now is the cancelled one.</summary>
    private bool TakeCancel()
    {
        // An exchange, not a store: a second cancel may come behind the look, and what its canceller wrote must be seen too.
        if (!_isCancelRequested || !Interlocked.Exchange(ref _isCancelRequested, false))
        {
            return false;
        }

        _mayCancel = false;
        return true;
    }

    private static long OffsetOf(SequencePosition position, long none)
        => position.GetObject() is ReceiveSegment segment ? segment.RunningIndex + position.GetInteger() : none;

    /// <summary>A waiting read.</summary>
    /// <remarks>It keeps the result itself: code over a struct of another assembly cannot be compiled ahead, and every process begins with a read.
    /// </remarks>
    private sealed class ReadWait(ReceivePipe pipe) : ReactorWait<bool>(pipe._reactor), IValueTaskSource<ReadResult>
    {
        private ReadResult _result;

        /// <summary>The read as its caller awaits it, once per use.</summary>
        internal ValueTask<ReadResult> Read => new(this, Version);

        ReadResult IValueTaskSource<ReadResult>.GetResult(short token)
        {
            _ = GetResult(token);
            ReadResult result = _result;
            _result = default;
            return result;
        }

        /// <summary>Resumes the reader. Called last, because it runs application code.</summary>
        internal void SetResult(ReadResult result)
        {
            _result = result;
            SetResult(Reactor, true);
        }

        private protected override void Start()
        {
            pipe.TakePostedAdvance();
            if (pipe.IsReaderCompleted)
            {
                SetException(Reactor, new InvalidOperationException("The reader is completed."));
            }
            else if (pipe.HasResult)
            {
                pipe.AnswerWait();
            }
            else
            {
                Wait();
            }
        }

        private protected override void ReactorHasEnded() => SetException(Reactor, pipe._connection.MakeError());
    }
}
