using System.Diagnostics;
using System.IO.Pipelines;
using System.Threading.Tasks.Sources;

namespace Ioxide.Http2;

/// <summary>An answer's path from the application to the connection.</summary>
internal abstract partial class Http2Stream : IValueTaskSource<FlushResult>
{
    [Flags]
    private enum Submitted
    {
        None = 0,
        Continue = 1,
        Head = 2,
        End = 4,
        Reset = 8,
        HandlerDone = 16,

        /// <summary>The answer has all bytes that its Content-Length promised.</summary>
        LastByte = 32,
    }

    private RuntimeLock _gate;

    // Shared by both sides, under the gate.
    private Submitted _submitted;
    private ResponseChunk? _submittedFirst;
    private ResponseChunk? _submittedLast;
    private Http2ErrorCode _resetCode;
    private bool _isBroken;
    private bool _isWaiting;
    private bool _isFlushCanceled;
    private bool _isPosted;
    private long _queuedBytes;
    private ManualResetValueTaskSourceCore<FlushResult> _flush = new() { RunContinuationsAsynchronously = true };
    private CancellationTokenRegistration _flushCancellation;
    private CancellationToken _flushToken;

    // The reactor's.
    private ResponseChunk? _sendFirst;
    private ResponseChunk? _sendLast;
    private Submitted _asked;
    private Submitted _done;
    private ResponseChunk? _spare;

    /// <summary>The handler has returned, and produces nothing more.</summary>
    internal bool IsHandlerDone => (_asked & Submitted.HandlerDone) != 0;

    /// <summary>Bytes wait to be sent.</summary>
    internal bool HasData => _sendFirst is not null;

    /// <summary>The answer's fields wait to be sent.</summary>
    internal bool HasHead => (_asked & ~_done & Submitted.Head) != 0;

    /// <summary>The answer is complete, and waits for a window: a reset comes behind it.</summary>
    internal bool IsWholeWaiting => HasData && (_asked & Submitted.End) != 0;

    /// <summary>Bytes of the first chunk.</summary>
    internal int NextDataBytes => _sendFirst!.Length;

    /// <summary>The first chunk is outside memory.</summary>
    internal bool IsNextReference => _sendFirst!.IsReference;

    private bool HasTrailers => _responseTrailers is { Count: > 0 };

    /// <summary>A post is needed, because none is queued. Threads: the application's.</summary>
    internal bool TryMarkPosted()
    {
        _gate.Enter();
        bool isFirst = !_isPosted;
        _isPosted = true;
        _gate.Exit();
        return isFirst;
    }

    internal void ClearPosted()
    {
        _gate.Enter();
        _isPosted = false;
        _gate.Exit();
    }

    /// <summary>Takes everything that the application has submitted since the last call.</summary>
    internal void TakeSubmitted()
    {
        _gate.Enter();
        TakeInGate();
        _gate.Exit();
        DropEmpty();
    }

    private void TakeInGate()
    {
        _asked |= _submitted;
        _submitted = Submitted.None;
        if (_submittedFirst is not null)
        {
            if (_sendLast is null)
            {
                _sendFirst = _submittedFirst;
            }
            else
            {
                _sendLast.Next = _submittedFirst;
            }

            _sendLast = _submittedLast;
            _submittedFirst = null;
            _submittedLast = null;
        }
    }

    internal bool IsReset(out Http2ErrorCode code)
    {
        code = _resetCode;
        return (_asked & Submitted.Reset) != 0;
    }

    internal bool TakeContinue() => Take(Submitted.Continue);

    /// <summary>Encodes the answer's fields, once.</summary>
    internal bool TakeHead(HpackEncoder encoder, HpackBuffer block, out bool endsStream)
    {
        endsStream = (_asked & Submitted.End) != 0 && !HasData && !HasTrailers;
        if (!Take(Submitted.Head))
        {
            return false;
        }

        EncodeHead(encoder, block);
        return true;
    }

    /// <summary>Whether this many bytes are the whole body.</summary>
    internal bool IsLastData(int bytes)
        => (_asked & Submitted.End) != 0 && !HasTrailers && _sendFirst == _sendLast && _sendFirst!.Length == bytes;

    /// <summary>Writes a DATA frame of the first chunk.</summary>
    internal void WriteData(PipeWriter output, int bytes, bool isLast)
    {
        ResponseChunk chunk = _sendFirst!;
        if (chunk.IsReference)
        {
            Http2FrameWriter.WriteDataHead(output, StreamId, bytes, isLast);
            chunk.AppendTo((IReferenceWriter)output, bytes);
        }
        else
        {
            Http2FrameWriter.WriteData(output, StreamId, chunk.Content[..bytes], isLast);
        }

        chunk.Start += bytes;
        Debug.Assert(chunk.Length >= 0);
        Interlocked.Add(ref _queuedBytes, -bytes);
        DropEmpty();
    }

    internal void NoteEndSent()
    {
        HasSentEnd = true;
        _done |= Submitted.End;
    }

    /// <summary>Encodes trailers after the last byte, once.</summary>
    internal bool TakeTrailers(HpackEncoder encoder, HpackBuffer block)
    {
        if (!HasTrailers || !Take(Submitted.End))
        {
            return false;
        }

        EncodeTrailers(encoder, block);
        return true;
    }

    /// <summary>The end was requested after all bytes had been sent.</summary>
    internal bool TakeBareEnd()
    {
        bool isTaken = Take(Submitted.End);
        HasSentEnd |= isTaken;
        return isTaken;
    }

    /// <summary>Completes a flush that waited for room.</summary>
    internal void CompleteFlush()
    {
        // Sent bytes were taken off the count before, with a full barrier; the waiter looks at the count after it has said that it waits.
        if (Volatile.Read(ref _isWaiting))
        {
            CompleteWaiting();
        }
    }

    private void CompleteWaiting()
    {
        _gate.Enter();
        bool isFired = _isWaiting && (_isBroken || Interlocked.Read(ref _queuedBytes) < FlushLimit);
        _isWaiting &= !isFired;
        _gate.Exit();
        if (isFired)
        {
            _flush.SetResult(new FlushResult(isCanceled: false, isCompleted: _isBroken));
        }
    }

    FlushResult IValueTaskSource<FlushResult>.GetResult(short token)
    {
        _flushCancellation.Dispose();
        _flushCancellation = default;
        return _flush.GetResult(token);
    }

    ValueTaskSourceStatus IValueTaskSource<FlushResult>.GetStatus(short token) => _flush.GetStatus(token);

    void IValueTaskSource<FlushResult>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _flush.OnCompleted(continuation, state, token, flags);

    /// <summary>A chunk for the application to write into.</summary>
    internal ResponseChunk RentChunk(int sizeHint)
    {
        if (sizeHint <= ResponseChunk.SmallBytes && Interlocked.Exchange(ref _spare, null) is { } spare)
        {
            return spare;
        }

        return new ResponseChunk(Math.Max(sizeHint, sizeHint > ResponseChunk.SmallBytes ? ResponseChunk.LargeBytes : ResponseChunk.SmallBytes));
    }

    /// <summary>Hands over chunks and the pending requests. Threads: the application's.</summary>
    private void Submit(Submitted asked, ResponseChunk? first = null, ResponseChunk? last = null, long bytes = 0)
    {
        bool isHere = Connection.Reactor.IsCurrent;
        _gate.Enter();
        bool isDropped = _isBroken && first is not null;
        if (!isDropped && first is not null)
        {
            if (_submittedLast is null)
            {
                _submittedFirst = first;
            }
            else
            {
                _submittedLast.Next = first;
            }

            _submittedLast = last;
            Interlocked.Add(ref _queuedBytes, bytes);
        }

        // What happens to the stream from now on is no abort of the request.
        _isAbortSilenced |= !_isBroken && (asked & (Submitted.End | Submitted.LastByte)) != 0;
        _submitted |= asked;
        if (isHere)
        {
            TakeInGate();
        }

        _gate.Exit();
        if (isDropped)
        {
            ReleaseAll(first);
        }

        if (isHere)
        {
            Connection.SendTaken(this);
        }
        else
        {
            Connection.Post(this);
        }
    }

    /// <summary>Completes when there is room for more. Threads: the application's.</summary>
    private ValueTask<FlushResult> WaitForRoomAsync(CancellationToken cancellationToken)
    {
        if (_isFlushCanceled)
        {
            _isFlushCanceled = false;
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: true, isCompleted: false));
        }

        if (Interlocked.Read(ref _queuedBytes) < FlushLimit)
        {
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: IsClosedEarly));
        }

        _gate.Enter();
        bool isBroken = _isBroken;
        if (!isBroken && _isWaiting)
        {
            _gate.Exit();
            throw new InvalidOperationException("A flush of this response is pending already. Await it before the next one.");
        }

        bool isWaiting = !isBroken;
        if (isWaiting)
        {
            // Said before the count is read again: see CompleteFlush.
            _flush.Reset();
            _isWaiting = true;
            Interlocked.MemoryBarrier();
            isWaiting = Interlocked.Read(ref _queuedBytes) >= FlushLimit;
            _isWaiting = isWaiting;
        }

        short version = _flush.Version;
        _gate.Exit();
        if (!isWaiting)
        {
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: isBroken));
        }

        if (cancellationToken.CanBeCanceled)
        {
            _flushToken = cancellationToken;
            _flushCancellation = cancellationToken.UnsafeRegister(static stream => ((Http2Stream)stream!).CancelFlush(isByToken: true), this);
        }

        return new ValueTask<FlushResult>(this, version);
    }

    /// <summary>Ends a waiting flush; without one, the next is canceled, unless a token asks. Threads: any.</summary>
    internal void CancelFlush(bool isByToken)
    {
        _gate.Enter();
        bool isFired = _isWaiting;
        _isWaiting = false;
        _isFlushCanceled |= !isFired && !isByToken && !IsClosedEarly;
        _gate.Exit();
        if (isFired && isByToken)
        {
            _flush.SetException(new OperationCanceledException(_flushToken));
        }
        else if (isFired)
        {
            _flush.SetResult(new FlushResult(isCanceled: true, isCompleted: false));
        }
    }

    /// <summary>The object is not used again.</summary>
    internal void Discard() => Interlocked.Exchange(ref _spare, null)?.Release();

    private long FlushLimit => Math.Max(1, Connection.Options.ResponseBufferBytes);

    /// <summary>Releases sent chunks, and requested chunks that the application did not write to.</summary>
    internal void DropEmpty()
    {
        while (_sendFirst is { Length: 0 } chunk)
        {
            _sendFirst = chunk.Next;
            _sendLast = _sendFirst is null ? null : _sendLast;
            if (!chunk.TryEmpty() || Interlocked.CompareExchange(ref _spare, chunk, null) is not null)
            {
                chunk.Release();
            }
        }
    }

    private bool Take(Submitted what)
    {
        bool isTaken = (_asked & ~_done & what) != 0;
        _done |= isTaken ? what : Submitted.None;
        return isTaken;
    }

    private void BeginSending()
    {
        _submitted = Submitted.None;
        _asked = Submitted.None;
        _done = Submitted.None;
        _isBroken = false;
        _isWaiting = false;
        _isFlushCanceled = false;
        _queuedBytes = 0;
    }

    /// <summary>Nothing more is sent: pending bytes are dropped, and waiters continue.</summary>
    private void BreakSending()
    {
        _gate.Enter();
        _isBroken = true;
        ResponseChunk? submitted = _submittedFirst;
        _submittedFirst = null;
        _submittedLast = null;
        _gate.Exit();
        ReleaseAll(submitted);
        ReleaseAll(_sendFirst);
        _sendFirst = null;
        _sendLast = null;
        CompleteWaiting();
    }

    private void ForgetSending()
    {
        Debug.Assert(!_isPosted || IsReleased);
        ReleaseAll(_sendFirst);
        ReleaseAll(_submittedFirst);
        _sendFirst = _sendLast = _submittedFirst = _submittedLast = null;
    }

    private static void ReleaseAll(ResponseChunk? chunk)
    {
        while (chunk is not null)
        {
            ResponseChunk? next = chunk.Next;
            chunk.Release();
            chunk = next;
        }
    }
}
