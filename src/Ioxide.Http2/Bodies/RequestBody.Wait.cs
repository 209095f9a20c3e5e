using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Threading.Tasks.Sources;

namespace Ioxide.Http2;

/// <summary>Reads that wait. One into the application's own buffer is filled from received frames, with no copy between.</summary>
/// <remarks>
/// <code>
/// None --a read finds nothing--> Waiting --bytes into its buffer--> Filled --resumed: GetResult--> None
///                                        --bytes, end, error, cancellation--> Resumed --GetResult--> None
/// </code>
/// A filled buffer takes further bytes until its reader has resumed. Everything here is under <see cref="_gate"/>, except for the call that resumes.
/// </remarks>
internal sealed partial class RequestBody : IValueTaskSource<int>, IValueTaskSource<ReadResult>
{
    private enum Wait
    {
        None,
        Waiting,
        Filled,
        Resumed,
    }

    private RuntimeLock _gate;
    private volatile Wait _wait;

    // Empty for a read of the pipe. Not filled behind bytes that were examined and not consumed: those come first.
    private Memory<byte> _target;
    private bool _isFillable;
    private int _filled;

    // A read need not wait: something came that was not examined, maybe behind the last read; or the next read is canceled.
    private bool _hasNews;
    private bool _hasArrived;
    private bool _isCanceled;
    private ManualResetValueTaskSourceCore<bool> _core;
    private CancellationTokenRegistration _cancellation;

    // Who reads is not on the reactor, and is not to be resumed there.
    private volatile bool _readsElsewhere;

    /// <summary>A read waits for the client. Threads: any.</summary>
    internal bool IsAwaited => _wait == Wait.Waiting;

    /// <summary>A read still waits, or was not taken: who reads may hold this object after the request's end.</summary>
    private bool IsHeld => _wait != Wait.None;

    /// <summary>Reads at least one byte. Threads: the application's.</summary>
    /// <param name="target">Not empty.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>Number of bytes; 0 at the body's end.</returns>
    internal ValueTask<int> ReadAsync(Memory<byte> target, CancellationToken cancellationToken)
    {
        Debug.Assert(!target.IsEmpty);
        try
        {
            cancellationToken.ThrowIfCancellationRequested();
            ThrowIfRefused();
            if (!HasBody)
            {
                return new ValueTask<int>(0);
            }

            Start();

            return TryReadOrWait(target, out ReadResult result)
                ? new ValueTask<int>(Take(result, target))
                : new ValueTask<int>(this, BeginWait(cancellationToken));
        }
        catch (Exception exception)
        {
            return ValueTask.FromException<int>(exception);
        }
    }

    int IValueTaskSource<int>.GetResult(short token)
    {
        Memory<byte> target = _target;
        int filled = EndWait(token, out ReadResult result);
        if (filled == 0)
        {
            return Take(result, target);
        }

        exchange.Connection.Credit(exchange.Stream, filled);
        _consumed += filled;
        ThrowIfTooLarge(_consumed);
        return filled;
    }

    ReadResult IValueTaskSource<ReadResult>.GetResult(short token)
    {
        _ = EndWait(token, out ReadResult result);
        return result;
    }

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _core.OnCompleted(
            continuation, state, token, _readsElsewhere ? flags : flags & ~ValueTaskSourceOnCompletedFlags.UseSchedulingContext);

    private bool TryReadOrWait(Memory<byte> target, out ReadResult result)
    {
        _readsElsewhere = !exchange.Connection.Reactor.IsCurrent;
        _gate.Enter();
        try
        {
            if ((_hasNews || _isCanceled || _isReading || _isOver) && TryTake(out result))
            {
                return true;
            }

            result = default;
            ThrowIfWaiting();
            _wait = Wait.Waiting;
            _target = target;
            _isFillable = _examined == 0;
            _filled = 0;
            _core.Reset();
            return false;
        }
        finally
        {
            _gate.Exit();
        }
    }

    private short BeginWait(CancellationToken cancellationToken)
    {
        short version = _core.Version;
        exchange.Request.AskForBody(isAwaited: true);
        if (cancellationToken.CanBeCanceled)
        {
            _cancellation = cancellationToken.UnsafeRegister(
                static (body, token) => ((RequestBody)body!).Wake(new OperationCanceledException(token)), this);
        }

        return version;
    }

    /// <summary>Under the gate as a whole: a request that is over waits for it, so that nothing of a later one is read.</summary>
    private int EndWait(short token, out ReadResult result)
    {
        _cancellation.Dispose();
        _cancellation = default;
        result = default;
        _gate.Enter();
        try
        {
            int filled = _wait == Wait.Filled ? _filled : 0;
            _wait = Wait.None;
            _target = default;
            _ = _core.GetResult(token);
            if (filled == 0 && !TryTake(out result))
            {
                // Only a cancellation can have been for an earlier read.
                result = new ReadResult(default, isCanceled: true, isCompleted: false);
            }

            return filled;
        }
        finally
        {
            _gate.Exit();
        }
    }

    private void ThrowIfWaiting()
    {
        if (_wait != Wait.None)
        {
            throw new InvalidOperationException("Reading is already in progress.");
        }
    }

    /// <summary>What is there. Under the gate.</summary>
    private bool TryTake(out ReadResult result)
    {
        ThrowIfWaiting();
        _read = default;
        bool isRead = _source!.TryRead(out result);
        if (isRead)
        {
            _isReading = true;
            _hasArrived = false;
            _isCanceled = false;
            _read = result.Buffer;
        }

        return isRead;
    }

    private int Take(in ReadResult result, Memory<byte> target)
    {
        ReadOnlySequence<byte> buffer = result.Buffer;
        if (result.IsCanceled)
        {
            // As a Pipe has it: a canceled read need not be ended, and what was examined before it stays examined.
            _isReading = false;
            throw new OperationCanceledException("The read was canceled.");
        }

        int count = (int)Math.Min(buffer.Length, target.Length);
        buffer = buffer.Slice(0, count);
        buffer.CopyTo(target.Span);
        AdvanceTo(buffer.End);
        return count;
    }

    /// <summary>Copies received bytes into a buffer that waits for them, and ends a wait for the pipe. Under the gate.</summary>
    /// <returns>Number of bytes that the buffer took.</returns>
    private int Fill(in ReadOnlySequence<byte> payload)
    {
        if (_wait is not (Wait.Waiting or Wait.Filled))
        {
            return 0;
        }

        int count = _isFillable ? (int)Math.Min(payload.Length, _target.Length - _filled) : 0;
        payload.Slice(0, count).CopyTo(_target.Span[_filled..]);
        _filled += count;
        _wait = _filled > 0 ? Wait.Filled : Wait.Resumed;
        return count;
    }

    /// <summary>Ends a read that waits.</summary>
    private void Wake(Exception? error)
    {
        _gate.Enter();
        bool isWaiting = _wait == Wait.Waiting;
        if (isWaiting)
        {
            _wait = Wait.Resumed;
        }

        _gate.Exit();
        if (isWaiting)
        {
            Resume(error);
        }
    }

    /// <summary>Resumes the reader where it belongs: from the loop, or on the thread pool.</summary>
    private void Resume(Exception? error)
    {
        bool isElsewhere = _readsElsewhere || exchange.Connection.RunsOnPool || exchange.Stream.Run.HasUsedItsTime;
        _core.RunContinuationsAsynchronously = isElsewhere;
        if (isElsewhere)
        {
            SetResult(error);
            return;
        }

        exchange.Connection.Reactor.EnqueueOrPool(WorkItem.Of(this, error, static (body, error) => body.SetResult(error), WorkOwner.Application));
    }

    private void SetResult(Exception? error) => exchange.Stream.Run.Continue(
        static (body, error) =>
        {
            if (error is null)
            {
                body._core.SetResult(true);
                return;
            }

            body._core.SetException(error);
        },
        this, error);
}
