using System.Diagnostics;

namespace Ioxide;

/// <summary>What a reactor counts and keeps for its connections, and how it ends.</summary>
public sealed partial class Reactor
{
    // As many as the sends of a busy turn name; what is beyond goes to the collector.
    private const int MaxIdleReferences = 1024;

    private static readonly System.Collections.Concurrent.ConcurrentBag<Reactor> s_abandoned = [];
    private static readonly TimeSpan s_endLimit = TimeSpan.FromSeconds(5);

    private readonly Stack<SendVectors> _vectors = new();
    private readonly Stack<MemoryBlock> _references = new();
    private readonly Lock _afterEndLock = new();
    private PagePipe? _pages;
    private bool _hasAskedForPages;
    private TaskCompletionSource? _whenEmpty;
    private int _connections;
    private int _reserved;
    private bool _isEnding;

    /// <summary>Open connections. A reading from another thread is a snapshot.</summary>
    internal int Connections => Volatile.Read(ref _connections);

    /// <summary>Connections that are open or on their way here. Threads: any.</summary>
    internal int Load => Connections + Volatile.Read(ref _reserved);

    /// <summary>Posted work that has not run. A reading from another thread is a snapshot.</summary>
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

    /// <summary>When the turn that runs now started, in ticks of the clock, or 0 while the reactor waits.</summary>
    internal long TurnStarted => Volatile.Read(ref _turnStarted);

    /// <summary>Send vectors that exist in the pool; all of them at rest. Only on the reactor.</summary>
    internal int PooledVectors => _vectors.Count;

    /// <summary>One reading of the counters. Threads: any.</summary>
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
        BufferCount = SmallBuffers.Count + (BulkBuffers?.Count ?? 0),
        BuffersTaken = SmallBuffers.TakenCount + (BulkBuffers?.TakenCount ?? 0),
        PooledBytes = SmallBuffers.SizeBytes + (BulkBuffers?.SizeBytes ?? 0) + SmallBlocks.SizeBytes + LargeBlocks.SizeBytes,
        BytesCopied = BytesCopied,
        Connections = Connections,
        Accepted = Accepted,
        AcceptPauses = AcceptPauses,
        PausedListeners = PausedListeners,
        BytesReceived = BytesReceived,
        BytesSent = BytesSent,
        QueuedWork = QueuedWork,
        OperationsInFlight = Operations.InFlight,
        Stalls = Stalls,
        BusyTime = TimeSpan.FromSeconds(_busyTicks / (double)Stopwatch.Frequency),
        TurnTime = TurnTime(),
        HasEnded = HasEnded,
    };

    /// <summary>A connection is on its way here from another reactor. Threads: any.</summary>
    internal void ReserveConnection() => Interlocked.Increment(ref _reserved);

    internal void ReleaseReservation() => Interlocked.Decrement(ref _reserved);

    internal void ConnectionOpened(RingConnection connection)
    {
        Volatile.Write(ref _connections, _connections + 1);
        IoxideEventSource.Log.ConnectionStart(Id, connection.SlotIndex);
    }

    internal void ConnectionClosed(RingConnection connection)
    {
        Volatile.Write(ref _connections, _connections - 1);
        IoxideEventSource.Log.ConnectionStop(Id, connection.SlotIndex, (int)connection.CloseReason);
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

    private TimeSpan TurnTime()
    {
        long started = TurnStarted;
        long now = Kernel.Timestamp();
        return started == 0 || HasEnded || now < started ? TimeSpan.Zero : Stopwatch.GetElapsedTime(started, now);
    }

    internal SendVectors RentVectors() => _vectors.TryPop(out SendVectors? vectors) ? vectors : new SendVectors();

    internal void ReturnVectors(SendVectors vectors) => _vectors.Push(vectors);

    /// <summary>Sends memory by its pages; null where the kernel refuses that. Made when it is first wanted.</summary>
    internal PagePipe? Pages
    {
        get
        {
            if (!_hasAskedForPages)
            {
                _hasAskedForPages = true;
                _pages = Kernel.OpenPagePipe();
            }

            return _pages is { IsRefused: false } ? _pages : null;
        }
    }

    /// <summary>A block for memory of somebody else.</summary>
    internal MemoryBlock RentReference()
    {
        Debug.Assert(IsCurrent);
        return _references.TryPop(out MemoryBlock? block) ? block : new MemoryBlock();
    }

    /// <summary>Takes such a block home, whoever made it, when it names no memory any more.</summary>
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

        _isLooping = false;
        Volatile.Write(ref _hasEnded, true);
        if (Operations.InFlight > 0)
        {
            Guarded(static reactor => reactor.CloseWithoutRing());
        }

        FailDelays(reason);
        DisposeServices();
        RunWorkAfterEnd();
        Ring.ReleaseThread();
        if (fault is not null)
        {
            Tell(events => events.ReactorFaulted(Id, fault));
        }

        IoxideEventSource.Log.ReactorStop(Id);
        _ended.SetResult();
    }

    private void EndGently(Exception reason)
    {
        try
        {
            long limit = Kernel.Timestamp() + (long)(s_endLimit.TotalSeconds * Stopwatch.Frequency);
            while ((Operations.InFlight > 0 || _dirty.Count > 0) && Kernel.Timestamp() < limit)
            {
                // What was started meanwhile is told too.
                foreach (ICompletionTarget target in Operations.Targets)
                {
                    target.ReactorEnded(reason);
                }

                // The stop has to look every now and then whether its limit has passed.
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
        foreach (DelayOperation delay in Timers.RemoveAll().OfType<DelayOperation>())
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
            try
            {
                service.Dispose();
            }
            catch (Exception exception)
            {
                ReportUnhandled(exception);
            }
        }
    }

    /// <summary>The ring can no longer be driven; descriptors are closed directly. The ring's memory stays until it is closed.</summary>
    private void CloseWithoutRing()
    {
        foreach (RingConnection connection in Operations.Targets.OfType<RingConnection>())
        {
            connection.CloseWithoutRing();
        }
    }

    /// <summary>Work that raced with the end: what it belongs to is closed, and who waits for it is told.</summary>
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
        Ring.Dispose();
        _pages?.Dispose();
        if (Operations.InFlight > 0)
        {
            // The kernel did not end everything in time and may still write: the memory is never freed.
            s_abandoned.Add(this);
            return;
        }

        SmallBuffers?.Dispose();
        BulkBuffers?.Dispose();
        if (_eventDescriptor >= 0)
        {
            _ = Kernel.Close(_eventDescriptor);
        }

        foreach (SendVectors vectors in _vectors)
        {
            vectors.Dispose();
        }

        _vectors.Clear();
    }

    private readonly EndTimer _endTimer = new();

    private sealed class EndTimer : TimerEntry
    {
        internal override void OnDue()
        {
        }
    }
}
