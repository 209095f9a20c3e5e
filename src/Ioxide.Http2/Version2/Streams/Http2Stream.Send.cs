using System.IO.Pipelines;
using System.Threading.Tasks.Sources;

namespace Ioxide.Http2;

/// <summary>An answer's path from the exchange to the connection.</summary>
internal sealed partial class Http2Stream : IValueTaskSource<FlushResult>
{
    // As many bytes are worth a frame of their own, and are not kept back for what the handler writes next.
    private const int MostKeptBytes = Http2FrameHeader.DefaultMaxLength;

    // Shared by both sides, under the gate; what is asked for on the reactor needs none.
    private RuntimeLock _gate;
    private Submitted _submitted;
    private bool _isPosted;
    private bool _isWaiting;
    private bool _isFlushCanceled;
    private bool _isAbortSilenced;
    private volatile bool _isBroken;
    private volatile bool _isAborted;
    private Http2ErrorCode _resetCode;
    private ManualResetValueTaskSourceCore<FlushResult> _flush = new() { RunContinuationsAsynchronously = true };
    private CancellationTokenRegistration _flushCancellation;
    private CancellationToken _flushToken;

    // The reactor's.
    private Submitted _asked;
    private Submitted _done;

    /// <summary>The handler has returned, and produces nothing more.</summary>
    internal bool IsHandlerDone => (_asked & Submitted.HandlerDone) != 0;

    /// <summary>Bytes wait to be sent.</summary>
    internal bool HasData => Bytes.Ready > 0;

    /// <summary>The answer's fields wait to be sent.</summary>
    internal bool HasHead => (_asked & ~_done & Submitted.Head) != 0;

    /// <summary>The answer is complete, and waits for a window: a reset comes behind it.</summary>
    internal bool IsWholeWaiting => HasData && (_asked & Submitted.End) != 0;

    /// <summary>Either side has aborted the request: nothing more is sent. Threads: any.</summary>
    internal bool IsClosedEarly => _isAborted || _isBroken;

    /// <summary>The client or the connection is gone. Threads: any.</summary>
    internal bool IsBroken => _isBroken;

    /// <summary>The answer was complete before anything happened to the stream: that is no abort of the request. Threads: any.</summary>
    internal bool IsAbortSilenced => Volatile.Read(ref _isAbortSilenced);

    /// <summary>Asks for something, and hands over written bytes. Threads: the application's.</summary>
    /// <remarks>
    /// In a handler's first, synchronous piece nothing is sent at once: the connection flushes behind it anyway, and then one pass writes everything.
    /// </remarks>
    internal void Submit(Submitted asked, bool publishes = false)
    {
        if (!Connection.Reactor.IsCurrent)
        {
            _gate.Enter();
            _submitted |= asked;
            Note(asked, publishes);
            bool isFirst = !_isPosted;
            _isPosted = true;
            _gate.Exit();
            if (isFirst)
            {
                Connection.Post(this);
            }

            return;
        }

        TakeSubmitted();
        _asked |= asked;
        Note(asked, publishes);
        Bytes.Take();
        if (!Connection.Loop.IsCalling(this) || (asked & Submitted.Reset) != 0 || Bytes.Ready >= Math.Min(MostKeptBytes, FlushLimit))
        {
            Connection.Sender.SendTaken(this);
        }
    }

    /// <summary>The application aborts the request. The first reason counts.</summary>
    internal bool TryAbort(Http2ErrorCode code)
    {
        _gate.Enter();
        bool isFirst = !_isAborted;
        _isAborted = true;
        _resetCode = isFirst ? code : _resetCode;
        _gate.Exit();
        return isFirst;
    }

    /// <summary>Takes what other threads have submitted, and whose post has come.</summary>
    internal void TakePosted()
    {
        _gate.Enter();
        _isPosted = false;
        Take();
        _gate.Exit();
    }

    /// <summary>Takes what other threads have submitted, and whose post may be on its way. What is not seen here comes with the post.</summary>
    internal void TakeSubmitted()
    {
        if (_isPosted)
        {
            _gate.Enter();
            Take();
            _gate.Exit();
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
        endsStream = (_asked & Submitted.End) != 0 && !HasData && !Exchange.Answer.Head.HasTrailers;
        if (!Take(Submitted.Head))
        {
            return false;
        }

        Exchange.Answer.Head.Encode(encoder, block);
        return true;
    }

    /// <summary>Whether this many bytes are the rest of the body, and its end.</summary>
    internal bool IsLastData(int bytes) => (_asked & Submitted.End) != 0 && Bytes.Ready == bytes && !Exchange.Answer.Head.HasTrailers;

    internal void NoteEndSent()
    {
        HasSentEnd = true;
        _done |= Submitted.End;
    }

    /// <summary>Encodes trailers after the last byte, once.</summary>
    internal bool TakeTrailers(HpackEncoder encoder, HpackBuffer block)
    {
        if (!Exchange.Answer.Head.HasTrailers || !Take(Submitted.End))
        {
            return false;
        }

        Exchange.Answer.Head.EncodeTrailers(encoder, block);
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
        if (!IsHandlerDone)
        {
            // The count of sent bytes is written before; the waiter looks at it after it has said that it waits.
            Interlocked.MemoryBarrier();
        }

        if (!Volatile.Read(ref _isWaiting))
        {
            return;
        }

        _gate.Enter();
        bool isFired = _isWaiting && (_isBroken || Bytes.Queued < FlushLimit);
        _isWaiting &= !isFired;
        _gate.Exit();
        if (isFired)
        {
            _flush.SetResult(new FlushResult(isCanceled: false, isCompleted: _isBroken));
        }
    }

    FlushResult IValueTaskSource<FlushResult>.GetResult(short token)
    {
        ForgetFlushToken();
        return _flush.GetResult(token);
    }

    ValueTaskSourceStatus IValueTaskSource<FlushResult>.GetStatus(short token) => _flush.GetStatus(token);

    void IValueTaskSource<FlushResult>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _flush.OnCompleted(continuation, state, token, flags);

    /// <summary>Completes when there is room for more. Threads: the application's.</summary>
    internal ValueTask<FlushResult> WaitForRoomAsync(CancellationToken cancellationToken)
    {
        if (_isFlushCanceled)
        {
            _isFlushCanceled = false;
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: true, isCompleted: false));
        }

        if (Bytes.Queued < FlushLimit)
        {
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: IsClosedEarly));
        }

        // Of a flush that nobody awaited: its token ends no other.
        ForgetFlushToken();
        _gate.Enter();
        if (_isFlushCanceled)
        {
            // It came since the look above: behind the gate it would meet nobody who waits.
            _isFlushCanceled = false;
            _gate.Exit();
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: true, isCompleted: false));
        }

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
            isWaiting = Bytes.Queued >= FlushLimit;
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

    private void ForgetFlushToken()
    {
        _flushCancellation.Dispose();
        _flushCancellation = default;
    }

    private long FlushLimit => Connection.Options.ResponseBufferBytes;

    private void Note(Submitted asked, bool publishes)
    {
        // What happens to the stream from now on is no abort of the request.
        _isAbortSilenced |= !_isBroken && (asked & (Submitted.End | Submitted.LastByte)) != 0;
        if (publishes)
        {
            Bytes.Publish();
        }
    }

    private void Take()
    {
        _asked |= _submitted;
        _submitted = Submitted.None;
        Bytes.Take();
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
        _isAborted = false;
        _isWaiting = false;
        _isFlushCanceled = false;
        _isAbortSilenced = false;
    }
}
