namespace Ioxide;

/// <summary>Application code that blocks a reactor's thread in a managed wait: the ring turns inside the wait until the wait is over.</summary>
/// <remarks>
/// <para>Rules, each with its test (ARCHITECTURE.md, "Blocked handlers"):</para>
/// <para>1. A wait turns the ring only under the application's context, that is inside <see cref="Reactor.EnterApplication"/>. Waits of the
/// runtime's own code are plain, because its state may be half changed.</para>
/// <para>2. No application code runs on the blocked stack: a lock that the blocked handler holds is re-entrant on its thread. Application
/// code resumes on the thread pool (<see cref="ReactorAwaitable{TResult}"/>, <see cref="WorkOwner.Application"/>), and
/// callbacks that were promised the reactor wait (<see cref="WorkOwner.ReactorBound"/>). So the depth is one.</para>
/// <para>3. The runtime's own code stays on the reactor (<see cref="RuntimeContext"/>).</para>
/// <para>4. Loops of a turn read queues, lists and heads again after each call of application code: a blocked wait may have moved them.</para>
/// <para>5. What runs meanwhile, and what that starts, has no part in the <see cref="ExecutionContext"/> of the blocked code.</para>
/// <para>6. A stop ends the reactor on the blocked stack. The thread then belongs to the handler alone: <see cref="Reactor.IsCurrent"/> is
/// false, the ring and buffers stay mapped for good, and when the handler returns the loop exits without touching them.</para>
/// <para>Threads: the reactor's, where a member says nothing else.</para>
/// </remarks>
internal sealed class BlockedWait(Reactor reactor, WorkQueue work)
{
    private const long FirstPollNs = 50_000;
    private const long LongestPollNs = 1_000_000;

    // A wait of this length joins the queue of its handle; a shorter one costs no other thread.
    private const long QueueAfterNs = 5_000_000;

    // In the queue, looks serve Thread.Interrupt alone.
    private const long PollInQueueNs = 20_000_000;

    // The next look at the handles may be late by this share of the wait so far.
    private const int PollShare = 32;

    // Application code that waits this long must not run on a reactor.
    private static readonly TimeSpan s_longWait = TimeSpan.FromMilliseconds(1);

    private readonly Queue<WorkItem> _callbacksUntilHandlerReturns = new();

    // Callbacks of Reactor.Post that were held while a handler blocked and now lead the local queue. Remote work waits until they have run, to
    // keep the order of posts.
    private int _promisedCallbacksAhead;
    private long _since;
    private QueuedWait? _queued;

    // The wait before this one was long, so this one joins its queue at once: under contention it mostly is as long, and a lock that another
    // thread took first is waited for again.
    private bool _wasLong;

    // The loop's execution context; null where the caller turns the ring in place of a loop.
    private ExecutionContext? _flow;

    // The limit of one wait for completions inside a blocked wait; negative where the reactor is not blocked.
    private long _longestWaitNs = -1;

    /// <summary>A handler blocks the reactor's thread now. A snapshot on other threads.</summary>
    internal bool IsOngoing { get; private set; }

    /// <summary>The reactor has ended below a handler that blocks: nothing of it may be touched when the handler returns.</summary>
    internal bool HasOutlivedReactor { get; private set; }

    /// <summary>
    /// How to continue the runtime code that called the application from the middle of its work, where the application blocks. The caller sets
    /// it before each such call and clears it after; the default value where there is nothing to continue.
    /// </summary>
    internal WorkItem Resume { get; set; }

    /// <summary>When the current wait began, in ticks of the clock, or 0. Threads: any.</summary>
    internal long Since => Volatile.Read(ref _since);

    /// <summary>What blocks: a connection, or the host's note. Threads: any, for its text alone.</summary>
    internal object? Activity { get; private set; }

    /// <summary>Number of application waits that blocked the reactor's thread so far.</summary>
    internal long Count { get; private set; }

    /// <summary>Work that other threads posted may run: no callback that was posted before it still waits.</summary>
    internal bool LetsRemoteWorkRun => _promisedCallbacksAhead == 0;

    /// <summary>The loop begins on this thread.</summary>
    internal void LoopBegins() => _flow = ExecutionContext.Capture();

    /// <summary>Waits for the handles on behalf of application code, and turns the ring meanwhile.</summary>
    internal int Wait(nint[] handles, bool waitAll, int timeoutMs)
    {
        if (IsOngoing || !reactor.IsLooping)
        {
            return reactor.Kernel.WaitHandles(handles, waitAll, timeoutMs);
        }

        SynchronizationContext? context = SynchronizationContext.Current;
        ThreadTimes before = reactor.Clock.Sample;
        Activity = reactor.Activity;
        long started = reactor.Kernel.Timestamp();
        Begin(started);
        try
        {
            return TurnInFlowOfLoop(handles, waitAll, timeoutMs, started);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(context);
            if (HasOutlivedReactor)
            {
                _queued?.Dispose();
            }
            else
            {
                End();
                reactor.Activity = Activity;
                Activity = null;
                TimeSpan duration = Stopwatch.GetElapsedTime(started, reactor.Kernel.Timestamp());
                if (duration >= s_longWait && (duration = reactor.Clock.Held(duration, before)) >= s_longWait)
                {
                    reactor.Ran.ReportBlocked(duration);
                }
            }
        }
    }

    /// <summary>The longest wait for completions, in nanoseconds, where the loop alone would wait this long; negative is without limit.</summary>
    internal long Limit(long timeoutNs)
        => _longestWaitNs < 0 ? timeoutNs : timeoutNs < 0 ? _longestWaitNs : Math.Min(timeoutNs, _longestWaitNs);

    /// <summary>The loop takes this item of the application: a held-back callback is over.</summary>
    internal void Took(in WorkItem item)
    {
        if (_promisedCallbacksAhead > 0 && item.Owner == WorkOwner.ReactorBound)
        {
            _promisedCallbacksAhead--;
        }
    }

    /// <summary>Application code that a blocked reactor, or one that has ended, does not run itself.</summary>
    internal void RunOnPool(in WorkItem item)
    {
        if (item.Owner == WorkOwner.ReactorBound && reactor.IsCurrent)
        {
            _callbacksUntilHandlerReturns.Enqueue(item);
            return;
        }

        reactor.RunOnThreadPool(item);
    }

    /// <summary>The reactor has ended: callbacks that were promised to it run elsewhere, in order.</summary>
    internal void ReactorEnded()
    {
        if (!IsOngoing)
        {
            _queued?.Dispose();
        }

        if (_callbacksUntilHandlerReturns.Count > 0)
        {
            reactor.Kernel.QueueToThreadPool(
                static work =>
                {
                    foreach (WorkItem item in work.Items)
                    {
                        work.Reactor.RunGuarded(item);
                    }
                },
                (Reactor: reactor, Items: _callbacksUntilHandlerReturns.ToArray()));
            _callbacksUntilHandlerReturns.Clear();
        }
    }

    /// <summary>The reactor has ended on the blocked stack: from here on the thread is the handler's alone.</summary>
    internal void OutliveReactor()
    {
        TimeSpan blockedFor = Stopwatch.GetElapsedTime(Since, reactor.Kernel.Timestamp());
        object? activity = Activity;
        reactor.RaiseEvent(events => events.StoppedUnderHandler(reactor.Id, blockedFor, activity));
        HasOutlivedReactor = true;
    }

    private int TurnInFlowOfLoop(nint[] handles, bool waitAll, int timeoutMs, long started)
    {
        if (_flow is not { } flow)
        {
            return TurnUntilSignalled(handles, waitAll, timeoutMs, started);
        }

        // Brings back the blocked code's afterwards, also where its flow is suppressed.
        int signalled = 0;
        ExecutionContext.Run(flow, _ => signalled = TurnUntilSignalled(handles, waitAll, timeoutMs, started), null);
        return signalled;
    }

    private int TurnUntilSignalled(nint[] handles, bool waitAll, int timeoutMs, long started)
    {
        Kernel kernel = reactor.Kernel;
        bool mayQueue = handles.Length == 1;
        long queueAfterNs = _wasLong ? 0 : QueueAfterNs;
        _wasLong = false;
        while (true)
        {
            // No plain wait first: the handler mostly waits for something that needs this reactor.
            int signalled = kernel.WaitHandles(handles, waitAll, 0);
            if (signalled != WaitHandle.WaitTimeout)
            {
                return signalled;
            }

            long leftNs = LeftNs(timeoutMs, started, out long elapsedNs);
            if (leftNs <= 0)
            {
                return WaitHandle.WaitTimeout;
            }

            if (HasOutlivedReactor)
            {
                return kernel.WaitHandles(handles, waitAll, ToMilliseconds(leftNs));
            }

            if (mayQueue && elapsedNs >= queueAfterNs)
            {
                mayQueue = false;
                if (TurnWhileQueued(handles[0], timeoutMs, started))
                {
                    return 0;
                }

                continue;
            }

            _longestWaitNs = Math.Min(leftNs, Math.Clamp(elapsedNs / PollShare, FirstPollNs, LongestPollNs));
            reactor.TurnBlocked();
        }
    }

    /// <summary>True if the handle was signalled for this wait; false if the limit is over, or if only the reactor's own thread may look.</summary>
    private bool TurnWhileQueued(nint handle, int timeoutMs, long started)
    {
        _queued ??= reactor.Kernel.MakeQueuedWait(
            $"Ioxide reactor {reactor.Id} waits", () => reactor.Enqueue(reactor, static _ => { }));
        _queued.Begin(handle);
        try
        {
            while (LeftNs(timeoutMs, started, out _) is > 0 and long leftNs
                && !_queued.IsAnswered(HasOutlivedReactor ? ToMilliseconds(leftNs) : 0))
            {
                if (!HasOutlivedReactor)
                {
                    _longestWaitNs = Math.Min(leftNs, PollInQueueNs);
                    reactor.TurnBlocked();
                }
            }
        }
        catch (ThreadInterruptedException)
        {
            if (!_queued.Withdraw())
            {
                throw;
            }

            // The signal is taken, and would be lost. The next wait of the handler is interrupted.
            Thread.CurrentThread.Interrupt();
            return true;
        }

        _ = LeftNs(timeoutMs, started, out long elapsedNs);
        _wasLong = elapsedNs >= LongestPollNs;
        return _queued.Withdraw();
    }

    private long LeftNs(int timeoutMs, long started, out long elapsedNs)
    {
        elapsedNs = ToNanoseconds(reactor.Kernel.Timestamp() - started);
        return timeoutMs < 0 ? long.MaxValue : (timeoutMs * 1_000_000L) - elapsedNs;
    }

    private static long ToNanoseconds(long ticks) => ticks * (1_000_000_000 / Stopwatch.Frequency);

    /// <summary>Rounded up; -1 is without limit.</summary>
    private static int ToMilliseconds(long nanoseconds) => nanoseconds == long.MaxValue ? -1 : (int)((nanoseconds + 999_999) / 1_000_000);

    private void Begin(long now)
    {
        IsOngoing = true;
        Volatile.Write(ref _since, now);
        Count++;
        SynchronizationContext.SetSynchronizationContext(reactor.RuntimeContext);
        if (!Resume.IsNothing)
        {
            work.EnqueueLocal(Resume);
            Resume = default;
        }
    }

    private void End()
    {
        _longestWaitNs = -1;
        Volatile.Write(ref _since, 0);
        IsOngoing = false;

        // In the order in which they were posted, ahead of later posts and of everything that other threads have posted since.
        int later = _callbacksUntilHandlerReturns.Count == 0 ? 0 : work.LocalCount;
        _promisedCallbacksAhead += _callbacksUntilHandlerReturns.Count;
        while (_callbacksUntilHandlerReturns.TryDequeue(out WorkItem item))
        {
            work.EnqueueLocal(item);
        }

        for (; later > 0 && work.TryDequeueLocal(out WorkItem item); later--)
        {
            work.EnqueueLocal(item);
        }
    }
}
