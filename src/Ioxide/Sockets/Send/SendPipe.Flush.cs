namespace Ioxide;

/// <summary>Flushes that wait for room, and those of other threads.</summary>
public sealed partial class SendPipe
{
    // Created by the first flush that waits.
    private FlushWait? _wait;

    // Set by any thread; the flush that it cancels takes it.
    private volatile bool _isCancelRequested;

    /// <summary>Cancels the flush that waits, else the next one. Threads: any.</summary>
    public override void CancelPendingFlush()
    {
        _isCancelRequested = true;
        _reactor.Enqueue(this, static pipe => pipe.NotifyFlush());
    }

    /// <summary>Whether a flush of this many bytes would complete at once and can be skipped now. Only on the reactor.</summary>
    internal bool HasRoomFor(long bytes)
        => !_isCompleted && !_sender.HasEnded && !_isCancelRequested && _sender.QueuedBytes + bytes < _highWatermark;

    /// <summary>Resumes the flush that waits, if there is room for it or it was cancelled. Called last, because it runs application code.</summary>
    internal void NotifyFlush()
    {
        if (_wait is { IsWaiting: true } wait && (_sender.HasEnded || _isCancelRequested || _sender.QueuedBytes <= _highWatermark / 2))
        {
            wait.EndWait();
            wait.SetResult(_reactor, TakeFlushResult());
        }
    }

    /// <summary>The same from where application code must not run: a flush that waits is resumed from the loop.</summary>
    internal void NotifyFlushLater()
    {
        if (_wait is { IsWaiting: true })
        {
            _reactor.Enqueue(this, static pipe => pipe.NotifyFlush());
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
        return HasFlushResult(PendingBytes) ? new ValueTask<FlushResult>(TakeFlushResult()) : ResetWait(isElsewhere: true).Offer(cancellationToken);
    }

    private bool HasFlushResult(long queuedBytes) => _sender.HasEnded || _isCancelRequested || queuedBytes < _highWatermark;

    private FlushWait ResetWait(bool isElsewhere)
    {
        FlushWait wait = _wait ??= new FlushWait(this);
        wait.Reset();
        wait.ResumesOnThreadPool = _connection.ResumesOnPool(isElsewhere);
        return wait;
    }

    private FlushResult TakeFlushResult()
    {
        bool isCanceled = _isCancelRequested && Interlocked.Exchange(ref _isCancelRequested, false);
        return new FlushResult(isCanceled, _sender.HasEnded);
    }

    /// <summary>A flush that waits for room.</summary>
    private sealed class FlushWait(SendPipe pipe) : ReactorWait<FlushResult>(pipe._reactor)
    {
        private protected override void Start()
        {
            pipe.TakePosted();
            if (pipe.HasFlushResult(pipe._sender.QueuedBytes))
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
