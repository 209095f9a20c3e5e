namespace Ioxide;

/// <summary>Checks from outside whether the reactors turn, reports a stalled one, and accepts for a stuck one.</summary>
/// <remarks>
/// <para>A blocked handler cannot report itself. The watchdog costs the reactor nothing: it reads the reactor's clock. It has its own
/// thread, because blocking handlers would also keep a thread pool timer from running.</para>
/// <para>A reactor without a processor is not stalled, and no other reactor accepts for it: it gets its share again without help, and the thread that
/// would accept takes its time from the same quota.</para>
/// </remarks>
internal sealed class Watchdog : IDisposable
{
    // While a reactor is stuck, a connection that the kernel gave to it waits this long at most.
    private static readonly TimeSpan s_rescueInterval = TimeSpan.FromMilliseconds(10);

    private readonly ReactorGroup _group;
    private readonly TimeSpan _interval;
    private readonly StallWatch[] _stalls;
    private readonly StallWatch[] _blocks;
    private readonly ShortageWatch _shortage;

    // What each reactor ran at the last look: what runs at two looks has run in between, and not only since the culprit returned.
    private readonly object?[] _pieces;
    private readonly ManualResetEvent _isDisposed = new(initialState: false);
    private readonly Thread _thread;

    internal Watchdog(ReactorGroup group)
    {
        _group = group;
        TimeSpan threshold = group.Options.StallThreshold;
        _interval = TimeSpan.FromMilliseconds(Math.Clamp(threshold.TotalMilliseconds / 4, 10, 250));
        _stalls = [.. group.Reactors.Select(_ => new StallWatch(Ticks(threshold), Stopwatch.Frequency))];
        _blocks = [.. group.Reactors.Select(_ => new StallWatch(Ticks(threshold), Stopwatch.Frequency))];
        _pieces = new object?[group.Reactors.Count];
        _shortage = new ShortageWatch(threshold);
        _thread = new Thread(Watch) { IsBackground = true, Name = "Ioxide watchdog" };
    }

    internal void Start() => _thread.UnsafeStart();

    /// <summary>Ends the thread without waiting for it: a report may be stopping the group.</summary>
    public void Dispose() => _isDisposed.Set();

    private void Watch()
    {
        bool anyStuck = false;
        while (!_isDisposed.WaitOne(anyStuck && _interval > s_rescueInterval ? s_rescueInterval : _interval))
        {
            anyStuck = false;
            for (int index = 0; index < _stalls.Length; index++)
            {
                Reactor reactor = _group.Reactors[index];
                TurnTimes turn = reactor.HasEnded ? default : reactor.Clock.Read();
                Look(reactor, turn, _stalls[index], ref _pieces[index]);
                LookForBlock(reactor, _blocks[index]);
                _shortage.Look(reactor, turn);
                anyStuck |= _stalls[index].IsStuck;
            }
        }

        _isDisposed.Dispose();
    }

    /// <summary>A handler blocks in a wait: the reactor turns inside it, and its application code runs on the thread pool.</summary>
    private static void LookForBlock(Reactor reactor, StallWatch block)
    {
        long since = reactor.HasEnded ? 0 : reactor.Blocked.Since;
        TimeSpan duration = since == 0 ? TimeSpan.Zero : Stopwatch.GetElapsedTime(since);
        StallChange change = block.Look(since, Ticks(duration), Stopwatch.GetTimestamp());
        if ((change & (StallChange.Began | StallChange.Repeated)) != 0)
        {
            IoxideEventSource.Log.ReactorBlocked(reactor.Id, (long)duration.TotalMilliseconds);
            reactor.RaiseEvent(events => events.ReactorBlocked(reactor.Id, duration, reactor.Blocked.Activity));
        }
    }

    private static long Ticks(TimeSpan time) => (long)(time.TotalSeconds * Stopwatch.Frequency);

    private void Look(Reactor reactor, in TurnTimes turn, StallWatch stall, ref object? piece)
    {
        TimeSpan duration = turn.Held;
        object? before = piece;
        piece = reactor.Ran.RunningPiece;
        StallChange change = stall.Look(turn.Started, Ticks(duration), Stopwatch.GetTimestamp());
        reactor.IsStuck = stall.IsStuck;
        if (stall.IsStuck)
        {
            _group.AcceptFor(reactor);
        }

        if (change == StallChange.None)
        {
            return;
        }

        if (change.HasFlag(StallChange.Ended))
        {
            TimeSpan lasted = Stopwatch.GetElapsedTime(0, stall.Lasted);
            IoxideEventSource.Log.ReactorRecovered(reactor.Id, (long)lasted.TotalMilliseconds);
            reactor.RaiseEvent(events => events.ReactorRecovered(reactor.Id, lasted));
        }

        if (change.HasFlag(StallChange.Began))
        {
            reactor.Stalls++;
        }

        if ((change & (StallChange.Began | StallChange.Repeated)) != 0)
        {
            IoxideEventSource.Log.ReactorStall(reactor.Id, (long)duration.TotalMilliseconds);
            reactor.RaiseEvent(events => events.ReactorStalled(reactor.Id, duration, reactor.Activity));
            if (piece is not null && ReferenceEquals(piece, before))
            {
                reactor.Ran.ReportHeld(duration, piece);
            }
        }

        if (change.HasFlag(StallChange.Stuck))
        {
            reactor.Ran.ReportHeld(duration, reactor.Ran.Running);
            bool isRelieved = _group.LeastLoaded(except: reactor) is not null;
            IoxideEventSource.Log.ReactorStuck(reactor.Id, (long)duration.TotalMilliseconds);
            reactor.RaiseEvent(events => events.ReactorStuck(reactor.Id, duration, reactor.Activity, isRelieved));
        }
    }
}
