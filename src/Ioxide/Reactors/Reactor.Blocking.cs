using System.Diagnostics;

namespace Ioxide;

/// <summary>Application code that blocks in a managed wait: the ring turns inside the wait until the wait is over.</summary>
/// <remarks>
/// <para>Rules, each with its test (ARCHITECTURE.md, "Blocked handlers"):</para>
/// <para>1. A wait turns the ring only under the application's context, that is inside <see cref="HandOver"/>. Waits of the
/// runtime's own code are plain, because its state may be half changed.</para>
/// <para>2. No application code runs on the blocked stack: a lock that the blocked handler holds is re-entrant on its thread. Application
/// code resumes on the thread pool (<see cref="ReactorAwaitable{TResult}"/>, <see cref="WorkOwner.Application"/>), and
/// callbacks that were promised the reactor wait (<see cref="WorkOwner.ReactorBound"/>). So the depth is one.</para>
/// <para>3. The runtime's own code stays on the reactor (<see cref="RuntimeContext"/>).</para>
/// <para>4. Loops of a turn read queues, lists and heads again after each call of application code: a blocked wait may have moved them.</para>
/// <para>5. A stop ends the reactor on the blocked stack. The thread then belongs to the handler alone: <see cref="IsCurrent"/> is false, the
/// ring and buffers stay mapped for good, and when the handler returns the loop exits without touching them.</para>
/// </remarks>
public sealed partial class Reactor
{
    private const long FirstPollNs = 50_000;
    private const long LongestPollNs = 1_000_000;

    // Application code that waits this long must not run on a reactor.
    private static readonly TimeSpan s_longWait = TimeSpan.FromMilliseconds(1);

    // The next look at the handles may be late by this share of the wait so far.
    private const int PollShare = 32;

    private readonly Queue<WorkItem> _heldBack = new();

    // Held-back callbacks at the head of the reactor's own queue. Work that other threads posted later waits behind them.
    private int _boundFirst;
    private bool _isBlocked;
    private bool _hasEndedBlocked;
    private long _blockedSince;

    // The limit of one wait for completions inside a blocked wait; negative where the reactor is not blocked.
    private long _longestWaitNs = -1;

    /// <summary>The context of the runtime's own code on this reactor.</summary>
    internal RuntimeContext RuntimeContext { get; }

    /// <summary>A handler blocks the reactor's thread in a wait, and the ring turns inside it. A snapshot on other threads.</summary>
    internal bool IsBlocked => _isBlocked;

    /// <summary>
    /// How to continue the runtime code that called the application from the middle of its work, where the application blocks. The caller sets
    /// it before each such call and clears it after; <see cref="WorkItem.Callback"/> is null where there is nothing to continue.
    /// </summary>
    internal WorkItem Interrupted { get; set; }

    /// <summary>When the current blocked wait began, in ticks of the clock, or 0. Threads: any.</summary>
    internal long BlockedSince => Volatile.Read(ref _blockedSince);

    /// <summary>What blocks: a connection, or the host's note. Threads: any, for its text alone.</summary>
    internal object? BlockedActivity { get; private set; }

    /// <summary>Number of application waits that blocked the reactor's thread so far.</summary>
    internal long BlockedWaits { get; private set; }

    /// <summary>
    /// Surrounds application code. It does nothing while the reactor is blocked: awaits that end inside it resume elsewhere, and application code
    /// must not be called directly. It does nothing after the reactor has ended either: no ring would turn while that code blocks.
    /// </summary>
    internal ContextScope HandOver() => IsCurrent && !_isBlocked && !HasEnded ? new ContextScope(SynchronizationContext) : default;

    /// <summary>The same without a context, for a resumption that completes a task of the application.</summary>
    /// <remarks>
    /// An await with <c>ConfigureAwait(false)</c> continues in place only on a thread without a context; otherwise the framework sends it to the
    /// thread pool (Task's IsValidLocationForInlining). Libraries await this way and would leave the reactor with each answer. An await that
    /// keeps its context is posted to it.
    /// </remarks>
    internal ContextScope HandOverWithoutContext()
        => IsCurrent && !_isBlocked && !HasEnded ? new ContextScope(null) : default;

    /// <summary>As <see cref="HandOver"/>, for the calling thread's reactor, if there is one.</summary>
    internal static ContextScope HandOverHere() => s_current is { } reactor ? reactor.HandOver() : default;

    /// <summary>As <see cref="TakeOver"/>, for the calling thread's reactor, if there is one.</summary>
    internal static ContextScope TakeOverHere() => s_current is { } reactor ? reactor.TakeOver() : default;

    /// <summary>
    /// Calls application code that needs no reactor, such as a logger or a metrics listener: on this thread, or on the thread pool while a
    /// handler blocks this thread.
    /// </summary>
    internal static void CallOut<TState>(Action<TState> call, TState state)
    {
        if (s_current is not { _isBlocked: true } reactor)
        {
            call(state);
            return;
        }

        reactor.Kernel.QueueToThreadPool(
            static work =>
            {
                try
                {
                    work.Call(work.State);
                }
                catch (Exception exception)
                {
                    work.Reactor.ReportUnhandled(exception);
                }
            },
            (Reactor: reactor, Call: call, State: state));
    }

    /// <summary>Surrounds runtime code that the application calls and that awaits something of its own.</summary>
    internal ContextScope TakeOver() => IsCurrent ? new ContextScope(RuntimeContext, isOfRuntime: true) : default;

    /// <summary>Waits for the handles on behalf of application code, and turns the ring meanwhile.</summary>
    internal int WaitInApplication(nint[] handles, bool waitAll, int timeoutMs)
    {
        if (_isBlocked || !_isLooping)
        {
            return Kernel.WaitHandles(handles, waitAll, timeoutMs);
        }

        SynchronizationContext? before = SynchronizationContext.Current;
        BlockedActivity = Activity;
        long started = Kernel.Timestamp();
        BeginBlocked(started);
        try
        {
            return TurnUntilSignalled(handles, waitAll, timeoutMs, started);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(before);
            if (!_hasEndedBlocked)
            {
                EndBlocked();
                Activity = BlockedActivity;
                BlockedActivity = null;
                TimeSpan duration = Stopwatch.GetElapsedTime(started, Kernel.Timestamp());
                if (duration >= s_longWait)
                {
                    ReportStall(duration);
                }
            }
        }
    }

    private int TurnUntilSignalled(nint[] handles, bool waitAll, int timeoutMs, long started)
    {
        while (true)
        {
            // No plain wait first: the handler mostly waits for something that needs this reactor.
            int signalled = Kernel.WaitHandles(handles, waitAll, 0);
            if (signalled != WaitHandle.WaitTimeout)
            {
                return signalled;
            }

            long elapsedNs = (Kernel.Timestamp() - started) * (1_000_000_000 / Stopwatch.Frequency);
            long leftNs = timeoutMs < 0 ? long.MaxValue : (timeoutMs * 1_000_000L) - elapsedNs;
            if (leftNs <= 0)
            {
                return WaitHandle.WaitTimeout;
            }

            if (_hasEndedBlocked)
            {
                return Kernel.WaitHandles(handles, waitAll, timeoutMs < 0 ? timeoutMs : (int)((leftNs + 999_999) / 1_000_000));
            }

            _longestWaitNs = Math.Min(leftNs, Math.Clamp(elapsedNs / PollShare, FirstPollNs, LongestPollNs));
            TurnBlocked();
        }
    }

    private void TurnBlocked()
    {
        Exception? fault = null;
        try
        {
            Turn(mayWait: true);
        }
        catch (Exception exception)
        {
            // The ring failed, not the handler: the reactor ends, and the handler's wait continues undisturbed.
            fault = exception;
        }

        if (_stopRequested || _isEnding || fault is not null)
        {
            End(fault);
            _stopRequested = true;
        }
    }

    private void BeginBlocked(long now)
    {
        _isBlocked = true;
        Volatile.Write(ref _blockedSince, now);
        BlockedWaits++;
        SynchronizationContext.SetSynchronizationContext(RuntimeContext);
        if (Interrupted.Callback is not null)
        {
            _work.EnqueueLocal(Interrupted);
            Interrupted = default;
        }
    }

    private void EndBlocked()
    {
        _longestWaitNs = -1;
        Volatile.Write(ref _blockedSince, 0);
        _isBlocked = false;

        // In the order in which they were posted, ahead of later posts and of everything that other threads have posted since.
        int later = _heldBack.Count == 0 ? 0 : _work.LocalCount;
        _boundFirst += _heldBack.Count;
        while (_heldBack.TryDequeue(out WorkItem item))
        {
            _work.EnqueueLocal(item);
        }

        for (; later > 0 && _work.TryDequeueLocal(out WorkItem item); later--)
        {
            _work.EnqueueLocal(item);
        }
    }

    /// <summary>Application code that a blocked reactor does not run itself.</summary>
    private void RunElsewhere(in WorkItem item)
    {
        if (item.Owner == WorkOwner.ReactorBound && IsCurrent)
        {
            _heldBack.Enqueue(item);
            return;
        }

        RunOnThreadPool(item);
    }

    /// <summary>Writes an event. Its listeners are application code.</summary>
    internal void Announce(in WorkItem item)
    {
        if (_isBlocked)
        {
            RunOnThreadPool(item);
        }
        else
        {
            item.Run();
        }
    }

    /// <summary>The reactor has ended: callbacks that were promised to it run elsewhere, in order.</summary>
    private void RunHeldBackElsewhere()
    {
        if (_heldBack.Count > 0)
        {
            Kernel.QueueToThreadPool(
                static work =>
                {
                    foreach (WorkItem item in work.Items)
                    {
                        work.Reactor.RunGuarded(item);
                    }
                },
                (Reactor: this, Items: _heldBack.ToArray()));
            _heldBack.Clear();
        }
    }

    /// <summary>Queues work that must not be lost: after the reactor has ended, it runs on the thread pool.</summary>
    internal void EnqueueOrElsewhere(in WorkItem item)
    {
        if (!TryEnqueue(item))
        {
            RunOnThreadPool(item);
        }
    }

    internal void RunOnThreadPool(in WorkItem item)
        => Kernel.QueueToThreadPool(
            static work => work.Reactor.RunGuarded(work.Item), (Reactor: this, Item: item));

    private void RunGuarded(in WorkItem item)
    {
        try
        {
            item.Run();
        }
        catch (Exception exception)
        {
            ReportUnhandled(exception);
        }
    }
}
