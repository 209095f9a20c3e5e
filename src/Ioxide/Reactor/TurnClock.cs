namespace Ioxide;

/// <summary>Times the turns of one thread, a reactor's, and splits the time of a long one by who spent it.</summary>
/// <remarks>
/// <para>A turn pays two reads of the clock. What the thread, the collector and the compiler have spent is sampled at most every 100 ms, before
/// a turn, and compared only for a long turn. So what lies up to 100 ms before a turn may excuse it too.</para>
/// <para>Threads: the reactor's for <see cref="Open"/>, <see cref="Begin"/>, <see cref="End"/>, <see cref="Sample"/> and <see cref="Held"/>; any
/// for the rest.</para>
/// </remarks>
internal sealed class TurnClock(Kernel kernel) : IDisposable
{
    private static readonly long s_sampleTicks = Stopwatch.Frequency / 10;

    // A shorter turn is no stall, so it is not worth reading files for.
    private static readonly TimeSpan s_shortTurn = TimeSpan.FromMilliseconds(10);

    private ThreadSchedule? _thread;
    private long _started;
    private long _woken = kernel.Timestamp();
    private long _busyTicks;
    private long _sampledAt;
    private ThreadTimes _sample;

    // What the last reading that found the thread asleep made of its turn: the time asleep is known only then.
    private RuntimeLock _lock;
    private long _blockedTurn;
    private TimeSpan _blocked;

    /// <summary>When the current turn started, in ticks of the clock, or 0 while the reactor waits.</summary>
    internal long Started => Volatile.Read(ref _started);

    /// <summary>Time spent in turns.</summary>
    internal TimeSpan Busy => Stopwatch.GetElapsedTime(0, Volatile.Read(ref _busyTicks));

    /// <summary>How long the thread has been ready to run without a processor, as of the last sample.</summary>
    internal TimeSpan WaitedForProcessor => _sample.Waiting;

    /// <summary>What the thread had spent, at most 100 ms before the current turn.</summary>
    internal ThreadTimes Sample => _sample;

    /// <summary>For a thread of the pool, whose turns are stretches of code.</summary>
    internal static TurnClock OfCallingThread()
    {
        var clock = new TurnClock(Kernel.Linux);
        clock.Open();
        return clock;
    }

    /// <summary>From now on the calling thread's turns are timed.</summary>
    internal void Open()
    {
        _thread = kernel.OpenThreadSchedule();
        TakeSample(kernel.Timestamp());
    }

    public void Dispose() => _thread?.Dispose();

    /// <summary>A turn begins.</summary>
    internal void Begin(long now)
    {
        _woken = now;
        if (now - _sampledAt >= s_sampleTicks)
        {
            TakeSample(now);
        }

        Volatile.Write(ref _started, now);
    }

    /// <summary>The turn is over, except for its wait. Returns its ticks.</summary>
    internal long End(long now)
    {
        Volatile.Write(ref _started, 0);
        long ticks = now - _woken;
        _busyTicks += ticks;
        return ticks;
    }

    /// <summary>What is left of a time that just passed on this thread, without waits for a processor, collections and compilation.</summary>
    /// <param name="lasted">The time.</param>
    /// <param name="before">The <see cref="Sample"/> when it began.</param>
    internal TimeSpan Held(TimeSpan lasted, in ThreadTimes before)
        => _thread is null ? lasted : (_thread.Read() - before).HeldOf(lasted);

    /// <summary>Splits the turn in progress. All zero while the reactor waits for completions.</summary>
    internal TurnTimes Read()
    {
        long started = Started;
        long now = kernel.Timestamp();
        if (started == 0 || now <= started)
        {
            return default;
        }

        TimeSpan lasted = Stopwatch.GetElapsedTime(started, now);
        if (_thread is not { } thread || lasted < s_shortTurn)
        {
            return new TurnTimes(started, lasted, lasted, default, default, default);
        }

        ThreadTimes sample = _sample;
        Volatile.ReadBarrier();
        if (Started != started)
        {
            // The turn ended meanwhile, and the sample may be half another's. The next turn has just begun.
            return default;
        }

        // Asleep first: a thread that wakes up now has slept less than it seems.
        bool isAsleep = thread.IsAsleep();
        return Split(started, lasted, isAsleep, thread.Read() - sample);
    }

    /// <summary>How long ago that was; zero for 0. Threads: any.</summary>
    internal TimeSpan Since(long started)
    {
        long now = kernel.Timestamp();
        return started == 0 || now < started ? TimeSpan.Zero : Stopwatch.GetElapsedTime(started, now);
    }

    private TurnTimes Split(long started, TimeSpan lasted, bool isAsleep, in ThreadTimes spent)
    {
        TimeSpan running = Least(spent.Running, lasted);
        TimeSpan blocked = Least(BlockedUntil(started, isAsleep, lasted - running - spent.Waiting), lasted - running);
        TimeSpan waiting = lasted - running - blocked;

        // Who waits for a collection or for another's compilation sleeps; who makes it runs.
        TimeSpan other = Least(spent.Collecting + spent.Compiling, blocked + running);
        TimeSpan asleepForIt = Least(other, blocked);
        return new TurnTimes(started, lasted, running - (other - asleepForIt), blocked - asleepForIt, waiting, other);
    }

    /// <summary>
    /// A sleeping thread waits for no processor, so all waits are accounted for and the rest is its sleep. A runnable one may wait since an
    /// unknown time: what its last sleep left stands.
    /// </summary>
    private TimeSpan BlockedUntil(long turn, bool isAsleep, TimeSpan rest)
    {
        using HeldLock held = _lock.Hold();
        if (isAsleep && rest > TimeSpan.Zero)
        {
            _blockedTurn = turn;
            _blocked = rest;
        }

        return _blockedTurn == turn ? _blocked : TimeSpan.Zero;
    }

    private void TakeSample(long now)
    {
        // Whoever reads half of this sees that the turn has ended.
        Volatile.WriteBarrier();
        _sampledAt = now;
        _sample = _thread?.Read() ?? default;
    }

    private static TimeSpan Least(TimeSpan one, TimeSpan other) => one < other ? one : other;
}
