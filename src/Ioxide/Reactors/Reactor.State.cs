using System.Diagnostics;
using System.Diagnostics.Tracing;

namespace Ioxide;

/// <summary>The reactor's counters, what it keeps for its connections, and how it ends.</summary>
public sealed partial class Reactor
{
    // As many as the sends of a busy turn need; the collector takes the rest.
    private const int MaxIdleReferences = 1024;

    private static readonly TimeSpan s_lookInterval = TimeSpan.FromMilliseconds(10);

    /// <summary>How long an ending reactor waits for the kernel to end the operations in flight.</summary>
    internal static readonly TimeSpan EndLimit = TimeSpan.FromSeconds(5);

    /// <summary>A reactor is stuck when it has not turned for this many times <see cref="ReactorOptions.StallThreshold"/>.</summary>
    internal const int StuckFactor = 5;

    // Send vectors that the reactor always keeps.
    private const int KeptVectors = 64;

    private readonly IdleStack<SendVectors> _vectors = new();
    private readonly Stack<MemoryBlock> _references = new();
    private readonly Lock _afterEndLock = new();
    private PagePipe? _pages;
    private int _vectorsMade;
    private bool _hasAskedForPages;
    private TaskCompletionSource? _whenEmpty;
    private int _connections;
    private int _reserved;
    private long _rescued;
    private volatile bool _isStuck;
    private bool _isEnding;

    /// <summary>Open connections. A reading from another thread is a snapshot.</summary>
    internal int Connections => Volatile.Read(ref _connections);

    /// <summary>Connections that are open or in transit to this reactor. Threads: any.</summary>
    internal int Load => Connections + Volatile.Read(ref _reserved);

    /// <summary>Posted work that has not run yet. A reading from another thread is a snapshot.</summary>
    internal int QueuedWork => _work.Count;

    /// <summary>Whether the calling thread is the reactor's and a new operation would still be submitted and completed.</summary>
    internal bool CanStart => IsCurrent && !_isEnding;

    internal bool HasEnded => Volatile.Read(ref _hasEnded);

    internal long BytesReceived { get; set; }

    internal long BytesSent { get; set; }

    /// <summary>Those of them that were sent by their pages.</summary>
    internal long PageBytesSent { get; set; }

    internal long Accepted { get; set; }

    internal long AcceptPauses { get; set; }

    /// <summary>Acceptors of this reactor that are paused.</summary>
    internal int PausedListeners { get; set; }

    internal long Stalls { get; set; }

    /// <summary>The reactor has not turned for so long that others accept its new connections. Set by the watchdog; read by any thread.</summary>
    internal bool IsStuck
    {
        get => _isStuck;
        set => _isStuck = value;
    }

    /// <summary>Connections that another thread accepted from this reactor's listeners and handed over.</summary>
    internal long Rescued => Volatile.Read(ref _rescued);

    /// <summary>Threads: any.</summary>
    internal void CountRescued() => Interlocked.Increment(ref _rescued);

    /// <summary>Times that a connection waited before it sent again, because the kernel had no memory.</summary>
    internal long SendPauses { get; set; }

    /// <summary>Connections that are over for the application and wait for their peer's FIN.</summary>
    internal LingerList Lingering { get; }

    /// <summary>When the current turn started, in ticks of the clock, or 0 while the reactor waits.</summary>
    internal long TurnStarted => Volatile.Read(ref _turnStarted);

    /// <summary>Reads the counters. Threads: any.</summary>
    public ReactorSnapshot Snapshot() => new()
    {
        ReactorId = Id,
        Turns = _turns,
        Enters = Ring.Enters,
        Submissions = Ring.Submissions,
        Completions = _completions,
        CompletionOverflows = Ring.Overflows,
        FullSubmissionQueues = Ring.FullSubmissionQueues,
        BufferExhaustions = BufferExhaustions,
        Rearms = Rearms,
        BufferCount = (int)SumOfBuffers(static ring => Math.Max(ring.Count, ring.TakenCount)),
        BuffersTaken = (int)SumOfBuffers(static ring => ring.TakenCount),
        PooledBytes = SumOfBuffers(static ring => ring.SizeBytes) + SmallBlocks.SizeBytes + LargeBlocks.SizeBytes,
        BytesCopied = BytesCopied,
        Connections = Connections,
        LingeringConnections = Lingering.Count,
        LingersDropped = Lingering.Dropped,
        SendPauses = SendPauses,
        Accepted = Accepted,
        AcceptPauses = AcceptPauses,
        PausedListeners = PausedListeners,
        Rescued = Rescued,
        BytesReceived = BytesReceived,
        BytesSent = BytesSent,
        QueuedWork = QueuedWork,
        OperationsInFlight = Operations.InFlight,
        Stalls = Stalls,
        BlockedWaits = BlockedWaits,
        BlockedTime = HasEnded ? TimeSpan.Zero : Since(BlockedSince),
        BusyTime = TimeSpan.FromSeconds(_busyTicks / (double)Stopwatch.Frequency),
        TurnTime = HasEnded ? TimeSpan.Zero : SinceTurn(),
        HasEnded = HasEnded,
    };

    /// <summary>A connection is in transit from another reactor to this one. Threads: any.</summary>
    internal void ReserveConnection() => Interlocked.Increment(ref _reserved);

    internal void ReleaseReservation() => Interlocked.Decrement(ref _reserved);

    internal void ConnectionOpened(IReactorConnection connection)
    {
        Volatile.Write(ref _connections, _connections + 1);
        if (IoxideEventSource.Log.IsEnabled(EventLevel.Verbose, EventKeywords.None))
        {
            Announce(new WorkItem(
                static (_, _, id, slot) => IoxideEventSource.Log.ConnectionStart((int)id, (int)slot), null, null, Id, connection.SlotIndex));
        }
    }

    internal void ConnectionClosed(IReactorConnection connection)
    {
        Volatile.Write(ref _connections, _connections - 1);
        if (IoxideEventSource.Log.IsEnabled(EventLevel.Verbose, EventKeywords.None))
        {
            Announce(new WorkItem(
                static (reactor, reason, _, slot) => IoxideEventSource.Log.ConnectionStop(((Reactor)reactor!).Id, (int)slot, (int)(CloseReason)reason!),
                this,
                connection.CloseReason,
                0,
                connection.SlotIndex));
        }

        if (_connections == 0)
        {
            _whenEmpty?.TrySetResult();
        }
    }

    /// <summary>Completes when the reactor has no connection. Threads: any.</summary>
    internal Task WhenEmptyAsync()
    {
        var completion = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        bool isQueued = TryEnqueue(new WorkItem(
            static (reactor, completion, _, _) =>
            {
                var self = (Reactor)reactor!;
                self._whenEmpty = (TaskCompletionSource)completion!;
                if (self._connections == 0)
                {
                    self._whenEmpty.TrySetResult();
                }
            },
            this,
            completion));
        return isQueued ? completion.Task : Task.CompletedTask;
    }

    /// <summary>Total over both groups and the retiring ones.</summary>
    private long SumOfBuffers(Func<BufferRing, long> read)
    {
        long sum = read(SmallBuffers) + (BulkBuffers is { } bulk ? read(bulk) : 0);
        foreach (BufferRing retired in RetiredBuffers)
        {
            sum += read(retired);
        }

        return sum;
    }

    /// <summary>Waits for work that this reactor completes, but only while the reactor turns. Threads: any but a reactor's.</summary>
    /// <param name="task">Completed by this reactor, at once or a few turns from now.</param>
    /// <param name="limit">The longest turn to wait for. A turn that has already lasted this long is not waited for.</param>
    /// <returns>False if the wait was given up. The task may still complete when the reactor turns again.</returns>
    internal async Task<bool> WaitWhileTurningAsync(Task task, TimeSpan limit)
    {
        while (true)
        {
            await Task.WhenAny(task, Kernel.DelayAsync(s_lookInterval)).ConfigureAwait(false);
            if (task.IsCompleted)
            {
                break;
            }

            if (SinceTurn() >= limit)
            {
                return false;
            }
        }

        await task.ConfigureAwait(false);
        return true;
    }

    /// <summary>How long the current turn has lasted; zero while the reactor waits. Threads: any.</summary>
    internal TimeSpan SinceTurn() => Since(TurnStarted);

    private TimeSpan Since(long started)
    {
        long now = Kernel.Timestamp();
        return started == 0 || now < started ? TimeSpan.Zero : Stopwatch.GetElapsedTime(started, now);
    }

    internal SendVectors RentVectors()
    {
        if (_vectors.TryPop(out SendVectors? vectors))
        {
            return vectors;
        }

        if (++_vectorsMade > KeptVectors)
        {
            Trimmer.Ask();
        }

        return new SendVectors();
    }

    internal void ReturnVectors(SendVectors vectors) => _vectors.Push(vectors);

    /// <summary>What <see cref="ReactorEvents.FeatureRefused"/> calls <see cref="Pages"/>.</summary>
    internal const string PagesFeature = "Sending large files by their pages";

    /// <summary>Sends memory by its pages; null where the kernel refuses that. Created on first use.</summary>
    internal PagePipe? Pages
    {
        get
        {
            if (!_hasAskedForPages)
            {
                _hasAskedForPages = true;
                _pages = Kernel.OpenPagePipe(out CallRefusal refusal);
                if (_pages is null)
                {
                    Tell(events => events.FeatureRefused(
                        Id, PagesFeature, refusal.Call, Errno.Name(refusal.ErrorNumber), "they are copied"));
                }
            }

            return _pages is { IsRefused: false } ? _pages : null;
        }
    }

    /// <summary>A block for outside memory.</summary>
    internal MemoryBlock RentReference()
    {
        Debug.Assert(IsCurrent);
        return _references.TryPop(out MemoryBlock? block) ? block : new MemoryBlock();
    }

    /// <summary>Takes such a block back from any creator, once it references no memory.</summary>
    internal void ReturnReference(MemoryBlock block)
    {
        if (_references.Count < MaxIdleReferences)
        {
            block.Reset();
            _references.Push(block);
        }
    }

    /// <summary>The loop is over: everything that is open is aborted, and the thread waits for the last completions.</summary>
    private void End(Exception? fault)
    {
        _isEnding = true;
        var reason = new ObjectDisposedException($"Reactor {Id} has ended.", fault);
        if (fault is null)
        {
            EndGently(reason);
        }

        if (_hasEndedBlocked)
        {
            // The end came on the stack of a handler that blocked, in the loop or above.
            return;
        }

        _isLooping = false;
        foreach (IReactorConnection connection in Operations.Targets.OfType<IReactorConnection>())
        {
            // Before the end is seen: a read of another thread that fails by it finds the reason.
            connection.NoteReactorEnded(reason);
        }

        Volatile.Write(ref _hasEnded, true);
        if (Operations.InFlight > 0)
        {
            EndWithoutRing(reason);
        }

        FailDelays(reason);
        DisposeServices();
        RunWorkAfterEnd();
        RunHeldBackElsewhere();
        Ring.ReleaseThread();
        if (fault is not null)
        {
            Tell(events => events.ReactorFaulted(Id, fault));
        }

        Announce(new WorkItem(static (_, _, id, _) => IoxideEventSource.Log.ReactorStop((int)id), null, null, Id));
        if (_isBlocked)
        {
            TimeSpan blockedFor = Since(BlockedSince);
            object? activity = BlockedActivity;
            Tell(events => events.StoppedUnderHandler(Id, blockedFor, activity));

            // From here on the thread is the handler's alone. The code that waits for the end closes the ring accordingly.
            _hasEndedBlocked = true;
            s_current = null;
        }

        _ended.SetResult();
    }

    private void EndGently(Exception reason)
    {
        try
        {
            long limit = Kernel.Timestamp() + (long)(EndLimit.TotalSeconds * Stopwatch.Frequency);
            while (!_hasEndedBlocked && (Operations.InFlight > 0 || _dirty.Count > 0) && Kernel.Timestamp() < limit)
            {
                // Operations started meanwhile are notified too.
                foreach (ICompletionTarget target in Operations.Targets)
                {
                    target.ReactorEnded(reason);
                }

                // The stop must check regularly whether its limit has passed.
                Timers.Remove(_endTimer);
                Timers.Add(_endTimer, NowTick() + 10);
                _stopRequested = false;
                Turn(mayWait: true);
                _stopRequested = true;
            }
        }
        catch (Exception exception)
        {
            ReportUnhandled(exception);
        }
    }

    private void FailDelays(Exception reason)
    {
        foreach (DelayOperation.Timer delay in Timers.RemoveAll().OfType<DelayOperation.Timer>())
        {
            try
            {
                delay.Fail(reason);
            }
            catch (Exception exception)
            {
                ReportUnhandled(exception);
            }
        }
    }

    private void DisposeServices()
    {
        foreach (IDisposable service in _services.Values.OfType<IDisposable>())
        {
            var dispose = new WorkItem(static (service, _, _, _) => ((IDisposable)service!).Dispose(), service);
            if (_isBlocked)
            {
                // Application code must not run on a blocked stack.
                RunOnThreadPool(dispose);
            }
            else
            {
                RunGuarded(dispose);
            }
        }
    }

    /// <summary>The ring can no longer be driven; descriptors are closed directly. The ring's memory stays until it is closed.</summary>
    private void EndWithoutRing(Exception reason)
    {
        foreach (ICompletionTarget target in Operations.Targets)
        {
            try
            {
                target.EndWithoutRing(reason);
            }
            catch (Exception exception)
            {
                ReportUnhandled(exception);
            }
        }
    }

    /// <summary>Work that raced with the end: its connection is closed, and its waiters are notified.</summary>
    private void RunWorkAfterEnd()
    {
        lock (_afterEndLock)
        {
            while (_work.TryDequeueLocal(out WorkItem item) || _work.TryDequeueRemote(out item))
            {
                RunItem(item);
            }
        }
    }

    /// <summary>Closes the ring. All reactors of the group have ended, so none sends a message to it.</summary>
    internal unsafe void CloseRing()
    {
        if (_hasEndedBlocked)
        {
            // The handler that blocks returns through the loop one day: what the loop names stays mapped.
            Ring.CloseDescriptor();
            _ = Kernel.Close(_eventDescriptor);
            _pages?.Dispose();
            Kernel.KeepForGood(this);
            return;
        }

        Ring.Dispose();
        _pages?.Dispose();
        _excuses?.Dispose();
        if (Operations.InFlight > 0)
        {
            // The kernel did not end everything in time and may still write: the memory is never freed.
            Kernel.KeepForGood(this);
            return;
        }

        SmallBuffers?.Dispose();
        BulkBuffers?.Dispose();
        foreach (BufferRing retired in _retired)
        {
            retired.Dispose();
        }

        if (_eventDescriptor >= 0)
        {
            _ = Kernel.Close(_eventDescriptor);
        }

        while (_vectors.TryPop(out SendVectors? vectors))
        {
            vectors.Dispose();
        }
    }

    private readonly EndTimer _endTimer = new();

    private sealed class EndTimer : TimerEntry
    {
        internal override void OnDue()
        {
        }
    }
}
