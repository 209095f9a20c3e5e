using System.Diagnostics;

namespace Ioxide;

/// <summary>The loop.</summary>
/// <remarks>
/// One turn: run posted work -> fire timers -> end the turn of every connection that has something to send or to close ->
/// give buffers to the kernel -> one enter, which submits everything and waits -> handle every completion.
/// Application code runs only inside "posted work", "timers" and "completions", and never inside other application code. When it blocks in a
/// wait, turns run inside that wait (Reactor.Blocking.cs): the calling phase finds queues and lists moved, and the reactor may have ended.
/// </remarks>
public sealed unsafe partial class Reactor
{
    // The limit of posted work per turn, for each queue.
    private const int MaxWorkPerTurn = 1024;

    // A larger batch would fall out of the second-level cache before it is answered.
    private const uint MaxBatch = 64;

    // The longest delay that sends that do not complete at once add to a batched wait.
    private const uint BatchWaitUs = 20;

    private readonly int _eventDescriptor;
    private readonly List<IReactorConnection> _dirty = [];
    private readonly TaskCompletionSource _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private WakeTarget? _wakeTarget;
    private bool _stopRequested;
    private bool _hasEnded;

    // Entries made now are submitted. After the loop, nothing would submit them.
    private bool _isLooping;
    private uint _quickSends;
    private int _remoteRan;
    private long _turns;
    private long _turnStarted;
    private long _busyTicks;
    private long _completions;
    private long _timeOfTurn;

    /// <summary>Completes when the loop runs, or fails with the reason why it does not.</summary>
    internal Task Started => _started.Task;

    /// <summary>Completes when the thread has released everything.</summary>
    internal Task Ended => _ended.Task;

    /// <summary>What is about to run, for stall reports; set by the code that passes control to the application.</summary>
    /// <remarks>The watchdog's thread calls <see cref="object.ToString"/> while it runs, so that must be safe.</remarks>
    internal object? Activity { get; set; }

    /// <summary>Turns of the loop so far, the current one included. Threads: the reactor's.</summary>
    internal long Turns => _turns;

    internal void Start() => new Thread(Run) { IsBackground = true, Name = $"Ioxide reactor {Id}" }.Start();

    /// <summary>Runs the loop on the calling thread until it is stopped, for a kernel that simulates all threads.</summary>
    internal void RunHere()
    {
        Run();
        s_current = null;
        SynchronizationContext.SetSynchronizationContext(null);
    }

    /// <summary>Makes the calling thread count as another reactor's, or as none's, until the result is passed back.</summary>
    internal static Reactor? ExchangeCurrent(Reactor? reactor)
    {
        Reactor? before = s_current;
        s_current = reactor;
        SynchronizationContext.SetSynchronizationContext(reactor?.RuntimeContext);
        return before;
    }

    /// <summary>Ends the loop when the work posted so far is done. Everything that is still open is aborted. Threads: any.</summary>
    internal void RequestStop() => Enqueue(new WorkItem(static (reactor, _, _, _) => ((Reactor)reactor!)._stopRequested = true, this));

    /// <summary>The connection has work for the end of this turn.</summary>
    internal void MarkDirty(IReactorConnection connection) => _dirty.Add(connection);

    /// <summary>A small send was submitted: it will most likely complete inside the same enter.</summary>
    internal void CountQuickSend() => _quickSends++;

    /// <summary>A zeroed entry for an operation of the slot's target, counted as in flight.</summary>
    internal Sqe* Prepare(OperationKind kind, int slotIndex)
    {
        Debug.Assert(IsCurrent);
        Sqe* entry = Ring.NextEntry();
        entry->UserData = Operations.Begin(kind, slotIndex).UserData;
        return entry;
    }

    /// <summary>Asks the kernel to end an operation of the same slot. The operation still gets its own last completion.</summary>
    internal void PrepareCancel(OperationKind cancelKind, OperationKind kind, int slotIndex, SqeFlags flags = SqeFlags.None)
    {
        Sqe* entry = Prepare(cancelKind, slotIndex);
        entry->Opcode = Opcode.AsyncCancel;
        entry->Flags = flags;
        entry->Descriptor = -1;
        entry->Address = Operations.NameOf(kind, slotIndex).UserData;
    }

    internal void ReportUnhandled(Exception exception) => Tell(events => events.UnhandledException(Id, exception));

    /// <summary>Notifies the host. An exception of its code ends neither a thread nor the process; event listeners see it.</summary>
    /// <remarks>Threads: a reactor's or the watchdog.</remarks>
    internal void Tell(Action<ReactorEvents> tell)
    {
        if (Options.Events is not { } events)
        {
            return;
        }

        if (IsCurrent && _isBlocked)
        {
            // The listeners are application code, which must not run on a blocked stack.
            Kernel.QueueToThreadPool(
                static work => work.Reactor.TellHere(work.Events, work.Tell), (Reactor: this, Events: events, Tell: tell));
            return;
        }

        using ContextScope scope = TakeOver();
        TellHere(events, tell);
    }

    private void TellHere(ReactorEvents events, Action<ReactorEvents> tell)
    {
        try
        {
            tell(events);
        }
        catch (Exception exception)
        {
            IoxideEventSource.Log.HostCodeThrew(Id, exception.ToString());
        }
    }

    private void Run()
    {
        s_current = this;
        SynchronizationContext.SetSynchronizationContext(RuntimeContext);
        Exception? fault = null;
        try
        {
            if (_processor >= 0)
            {
                // Pinning is best effort: if the mask has changed meanwhile, the thread runs anywhere.
                _ = Sys.PinThread(_processor);
            }

            Ring.Enable();
            Ring.TryOut();
            EnableBusyPoll();
            SetUpBuffers();
            _wakeTarget = new WakeTarget(this, _eventDescriptor);
            _excuses = _judge is null ? null : StallExcuses.Open();
            IoxideEventSource.Log.ReactorStart(Id);
            _started.SetResult();
        }
        catch (Exception exception)
        {
            // The caller of ReactorGroup.Start receives it.
            _started.SetException(exception);
            CloseRing();
            _ended.SetResult();
            return;
        }

        _isLooping = true;
        try
        {
            while (!_stopRequested)
            {
                Turn(mayWait: true);
            }
        }
        catch (Exception exception)
        {
            fault = exception;
        }

        End(fault);
    }

    private void Turn(bool mayWait)
    {
        _turns++;
        RunPostedWork();
        RunWorkOfBusyThreads();
        Guarded(static reactor => reactor.Timers.Advance(reactor._timeOfTurn));
        if (_hasEndedBlocked)
        {
            return;
        }

        EndTurnOfConnections();
        RearmStarved();
        PublishBuffers();
        SubmitAndWait(mayWait);
        Guarded(static reactor => reactor.HandleCompletions());
    }

    /// <summary>
    /// Other threads (HTTP/2 streams, timers, an HTTP client's sockets) post in bursts. Sleeping after each item would cost
    /// them a wake-up each, and both sides a switch. One yield lets them finish, and costs little when no other thread
    /// needs the processor. A second yield cost HTTP/2 and events on one processor a tenth.
    /// </summary>
    private void RunWorkOfBusyThreads()
    {
        if (_remoteRan > 0)
        {
            Kernel.Yield();
            RunPostedWork();
        }
    }

    private void RunPostedWork()
    {
        // Work posted meanwhile waits for the next turn, so neither queue can delay the other or the sockets.
        int local = Math.Min(_work.LocalCount, MaxWorkPerTurn);
        int remote = _work.RemoteCountUpTo(MaxWorkPerTurn);
        _remoteRan = remote;
        for (; local > 0 && _work.TryDequeueLocal(out WorkItem item); local--)
        {
            RunItem(item);
        }

        for (; remote > 0 && _boundFirst == 0 && _work.TryDequeueRemote(out WorkItem item); remote--)
        {
            RunItem(item);
        }
    }

    private void RunItem(in WorkItem item)
    {
        if (item.Owner != WorkOwner.Runtime)
        {
            RunOfApplication(item);
            return;
        }

        RunGuarded(item);
    }

    private void RunOfApplication(in WorkItem item)
    {
        if (_boundFirst > 0 && item.Owner == WorkOwner.ReactorBound)
        {
            _boundFirst--;
        }

        if (_isBlocked || HasEnded)
        {
            RunElsewhere(item);
            return;
        }

        using ContextScope scope = HandOver();
        RunGuarded(item);
    }

    private void EndTurnOfConnections()
    {
        // A connection may be marked again while the list is walked; the same walk handles it.
        for (int index = 0; index < _dirty.Count; index++)
        {
            _dirty[index].EndTurn();
        }

        _dirty.Clear();
    }

    private void SubmitAndWait(bool mayWait)
    {
        uint minComplete = 0;
        long timeoutNs = 0;
        uint minimumWaitUs = 0;
        bool isAsleep = false;

        // Armed connections may have nothing to receive: the buffers then go to the next that wait.
        if (mayWait && !_stopRequested && !CanArmStarved)
        {
            timeoutNs = NextTimeoutNs();
            if (_longestWaitNs >= 0)
            {
                timeoutNs = timeoutNs < 0 ? _longestWaitNs : Math.Min(timeoutNs, _longestWaitNs);
            }

            if (timeoutNs != 0 && _work.TryBeginSleep())
            {
                isAsleep = true;
                minComplete = 1;
                if (_quickSends > 1 && (Ring.Features & RingFeatureFlags.MinimumTimeout) != 0)
                {
                    // One enter runs the pending work of 20 sockets, or of as many as it waits for. Small sends complete
                    // at once, so waiting for as many as were submitted costs no time and takes in as many requests.
                    minComplete = Math.Min(_quickSends, MaxBatch);
                    minimumWaitUs = BatchWaitUs;
                }
            }
        }

        _quickSends = 0;
        long before = Kernel.Timestamp();
        Volatile.Write(ref _turnStarted, 0);
        _busyTicks += before - _lastWoken;
        EndTurn(before - _lastWoken);
        int result = Ring.SubmitAndWait(minComplete, timeoutNs, minimumWaitUs);
        if (isAsleep)
        {
            _work.EndSleep();
        }

        long now = Kernel.Timestamp();
        _lastWoken = now;
        _timeOfTurn = now / (Stopwatch.Frequency / 1000);
        Volatile.Write(ref _turnStarted, now);
        _excuses?.Sample(now);
        if (result < 0 && result is not (-Errno.EINTR or -Errno.ETIME or -Errno.EAGAIN or -Errno.EBUSY))
        {
            throw Errno.ToIOException(-result, "wait for completions");
        }
    }

    private long NextTimeoutNs()
    {
        const long NanosecondsPerTick = 1_000_000;
        if (Timers.NextTick() is not { } tick)
        {
            return -1;
        }

        long nowNs = Kernel.Timestamp() * (1_000_000_000 / Stopwatch.Frequency);
        return Math.Max(0, (tick * NanosecondsPerTick) - nowNs);
    }

    private void HandleCompletions()
    {
        // Only the completions that are there now: later ones belong to the next turn. A blocked wait may already have handled these and more.
        for (uint end = Ring.Cq.Tail; !_hasEndedBlocked && Ring.Cq.IsBefore(end);)
        {
            Cqe completion = Ring.Cq.Read();
            _completions++;
            var id = new OperationId(completion.UserData);
            if (id.Kind == OperationKind.WokenByOther)
            {
                continue;
            }

            Operations.End(id, completion.Flags).Complete(id.Kind, completion.Result, completion.Flags);
        }

        if (!_hasEndedBlocked)
        {
            Ring.Cq.Publish();
        }
    }

    /// <summary>Application code may throw through a custom awaiter; the rest of the batch must still run.</summary>
    private void Guarded(Action<Reactor> action)
    {
        while (true)
        {
            try
            {
                action(this);
                return;
            }
            catch (Exception exception)
            {
                ReportUnhandled(exception);
            }
        }
    }

    private void Wake()
    {
        if (Current is { _isLooping: true } other)
        {
            other.WakeOther(this);
            return;
        }

        WakeByCounter();
    }

    /// <summary>Threads: any, while a reactor of the group runs.</summary>
    internal void WakeByCounter()
    {
        ulong one = 1;
        _ = Kernel.Write(_eventDescriptor, &one, sizeof(ulong));
    }

    /// <summary>Wakes another reactor through its ring, together with this turn's submissions. Linux 5.18.</summary>
    private void WakeOther(Reactor other)
    {
        Sqe* entry = Prepare(OperationKind.WakeOther, _wakeTarget!.SlotIndex);
        entry->Opcode = Opcode.MessageRing;
        entry->Descriptor = other.Ring.Descriptor;
        entry->Offset = new OperationId(OperationKind.WokenByOther, 0, 0).UserData;
    }

    private long _lastWoken;
}
