using System.IO.Pipelines;

namespace Ioxide;

/// <summary>Flushes that wait for room, and those of other threads.</summary>
public sealed partial class SendPipe
{
    // Created by the first flush that waits.
    private FlushWait? _wait;
    private bool _isCancelRequested;

    private bool HasFlushResult => HasEnded || _isCancelRequested || _queuedBytes < _highWatermark;

    /// <inheritdoc/>
    public override void CancelPendingFlush()
    {
        bool isOnReactor = _reactor.IsCurrent;
        if (isOnReactor)
        {
            _isCancelRequested = true;
        }

        _reactor.Enqueue(new WorkItem(
            static (pipe, _, isSet, _) => ((SendPipe)pipe!).CancelFlush(isSet != 0), this, null, isOnReactor ? 1 : 0));
    }

    /// <summary>Whether a flush of this many bytes would complete at once and can be skipped now. Only on the reactor.</summary>
    internal bool HasRoomFor(long bytes)
        => !_isCompleted && !HasEnded && !_isCancelRequested && _queuedBytes + bytes < _highWatermark;

    /// <summary>Resumes waits for room and for the end of the queue. Called last, because it runs application code.</summary>
    internal void Notify()
    {
        NotifyFlush();
        NotifyIdle();
    }

    private void NotifyFlush()
    {
        if (_wait is { IsWaiting: true } wait && (HasEnded || _isCancelRequested || _queuedBytes <= _highWatermark / 2))
        {
            wait.EndWait();
            wait.SetResult(_reactor, TakeFlushResult());
        }
    }

    private ValueTask<FlushResult> WaitForRoom(CancellationToken cancellationToken)
    {
        if (_wait is { IsWaiting: true })
        {
            throw new InvalidOperationException("A flush is pending already. Await it before the next one.");
        }

        FlushWait wait = ResetWait(isElsewhere: false);
        wait.Wait(cancellationToken);
        return wait.Task;
    }

    private ValueTask<FlushResult> FlushFromOtherThread(CancellationToken cancellationToken)
    {
        PostWritten();

        // While there is room, no flush must wait, and the writer stays on its thread: a thread hop costs more than a send.
        if (HasEnded)
        {
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: true));
        }

        if (!Volatile.Read(ref _isCancelRequested) && PendingBytes < _highWatermark)
        {
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: false));
        }

        return ResetWait(isElsewhere: true).Offer(cancellationToken);
    }

    private FlushWait ResetWait(bool isElsewhere)
    {
        FlushWait wait = _wait ??= new FlushWait(this);
        wait.Reset();
        wait.ResumesOnThreadPool = _connection.ResumesOnPool(isElsewhere);
        return wait;
    }

    private FlushResult TakeFlushResult()
    {
        bool isCanceled = _isCancelRequested;
        _isCancelRequested = false;
        return new FlushResult(isCanceled, HasEnded);
    }

    private void CancelFlush(bool isSet)
    {
        if (!isSet)
        {
            _isCancelRequested = true;
        }

        NotifyFlush();
    }

    /// <summary>A flush that waits for room.</summary>
    private sealed class FlushWait(SendPipe pipe) : ReactorWait<FlushResult>(pipe._reactor)
    {
        private protected override void Start()
        {
            pipe.TakePosted();
            if (pipe.HasFlushResult)
            {
                SetResult(Reactor, pipe.TakeFlushResult());
            }
            else
            {
                Wait();
            }
        }

        private protected override void ReactorHasEnded() => SetResult(Reactor, new FlushResult(isCanceled: false, isCompleted: true));
    }
}
