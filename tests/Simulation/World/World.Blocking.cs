namespace Ioxide.Simulation;

/// <summary>Application code that blocks the reactor's thread, and what must hold meanwhile.</summary>
internal sealed partial class World
{
    private const int MostBlocks = 40;
    private const long LongestBlockNs = 5_000_000_000;
    private const long LatestNs = 30_000_000;

    private int _depth;
    private int _blocks;
    private bool _isInRuntimeWait;
    private bool _isReleased;
    private bool _isRingClosed;
    private bool _isRingBroken;

    internal override SynchronizationContext? ThreadPoolContext => _poolContext;

    /// <summary>The reactor was stopped while things went on, or ended below a blocked handler.</summary>
    private bool IsCutShort => Plan.StopsEarlyAfterUs is not null || _isStoppedForBlock || _isRingBroken;

    private bool _isStoppedForBlock;

    /// <summary>The ring has failed: nothing can be given back through it.</summary>
    internal bool IsRingBroken => _isRingBroken;

    /// <summary>The end came while a handler blocked.</summary>
    internal bool HasEndedBlocked { get; private set; }

    /// <summary>Whether the calling code runs on the reactor's thread.</summary>
    internal bool IsOnReactor => !_isElsewhere && Reactor.IsCurrent;

    /// <summary>Draws whether the application blocks here. Nobody but the reactor has anything to hold up.</summary>
    internal bool Blocks(BlockSite site) => Plan.BlockChance > 0 && IsOnReactor && _blocks < MostBlocks && _dice.Chance(BlockChanceAt(site));

    /// <summary>Application code runs.</summary>
    internal void CheckApplication()
    {
        if (_isElsewhere || !_isRunning)
        {
            return;
        }

        if (_depth > 0)
        {
            Violated($"application code runs on the stack of a blocked handler: {Environment.StackTrace}");
        }
        else if (Reactor.IsCurrent && !Reactor.HasEnded
            && !ReferenceEquals(SynchronizationContext.Current, Reactor.SynchronizationContext))
        {
            Violated($"application code runs under {SynchronizationContext.Current?.GetType().Name ?? "no context"}");
        }
    }

    /// <summary>What a completed operation calls: queues itself where that belongs on the thread pool.</summary>
    internal Action Move(Action continuation) => () =>
    {
        if (ReferenceEquals(SynchronizationContext.Current, _poolContext))
        {
            RunElsewhere(continuation);
        }
        else
        {
            continuation();
        }
    };

    /// <summary>Blocks as a managed wait does, until the predicate holds. False where the wait was interrupted or its limit was over.</summary>
    /// <param name="site">Where the application does it.</param>
    /// <param name="isOver">Looked at whenever the wait looks at its handles.</param>
    /// <param name="second">A second handle, or null.</param>
    /// <param name="waitAll">Whether both must be signalled.</param>
    /// <param name="timeoutMs">Its limit, or -1.</param>
    internal bool Block(BlockSite site, Func<bool> isOver, Func<bool>? second = null, bool waitAll = false, int timeoutMs = -1)
    {
        CheckApplication();
        _blocks++;
        Mark($"blocked: {site}");
        SynchronizationContext? context = SynchronizationContext.Current;
        long started = NowNs;
        int interruption = _dice.Chance(30) ? _dice.Below(20) : -1;
        var probe = new RuntimeProbe(this);
        probe.Start();
        nint[] handles = second is null ? [_kernel.MakeHandle(IsOver)] : [_kernel.MakeHandle(IsOver), _kernel.MakeHandle(second)];
        int result;
        _depth++;
        try
        {
            result = WaitAsManagedCodeDoes(handles, waitAll, timeoutMs);
        }
        catch (ThreadInterruptedException)
        {
            Mark("blocked: interrupted");
            result = WaitHandle.WaitTimeout;
            timeoutMs = -1;
        }
        finally
        {
            _depth--;
        }

        CheckWoken(site, context);
        bool isSignalled = result != WaitHandle.WaitTimeout;
        if (timeoutMs >= 0)
        {
            CheckLimit(site, isSignalled, NowNs - started, timeoutMs);
        }

        return isSignalled;

        bool IsOver()
        {
            if (NowNs - started > LongestBlockNs)
            {
                Violated($"a handler blocks for ever, {site}");
                throw new ViolationException(Violation!);
            }

            if (NowNs - started > LatestNs && !probe.IsOver && !Reactor.HasEnded)
            {
                Violated($"the runtime's own code does not get on beside a handler that blocks, {site}");
            }

            if (interruption >= 0 && interruption-- == 0)
            {
                throw new ThreadInterruptedException();
            }

            return isOver();
        }
    }

    /// <summary>A wait of the runtime's own code, such as for a lock that another thread holds: it turns nothing.</summary>
    internal void WaitInRuntime(int milliseconds)
    {
        long enters = _kernel.Enters;
        bool wasInRuntimeWait = _isInRuntimeWait;
        _isInRuntimeWait = true;
        _ = WaitAsManagedCodeDoes([_kernel.MakeHandle(static () => false)], waitAll: false, milliseconds);
        _isInRuntimeWait = wasInRuntimeWait;
        if (_kernel.Enters != enters)
        {
            Violated("a wait of the runtime's own code turned the ring");
        }
    }

    /// <summary>Somebody waits for what comes with the stop only, so the stop has to come.</summary>
    internal bool WaitsForStop()
    {
        if (!_isStoppedForBlock)
        {
            _isStoppedForBlock = true;
            Schedule(WorldEventKind.Stop, delayNs: _dice.Below(5_000_000));
        }

        return _isReleased && (Plan.WakesBeforeEnd || Reactor.Ended.IsCompleted);
    }

    /// <summary>Where the seed has it, the ring breaks while a handler blocks.</summary>
    internal override bool BreaksRing()
    {
        if (!_isRingBroken && Plan.BreaksRing && Reactor.IsBlocked && _dice.Chance(50))
        {
            Mark("stop: the ring broke below a blocked handler");
            _isRingBroken = true;
            _isStopping = true;
            Schedule(WorldEventKind.Release, delayNs: _dice.Below(20_000_000));
        }

        if (_isRingBroken)
        {
            _kernel.NowNs += 50_000;
        }

        return _isRingBroken;
    }

    internal Peer SomePeer() => _peers.Values.ElementAt(_dice.Below(_peers.Count));

    internal int OpenFile(DataFile file) => _kernel.Open(file);

    internal void CloseFile(int descriptor) => _kernel.CloseOfApplication(descriptor);

    internal override void WaitsPlainly()
    {
        if (!Reactor.Ended.IsCompleted)
        {
            if (!_isInRuntimeWait)
            {
                Violated("a handler blocks, and the ring does not turn");
                throw new ViolationException(Violation!);
            }

            return;
        }

        if (!HasEndedBlocked)
        {
            HasEndedBlocked = true;
            Mark("stop: below a blocked handler");
            _kernel.NoteEnd();
            if (_dice.Chance(500))
            {
                ActElsewhere(CloseRing);
            }
        }

        if (!_elsewhere.IsEmpty)
        {
            ActElsewhere(RunOneElsewhere);
        }
        else if (_events.Count == 0)
        {
            _isReleased = true;
        }
    }

    private int BlockChanceAt(BlockSite site)
    {
        // Seldom, and where it went wrong.
        if (Reactor.HasEnded || (_isUnbound && site == BlockSite.InAccept))
        {
            return 800;
        }

        return site is BlockSite.InAccept or BlockSite.InToken or BlockSite.AtEnd ? 3 * Plan.BlockChance : Plan.BlockChance;
    }

    private int WaitAsManagedCodeDoes(nint[] handles, bool waitAll, int timeoutMs)
        => SynchronizationContext.Current is { } context && context.IsWaitNotificationRequired()
            ? context.Wait(handles, waitAll, timeoutMs)
            : _kernel.WaitHandles(handles, waitAll, timeoutMs);

    private void CheckWoken(BlockSite site, SynchronizationContext? context)
    {
        if (!ReferenceEquals(SynchronizationContext.Current, context))
        {
            Violated($"a handler that blocked has lost its context, {site}");
        }

        if (!Reactor.Ended.IsCompleted && (Reactor.IsBlocked || !IsOnReactor))
        {
            Violated($"a handler that blocked is not back on its reactor, {site}");
        }

        if (Reactor.Ended.IsCompleted && Reactor.IsCurrent)
        {
            Violated("the thread of a reactor that has ended still counts as its");
        }
    }

    private void CheckLimit(BlockSite site, bool isSignalled, long elapsedNs, int timeoutMs)
    {
        long limitNs = timeoutMs * 1_000_000L;
        if (!isSignalled && elapsedNs < limitNs)
        {
            Violated($"a wait of {timeoutMs} ms was over after {elapsedNs / 1e6} ms, {site}");
        }
        else if (elapsedNs > limitNs + LatestNs)
        {
            Violated($"a wait of {timeoutMs} ms took {elapsedNs / 1e6} ms, {site}");
        }
    }

    private void CloseRing()
    {
        if (!_isRingClosed)
        {
            _isRingClosed = true;
            _isClosingRing = true;
            Reactor.End.CloseRing();
            _isClosingRing = false;
        }
    }
}
