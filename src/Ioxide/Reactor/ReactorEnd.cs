namespace Ioxide;

/// <summary>How a reactor ends: everything open is aborted, the last completions arrive, what was posted meanwhile still runs.</summary>
/// <remarks>
/// <code>
/// turning --stop, or the ring failed--> ending --nothing in flight, or the limit--> ended --ring closed
/// </code>
/// A handler that blocks does not hold it up: the end runs on the blocked stack, and the thread is the handler's from then on
/// (<see cref="BlockedWait.HasOutlivedReactor"/>). Threads: the reactor's, where a member says nothing else.
/// </remarks>
internal sealed class ReactorEnd(Reactor reactor, WorkQueue work)
{
    /// <summary>How long an ending reactor waits for the kernel to end the operations in flight.</summary>
    internal static readonly TimeSpan Limit = TimeSpan.FromSeconds(5);

    private readonly TaskCompletionSource _over = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _lateWorkLock = new();
    private readonly Alarm _alarm = new();
    private bool _hasEnded;

    /// <summary>The loop stops at the end of its turn.</summary>
    internal bool IsRequested { get; set; }

    /// <summary>No new operation begins.</summary>
    internal bool HasBegun { get; private set; }

    /// <summary>The reactor turns no more. Threads: any.</summary>
    internal bool HasEnded => Volatile.Read(ref _hasEnded);

    /// <summary>Completes when the thread has released everything. Threads: any.</summary>
    internal Task Over => _over.Task;

    /// <summary>The loop never began: the ring is closed.</summary>
    internal void WithoutBegin()
    {
        CloseRing();
        _over.SetResult();
    }

    /// <summary>The loop is over.</summary>
    /// <param name="fault">Why the ring can no longer be driven, or null after a stop.</param>
    internal void Run(Exception? fault)
    {
        HasBegun = true;
        var reason = new ObjectDisposedException($"Reactor {reactor.Id} has ended.", fault);
        if (fault is null)
        {
            AbortAndWait(reason);
        }

        if (reactor.Blocked.HasOutlivedReactor)
        {
            // The end came on the stack of a handler that blocked, in the loop or above.
            return;
        }

        reactor.StopLooping();
        foreach (RingConnection connection in reactor.Operations.Targets.OfType<RingConnection>())
        {
            // Before the end is seen: a read of another thread that fails by it finds the reason.
            connection.NoteReactorEnded(reason);
        }

        Volatile.Write(ref _hasEnded, true);

        // Orders the flag before the look at the queues (RunLateWork); pairs with the fence of WorkQueue.EnqueueRemote.
        Interlocked.MemoryBarrier();
        if (reactor.Operations.InFlight > 0)
        {
            EndWithoutRing(reason);
        }

        EndTimers(reason);
        DisposeServices();
        RunLateWork();
        reactor.Blocked.ReactorEnded();
        reactor.Ring.ReleaseThread();
        if (fault is not null)
        {
            reactor.ReportFault(fault);
        }

        reactor.Announce(WorkItem.Of(reactor, static reactor => IoxideEventSource.Log.ReactorStop(reactor.Id)));
        if (reactor.IsBlocked)
        {
            // The code that waits for the end closes the ring accordingly.
            reactor.Blocked.OutliveReactor();
            Reactor.LeaveThread();
        }

        _over.SetResult();
    }

    /// <summary>Work that raced with the end: its connection is closed, and its waiters are notified. Threads: any, after the end.</summary>
    internal void RunLateWork()
    {
        lock (_lateWorkLock)
        {
            while (work.TryDequeueLocal(out WorkItem item) || work.TryDequeueRemote(out item))
            {
                reactor.Work.Run(item);
            }
        }
    }

    /// <summary>Closes the ring of a reactor that has ended, or that never turned. Threads: any, once.</summary>
    internal void CloseRing()
    {
        if (reactor.Blocked.HasOutlivedReactor)
        {
            // The handler that blocks returns through the loop one day: what the loop names stays mapped.
            reactor.Ring.CloseDescriptor();
            reactor.CloseDescriptors();
            reactor.Kernel.KeepForGood(reactor);
            return;
        }

        reactor.Ring.Dispose();
        reactor.CloseDescriptors();
        if (reactor.Operations.InFlight > 0)
        {
            // The kernel did not end everything in time and may still write: the memory is never freed.
            reactor.Kernel.KeepForGood(reactor);
            return;
        }

        reactor.Buffers?.Dispose();
        reactor.Memory.Dispose();
    }

    private void AbortAndWait(Exception reason)
    {
        try
        {
            long limit = reactor.Kernel.Timestamp() + (long)(Limit.TotalSeconds * Stopwatch.Frequency);
            while (!reactor.Blocked.HasOutlivedReactor && reactor.HasUnfinished && reactor.Kernel.Timestamp() < limit)
            {
                // Operations started meanwhile are notified too.
                foreach (ICompletionTarget target in reactor.Operations.Targets)
                {
                    target.ReactorEnded(reason);
                }

                // The stop must check regularly whether its limit has passed.
                reactor.Timers.Remove(_alarm);
                reactor.Timers.Add(_alarm, reactor.NowTick() + 10);
                IsRequested = false;
                reactor.Turn();
                IsRequested = true;
            }
        }
        catch (Exception exception)
        {
            reactor.ReportUnhandled(exception);
        }
    }

    private void EndTimers(Exception reason)
    {
        foreach (TimerEntry timer in reactor.Timers.RemoveAll())
        {
            Try(timer, timer => timer.NeverDue(reason));
        }
    }

    private void DisposeServices()
    {
        foreach (IDisposable service in reactor.Services.OfType<IDisposable>())
        {
            var dispose = WorkItem.Of(service, static service => service.Dispose());
            if (reactor.IsBlocked)
            {
                // Application code must not run on a blocked stack.
                reactor.RunOnThreadPool(dispose);
            }
            else
            {
                reactor.RunGuarded(dispose);
            }
        }
    }

    /// <summary>The ring can no longer be driven; descriptors are closed directly. The ring's memory stays until it is closed.</summary>
    private void EndWithoutRing(Exception reason)
    {
        foreach (ICompletionTarget target in reactor.Operations.Targets)
        {
            Try(target, target => target.EndWithoutRing(reason));
        }
    }

    private void Try<T>(T target, Action<T> action)
    {
        try
        {
            action(target);
        }
        catch (Exception exception)
        {
            reactor.ReportUnhandled(exception);
        }
    }

    private sealed class Alarm : TimerEntry
    {
        internal override void OnDue()
        {
        }
    }
}
