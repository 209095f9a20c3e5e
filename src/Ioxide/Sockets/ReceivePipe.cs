using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;

namespace Ioxide;

/// <summary>A connection's receiving side: a <see cref="PipeReader"/> over the reactor's buffers, without a copy.</summary>
/// <remarks>
/// <para>One file per concern: the reader's calls (this one), the receive operation (.Arm), the received bytes (.Segments), cancelled reads
/// and stops (.Cancel). It has 21 fields because one completion touches all of these concerns: in one object they cost no hop.</para>
/// <para>Its state belongs to the reactor. A call from another thread is posted. A read from another thread starts when it is awaited
/// and completes on the reactor; this moves an application that started elsewhere onto the reactor.</para>
/// <para>Positions in the stream (consumed, examined, received) are byte counts from the start of the connection.</para>
/// </remarks>
internal sealed partial class ReceivePipe : PipeReader
{
    private readonly RingConnection _connection;
    private readonly Reactor _reactor;
    private readonly ReadWait _wait;
    private ReaderState _reader;
    private bool _isCancelRequested;
    private PostedAdvance? _posted;

    internal ReceivePipe(RingConnection connection)
    {
        _connection = connection;
        _reactor = connection.Reactor;
        _wait = new ReadWait(this);
    }

    /// <summary>The reader's state. <see cref="ReadWait"/> knows whether a read waits.</summary>
    private enum ReaderState
    {
        /// <summary>The reader may read.</summary>
        Idle,

        /// <summary>The reader has a result, which an advance ends.</summary>
        Reading,

        /// <summary>The reader is completed and has consumed all bytes.</summary>
        Completed,

        /// <summary>The reader is completed, and bytes were left or have come since: closing must be gentle.</summary>
        Abandoned,
    }

    internal bool IsReaderCompleted => _reader >= ReaderState.Completed;

    /// <summary>Bytes were received that the application did not want.</summary>
    internal bool HasDiscardedInput => _reader == ReaderState.Abandoned;

    private bool HasResult => _received > _examined || _intake == Intake.Ended || _isCancelRequested;

    /// <inheritdoc/>
    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (_beginning == Beginning.Expected)
        {
            NoteBegun();
        }

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
            return _wait.Offer(cancellationToken);
        }

        _wait.Wait(cancellationToken);
        return _wait.Task;
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
        long consumedAt = OffsetOf(consumed, _consumed);
        long examinedAt = OffsetOf(examined, _examined);
        if (_reactor.IsCurrent)
        {
            TakePostedAdvance();
            Advance(consumedAt, examinedAt);
            return;
        }

        // It waits in the pipe: code that advanced elsewhere may read on the reactor at once, and that read must see the advance.
        (_posted ??= new PostedAdvance()).Set(consumedAt, examinedAt);
        _reactor.Enqueue(new WorkItem(static (pipe, _, _, _) => ((ReceivePipe)pipe!).TakePostedAdvance(), this));
    }

    /// <inheritdoc/>
    public override void Complete(Exception? exception = null)
    {
        if (_reactor.IsCurrent)
        {
            CompleteReader();
            return;
        }

        _reactor.Enqueue(new WorkItem(static (pipe, _, _, _) => ((ReceivePipe)pipe!).CompleteReader(), this));
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
        if (_error is { } error)
        {
            _wait.SetException(_reactor, error);
        }
        else
        {
            _wait.SetResult(_reactor, TakeResult());
        }
    }

    private ReadResult TakeResult()
    {
        if (_error is { } error)
        {
            throw error;
        }

        Debug.Assert(!IsReaderCompleted);
        _reader = ReaderState.Reading;
        bool isCanceled = _isCancelRequested;
        _isCancelRequested = false;
        return new ReadResult(Sequence, isCanceled, _intake == Intake.Ended);
    }

    private void Advance(long consumed, long examined)
    {
        if (IsReaderCompleted)
        {
            return;
        }

        if (consumed < _consumed || consumed > examined || examined > _received)
        {
            throw new InvalidOperationException(
                $"AdvanceTo moves from {_consumed} to consumed {consumed}, examined {examined}, but {_received} bytes were received. " +
                "Positions must come from the last read, and examined must not lie before consumed.");
        }

        _reader = ReaderState.Idle;
        Release(consumed, examined);
        ResumeIfRoom();
    }

    private void CompleteReader()
    {
        if (IsReaderCompleted)
        {
            return;
        }

        TakePostedAdvance();
        _reader = Buffered > 0 ? ReaderState.Abandoned : ReaderState.Completed;
        ReleaseAll();
        if (_wait.IsWaiting)
        {
            _wait.EndWait();

            // From the loop, not inside the call that completed the reader.
            _reactor.Enqueue(new WorkItem(
                static (pipe, _, _, _) => ((ReceivePipe)pipe!)._wait.SetException(
                    ((ReceivePipe)pipe)._reactor,
                    new InvalidOperationException("The reader was completed while a read was pending.")),
                this));
        }

        ResumeIfRoom();
    }

    private void TakePostedAdvance()
    {
        if (_posted is { } posted && posted.TryTake())
        {
            Advance(posted.Consumed, posted.Examined);
        }
    }

    private void ThrowIfNotReadable()
    {
        if (IsReaderCompleted)
        {
            throw new InvalidOperationException("Reading is not allowed after the reader was completed.");
        }

        if (_wait.IsWaiting || _reader == ReaderState.Reading)
        {
            // The state belongs to the reactor; a posted AdvanceTo of this very thread may still be on its way.
            if (_reactor.IsCurrent)
            {
                throw new InvalidOperationException(
                    _wait.IsWaiting ? "A read is pending already." : "The last read was not ended by AdvanceTo.");
            }
        }
    }

    private static long OffsetOf(SequencePosition position, long none)
        => position.GetObject() is ReceiveSegment segment ? segment.RunningIndex + position.GetInteger() : none;

    /// <summary>A waiting read.</summary>
    private sealed class ReadWait(ReceivePipe pipe) : ReactorWait<ReadResult>(pipe._reactor)
    {
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

    /// <summary>Another thread's advance on its way to the reactor. There is at most one, because a read must follow.</summary>
    private sealed class PostedAdvance
    {
        private bool _isThere;

        internal long Consumed { get; private set; }

        internal long Examined { get; private set; }

        internal void Set(long consumed, long examined)
        {
            Consumed = consumed;
            Examined = examined;
            Volatile.Write(ref _isThere, true);
        }

        internal bool TryTake()
        {
            if (!Volatile.Read(ref _isThere))
            {
                return false;
            }

            _isThere = false;
            return true;
        }
    }
}
