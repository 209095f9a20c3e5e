using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Threading.Tasks.Sources;

namespace Ioxide.Http2;

/// <summary>Reads into the application's own buffer: one that waits is filled from received frames, without the pipe between.</summary>
/// <remarks>
/// <code>
/// None --ReadAsync finds the pipe empty--> Waiting --bytes--> Filled --resumed: GetResult--> None
///                                          Waiting --end, error, cancellation--> Ended --resumed--> None
/// </code>
/// A filled buffer takes further bytes until its reader has resumed. Everything here is under <see cref="_gate"/>, except for the call that resumes.
/// </remarks>
internal sealed partial class RequestBody : IValueTaskSource<int>
{
    private enum Direct
    {
        None,
        Waiting,
        Filled,
        Ended,
    }

    private RuntimeLock _gate;
    private Direct _direct;
    private Memory<byte> _target;
    private int _filled;
    private ManualResetValueTaskSourceCore<int> _core;
    private CancellationTokenRegistration _cancellation;

    // Who reads is not on the reactor, and is not to be resumed there.
    private volatile bool _readsElsewhere;

    /// <summary>A read still waits, or was not taken: who reads may hold this object after the request's end.</summary>
    internal bool IsHeld => _isAwaited || _direct != Direct.None;

    private Http2Stream Stream => stream;

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
            return !HasBody ? new ValueTask<int>(0)
                : _examined > 0 ? ReadBehindPeekAsync(target, cancellationToken)
                : TryWait(out ReadResult result) ? Await(cancellationToken)
                : new ValueTask<int>(Take(result, target));
        }
        catch (Exception exception)
        {
            return ValueTask.FromException<int>(exception);
        }

        bool TryWait(out ReadResult result)
        {
            Start();
            _readsElsewhere = !stream.Connection.Reactor.IsCurrent;
            _gate.Enter();
            try
            {
                if (_direct != Direct.None)
                {
                    throw new InvalidOperationException("A read of this body is pending already. Await it before the next one.");
                }

                if (_source!.TryRead(out result))
                {
                    return false;
                }

                _direct = Direct.Waiting;
                _target = target;
                _filled = 0;
                _core.Reset();
                _isAwaited = true;
                return true;
            }
            finally
            {
                _gate.Exit();
            }
        }
    }

    /// <summary>Bytes were examined and not consumed: they come first, and not before others have arrived behind them.</summary>
    private async ValueTask<int> ReadBehindPeekAsync(Memory<byte> target, CancellationToken cancellationToken)
        => Take(await ReadAsync(cancellationToken).ConfigureAwait(true), target);

    int IValueTaskSource<int>.GetResult(short token)
    {
        _cancellation.Dispose();
        _cancellation = default;
        _gate.Enter();
        int filled = _direct == Direct.Filled ? _filled : 0;
        _direct = Direct.None;
        _target = default;
        _gate.Exit();
        _ = _core.GetResult(token);
        if (filled > 0)
        {
            stream.Connection.Credit(stream, filled);
            _consumed += filled;
            ThrowIfTooLarge(_consumed);
        }

        return filled;
    }

    ValueTaskSourceStatus IValueTaskSource<int>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<int>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _core.OnCompleted(
            continuation, state, token, _readsElsewhere ? flags : flags & ~ValueTaskSourceOnCompletedFlags.UseSchedulingContext);

    private ValueTask<int> Await(CancellationToken cancellationToken)
    {
        var read = new ValueTask<int>(this, _core.Version);
        stream.AskForBody(isAwaited: true);
        if (cancellationToken.CanBeCanceled)
        {
            _cancellation = cancellationToken.UnsafeRegister(
                static (body, token) => ((RequestBody)body!).TryEndDirect(new OperationCanceledException(token)), this);
        }

        return read;
    }

    private int Take(in ReadResult result, Memory<byte> target)
    {
        ReadOnlySequence<byte> buffer = result.Buffer;
        if (result.IsCanceled)
        {
            _source!.AdvanceTo(buffer.Start, buffer.Start);
            throw new OperationCanceledException("The read was canceled.");
        }

        _read = buffer;
        int count = (int)Math.Min(buffer.Length, target.Length);
        buffer = buffer.Slice(0, count);
        buffer.CopyTo(target.Span);
        AdvanceTo(buffer.End);
        return count;
    }

    /// <summary>Copies received bytes into a buffer that waits for them. Under the gate.</summary>
    /// <param name="payload">The bytes.</param>
    /// <param name="isFirst">The reader is to be resumed.</param>
    /// <returns>Number of bytes that it took.</returns>
    private int FillDirect(in ReadOnlySequence<byte> payload, out bool isFirst)
    {
        isFirst = _direct == Direct.Waiting;
        if (_direct is not (Direct.Waiting or Direct.Filled))
        {
            return 0;
        }

        int count = (int)Math.Min(payload.Length, _target.Length - _filled);
        payload.Slice(0, count).CopyTo(_target.Span[_filled..]);
        _filled += count;
        _direct = Direct.Filled;
        _isAwaited = false;
        return count;
    }

    /// <summary>Ends a read that waits. False if none does.</summary>
    private bool TryEndDirect(Exception? error)
    {
        _gate.Enter();
        bool isWaiting = _direct == Direct.Waiting;
        if (isWaiting)
        {
            _direct = Direct.Ended;
            _isAwaited = false;
        }

        _gate.Exit();
        if (isWaiting)
        {
            ResumeDirect(error);
        }

        return isWaiting;
    }

    /// <summary>Resumes the reader where it belongs: from the loop, or on the thread pool.</summary>
    private void ResumeDirect(Exception? error = null)
    {
        if (_readsElsewhere || stream.Connection.RunsOnPool)
        {
            _core.RunContinuationsAsynchronously = true;
            SetResult(error);
            return;
        }

        _core.RunContinuationsAsynchronously = false;
        stream.Connection.Reactor.EnqueueOrPool(WorkItem.Of(this, error, static (body, error) => body.SetResult(error), WorkOwner.Application));
    }

    private void SetResult(Exception? error)
    {
        if (error is null)
        {
            _core.SetResult(0);
        }
        else
        {
            _core.SetException(error);
        }
    }

    /// <summary>Resumes readers of the pipe where they belong.</summary>
    private sealed class ReaderScheduler(RequestBody body) : PipeScheduler
    {
        public override void Schedule(Action<object?> action, object? state)
        {
            Http2Connection connection = body.Stream.Connection;
            if (body._readsElsewhere || connection.RunsOnPool)
            {
                connection.Reactor.Kernel.QueueToThreadPool(action, state);
            }
            else
            {
                connection.Reactor.Scheduler.Schedule(action, state);
            }
        }
    }
}
