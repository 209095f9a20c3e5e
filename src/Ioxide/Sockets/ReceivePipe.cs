using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;

namespace Ioxide;

/// <summary>The receiving half of a connection: a <see cref="PipeReader"/> over the reactor's buffers, without a copy.</summary>
/// <remarks>
/// <para>Its state belongs to the reactor. A call from another thread is posted; a read from another thread starts when
/// it is awaited and completes on the reactor, which is how an application that was started elsewhere gets there.</para>
/// <para>Positions in the stream (consumed, examined, received) are byte counts from the start of the connection.</para>
/// </remarks>
internal sealed partial class ReceivePipe : PipeReader
{
    // Buffers that one connection may hold before what it receives is copied out, so that the ring stays for all.
    private const int MaxHeldBuffers = 16;

    // A reader that looked at all of so short a rest and consumed none waits for more, maybe for long: a copy is cheaper than a buffer.
    private const int MaxRestBytes = 256;

    private readonly RingConnection _connection;
    private readonly Reactor _reactor;
    private readonly ReadWait _wait;
    private ReceiveSegment? _head;
    private ReceiveSegment? _tail;
    private int _heldBuffers;
    private long _consumed;
    private long _examined;
    private long _received;
    private long _prologueEnd;
    private bool _isInPrologue;
    private bool _hasBegun;
    private bool _isEnded;
    private Exception? _error;
    private bool _isReaderCompleted;
    private bool _isCancelRequested;
    private bool _isReading;

    // An advance of another thread on its way to the reactor; there is at most one, because a read has to follow.
    private long _postedConsumed;
    private long _postedExamined;
    private bool _hasPostedAdvance;

    internal ReceivePipe(RingConnection connection)
    {
        _connection = connection;
        _reactor = connection.Reactor;
        _wait = new ReadWait(this);
    }

    /// <summary>Bytes that were received and not consumed.</summary>
    internal long Buffered => _received - _consumed;

    /// <summary>
    /// Bytes that the reader has not looked at. They count for back-pressure, as in the framework's pipes: a reader that
    /// looked at all of them and consumed none waits for the rest of a large message.
    /// </summary>
    internal long Unexamined => _received - Math.Max(_consumed, _examined);

    /// <summary>Bytes that the application took, without those that were dropped when it completed.</summary>
    internal long Consumed { get; private set; }

    internal bool IsReaderCompleted => _isReaderCompleted;

    private bool HasResult => _received > _examined || _isEnded || _isCancelRequested;

    /// <inheritdoc/>
    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (!_hasBegun)
        {
            NoteBegun();
        }

        if (!_reactor.IsCurrent)
        {
            return ReadFromOtherThread(cancellationToken);
        }

        TakePostedAdvance();
        ThrowIfNotReadable();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<ReadResult>(cancellationToken);
        }

        if (HasResult)
        {
            return new ValueTask<ReadResult>(TakeResult());
        }

        ResetWait(isElsewhere: false);
        _wait.Wait(cancellationToken);
        return _wait.Task;
    }

    /// <summary>Reads what is there. From another thread it finds nothing: only the reactor knows. Read asynchronously there.</summary>
    public override bool TryRead(out ReadResult result)
    {
        if (!_reactor.IsCurrent)
        {
            result = default;
            return false;
        }

        TakePostedAdvance();
        ThrowIfNotReadable();
        if (!HasResult)
        {
            result = default;
            return false;
        }

        result = TakeResult();
        return true;
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

        // It waits in the pipe: who advanced elsewhere may read on the reactor at once, and the read must see it.
        _postedConsumed = consumedAt;
        _postedExamined = examinedAt;
        Volatile.Write(ref _hasPostedAdvance, true);
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

    /// <summary>Takes what a completion brought. The buffer is held, copied out, or given back at once.</summary>
    internal void Append(ReceiveSegment segment)
    {
        if (_isReaderCompleted)
        {
            _connection.NoteDiscardedInput();
            segment.Home!.Return(segment);
            return;
        }

        if (_heldBuffers >= MaxHeldBuffers || segment.Home!.IsLow)
        {
            CopyOut(segment);
            return;
        }

        _heldBuffers++;
        Link(segment);
        _received += segment.Length;
    }

    /// <summary>Nothing more comes. <paramref name="error"/> is what readers get; null is a clean end.</summary>
    internal void End(Exception? error)
    {
        if (!_isEnded)
        {
            _isEnded = true;
            _error = error;
        }
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
        if (_isEnded && _error is { } error)
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
        if (_isEnded && _error is { } error)
        {
            throw error;
        }

        _isReading = true;
        bool isCanceled = _isCancelRequested;
        _isCancelRequested = false;
        ReadOnlySequence<byte> buffer = _head is null
            ? default
            : new ReadOnlySequence<byte>(_head, (int)(_consumed - _head.RunningIndex), _tail!, _tail!.Length);
        return new ReadResult(buffer, isCanceled, _isEnded);
    }

    private void ResetWait(bool isElsewhere)
    {
        _wait.Reset();
        _wait.ResumesOnThreadPool = _connection.ResumesOnThreadPool || (isElsewhere && _connection.IsHandledOnPool);
    }

    private void Advance(long consumed, long examined)
    {
        if (_isReaderCompleted)
        {
            return;
        }

        if (consumed < _consumed || consumed > examined || examined > _received)
        {
            throw new InvalidOperationException(
                $"AdvanceTo moves from {_consumed} to consumed {consumed}, examined {examined}, but {_received} bytes were received. " +
                "Positions must come from the last read, and examined must not lie before consumed.");
        }

        _isReading = false;
        bool hasTakenSome = consumed > _consumed;
        _examined = Math.Max(_examined, examined);
        _consumed = consumed;
        Consumed = consumed;
        while (_head is { } segment && segment.End <= consumed)
        {
            _head = segment.NextSegment;
            GiveBack(segment);
        }

        if (_head is null)
        {
            _tail = null;
        }
        else if (!hasTakenSome && _heldBuffers > 0 && _examined == _received && Buffered <= MaxRestBytes)
        {
            CopyRest();
        }

        _connection.InputConsumed();
    }

    /// <summary>Copies what is left into memory of its size, and gives the buffers back.</summary>
    private void CopyRest()
    {
        ReceiveSegment rest = new(null, -1, GC.AllocateUninitializedArray<byte>(MaxRestBytes, pinned: true), 0, MaxRestBytes);
        _reactor.BytesCopied += Buffered;
        while (_head is { } segment)
        {
            ReadOnlySpan<byte> bytes = segment.Memory.Span[(int)Math.Max(0, _consumed - segment.RunningIndex)..];
            bytes.CopyTo(rest.Free);
            rest.SetData(rest.Length + bytes.Length);
            _head = segment.NextSegment;
            GiveBack(segment);
        }

        Debug.Assert(_heldBuffers == 0);
        rest.SetPosition(_consumed);
        _head = rest;
        _tail = rest;
        Debug.Assert(rest.End == _received);
    }

    private void GiveBack(ReceiveSegment segment)
    {
        segment.NextSegment = null;
        if (segment.Home is { } ring)
        {
            _heldBuffers--;
            ring.Return(segment);
        }
        else if (segment.Block is { } block)
        {
            block.Pool!.Return(block);
        }
    }

    private void Link(ReceiveSegment segment)
    {
        segment.SetPosition(_received);
        if (_tail is null)
        {
            _head = segment;
        }
        else
        {
            _tail.NextSegment = segment;
        }

        _tail = segment;
    }

    private void CopyOut(ReceiveSegment segment)
    {
        ReadOnlySpan<byte> source = segment.Memory.Span;
        _reactor.BytesCopied += source.Length;
        while (!source.IsEmpty)
        {
            if (_tail is not { Home: null } copy || copy.Free.IsEmpty)
            {
                BlockPool pool = source.Length > Reactor.SmallBlockBytes ? _reactor.LargeBlocks : _reactor.SmallBlocks;
                copy = pool.Rent().AsCopy;
                copy.SetData(0);
                Link(copy);
            }

            int count = Math.Min(source.Length, copy.Free.Length);
            source[..count].CopyTo(copy.Free);
            copy.SetData(copy.Length + count);
            _received += count;
            source = source[count..];
        }

        segment.Home!.Return(segment);
    }

    private void CompleteReader()
    {
        if (_isReaderCompleted)
        {
            return;
        }

        TakePostedAdvance();
        _isReaderCompleted = true;
        _isReading = false;
        if (Buffered > 0)
        {
            _connection.NoteDiscardedInput();
        }

        while (_head is { } segment)
        {
            _head = segment.NextSegment;
            GiveBack(segment);
        }

        _tail = null;
        _consumed = _received;
        _examined = _received;
        Debug.Assert(_heldBuffers == 0);
        if (_wait.IsWaiting)
        {
            _wait.EndWait();

            // From the loop, not inside the call that completed the reader.
            _reactor.Enqueue(new WorkItem(
                static (pipe, _, _, _) => ((ReceivePipe)pipe!).FailRead(
                    new InvalidOperationException("The reader was completed while a read was pending.")),
                this));
        }

        _connection.InputConsumed();
    }

    private void FailRead(Exception error) => _wait.SetException(_reactor, error);

    private ValueTask<ReadResult> ReadFromOtherThread(CancellationToken cancellationToken)
    {
        ThrowIfNotReadable();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<ReadResult>(cancellationToken);
        }

        ResetWait(isElsewhere: true);
        return _wait.Offer(cancellationToken);
    }

    private void TakePostedAdvance()
    {
        if (Volatile.Read(ref _hasPostedAdvance))
        {
            _hasPostedAdvance = false;
            Advance(_postedConsumed, _postedExamined);
        }
    }

    private void ThrowIfNotReadable()
    {
        if (_isReaderCompleted)
        {
            throw new InvalidOperationException("Reading is not allowed after the reader was completed.");
        }

        if (_wait.IsWaiting || _isReading)
        {
            // The flags belong to the reactor; a posted AdvanceTo of this very thread may still be on its way.
            if (_reactor.IsCurrent)
            {
                throw new InvalidOperationException(
                    _wait.IsWaiting ? "A read is pending already." : "The last read was not ended by AdvanceTo.");
            }
        }
    }

    private static long OffsetOf(SequencePosition position, long none)
        => position.GetObject() is ReceiveSegment segment ? segment.RunningIndex + position.GetInteger() : none;

    /// <summary>A read that waits.</summary>
    private sealed class ReadWait(ReceivePipe pipe) : ReactorWait<ReadResult>(pipe._reactor)
    {
        private protected override void Start()
        {
            pipe.TakePostedAdvance();
            if (pipe._isReaderCompleted)
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
