namespace Ioxide;

/// <summary>The loop.</summary>
/// <remarks>
/// One turn: run posted work -> fire timers -> end the turn of every connection that has something to send or to close ->
/// give buffers to the kernel -> one enter, which submits everything and waits -> handle every completion.
/// Application code runs only inside "posted work", "timers" and "completions", and never inside other application code. When it blocks in a
/// wait, turns run inside that wait (<see cref="BlockedWait"/>): the calling phase finds queues and lists moved, and the reactor may have ended.
/// </remarks>
public sealed unsafe partial class Reactor
{
    private readonly WakeTarget _wakeTarget;
    private readonly List<RingConnection> _dirty = [];
    private long _turns;

    /// <summary>What is about to run, for stall reports; set by the code that passes control to the application.</summary>
    /// <remarks>The watchdog's thread calls <see cref="object.ToString"/> while it runs, so that must be safe.</remarks>
    internal object? Activity { get; set; }

    /// <summary>The loop turns: what is submitted now is completed by it.</summary>
    internal bool IsLooping { get; private set; }

    /// <summary>Turns of the loop so far, the current one included. Threads: the reactor's.</summary>
    [System.Diagnostics.CodeAnalysis.Experimental("IOX1001")]
    public long Turns => _turns;

    /// <summary>Makes the calling thread count as another reactor's, or as none's, until the result is passed back.</summary>
    internal static Reactor? ExchangeCurrent(Reactor? reactor)
    {
        Reactor? before = s_current;
        s_current = reactor;
        SynchronizationContext.SetSynchronizationContext(reactor?.RuntimeContext);
        return before;
    }

    /// <summary>Ends the loop when the work posted so far is done. Everything that is still open is aborted. Threads: any.</summary>
    internal void RequestStop() => this.Enqueue(this, static reactor => reactor.End.IsRequested = true);

    /// <summary>The loop begins, or whoever calls <see cref="Turn"/> in its place.</summary>
    internal void StartLooping() => IsLooping = true;

    /// <summary>Entries made from here on are not submitted.</summary>
    internal void StopLooping() => IsLooping = false;

    /// <summary>The thread is no longer the reactor's, but a handler's that blocks.</summary>
    internal static void LeaveThread()
    {
        s_current = null;
    }

    /// <summary>Whether an operation is in flight or a connection waits for the end of the turn.</summary>
    internal bool HasUnfinished => Operations.InFlight > 0 || _dirty.Count > 0;

    /// <summary>Closes what is not the ring's. Threads: any, once.</summary>
    internal void CloseDescriptors()
    {
        _wakeTarget.Close();
        Memory.ClosePages();
        Clock.Dispose();
    }

    /// <summary>Releases the room that a burst took in queues that are empty.</summary>
    internal void TrimQueues()
    {
        _work.Trim();
        if (_dirty.Count == 0 && _dirty.Capacity > Trimmer.LeastQueueCapacity)
        {
            _dirty.Capacity = 0;
        }
    }

    /// <summary>The connection has work for the end of this turn.</summary>
    internal void MarkDirty(RingConnection connection) => _dirty.Add(connection);

    /// <summary>A zeroed entry for an operation of the slot's target, counted as in flight.</summary>
    internal Sqe* Prepare(OperationKind kind, int slotIndex)
    {
        Debug.Assert(IsCurrent);
        Sqe* entry = Ring.NextEntry();
        OperationId id = Operations.Begin(kind, slotIndex);
        entry->UserData = id.UserData;
        if (IoxideEventSource.TracesOperations)
        {
            this.Trace(id);
        }

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

    /// <summary>A cancel completed. Where the kernel found nothing and the operation is still in flight, it is asked again.</summary>
    /// <remarks>
    /// An operation that is tried again, or on its way to a worker, stands in no list of the kernel for a moment: a cancel then ends with
    /// ENOENT, and the operation waits on (seen with connects to a full listener of a Unix socket, Linux 6.18).
    /// </remarks>
    internal void CompleteCancel(OperationKind cancelKind, OperationKind kind, int slotIndex, int result, bool isInFlight)
    {
        if (result == -Errno.ENOENT && isInFlight)
        {
            PrepareCancel(cancelKind, kind, slotIndex);
        }
    }

    /// <summary>Makes the ring ready for the calling thread. An exception is the caller's of <see cref="ReactorGroup.Start"/>.</summary>
    internal void Begin()
    {
        Ring.Enable();
        Ring.TryOut();
        if (Options.BusyPollMicroseconds > 0 && Ring.EnableBusyPoll((uint)Options.BusyPollMicroseconds) is < 0 and int refused)
        {
            this.ReportUnhandled(Errno.ToIOException(-refused, "turn on busy polling (it needs io_uring on Linux 6.9)"));
        }

        Buffers = new ReceiveBuffers(this);
        _wakeTarget.Watch();
        Clock.Open();
    }

    /// <summary>Turns until a stop is requested. Throws where the ring fails.</summary>
    internal void Loop()
    {
        StartLooping();
        while (!End.IsRequested)
        {
            Turn();
        }
    }

    /// <summary>One turn inside a wait of the application. A stop ends the reactor here.</summary>
    internal void TurnBlocked()
    {
        Exception? fault = null;
        try
        {
            Turn();
        }
        catch (Exception exception)
        {
            // The ring failed, not the handler: the reactor ends, and the handler's wait continues undisturbed.
            fault = exception;
        }

        if (End.IsRequested || End.HasBegun || fault is not null)
        {
            End.Run(fault);
            End.IsRequested = true;
        }
    }

    /// <summary>One pass of the loop. It waits for completions, unless there is work.</summary>
    internal void Turn()
    {
        _turns++;
        if (Work.RunPosted() > 0)
        {
            // Other threads post in bursts: yield once, since a wake-up for each item costs both sides a switch.
            Kernel.Yield();
            Work.RunPosted();
        }

        Guarded(static reactor => reactor.Timers.Advance(reactor.Wait.TimeOfTurn));
        if (Blocked.HasOutlivedReactor)
        {
            return;
        }

        if (!IsBlocked)
        {
            Thread.Reset();
        }

        EndTurnOfConnections();
        Buffers.RearmStarved();
        Buffers.Publish();
        Wait.SubmitAndWait();
        Guarded(static reactor => reactor.HandleCompletions());
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

    private void HandleCompletions()
    {
        // Only the completions that are there now: later ones belong to the next turn. A blocked wait may already have handled these and more.
        for (uint end = Ring.Cq.Tail; !Blocked.HasOutlivedReactor && Ring.Cq.IsBefore(end);)
        {
            Cqe completion = Ring.Cq.Read();
            Counters.Completions++;
            var id = new OperationId(completion.UserData);
            if (IoxideEventSource.TracesOperations)
            {
                this.Trace(id, completion.Result);
            }

            bool isNothingAhead = _work.LocalCount == 0;
            Operations.End(id, completion.Flags).Complete(id.Kind, completion.Result, completion.Flags);
            if (isNothingAhead)
            {
                Work.RunBehindCompletion();
            }
        }

        if (!Blocked.HasOutlivedReactor)
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
                this.ReportUnhandled(exception);
            }
        }
    }
}
