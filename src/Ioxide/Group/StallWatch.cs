namespace Ioxide;

/// <summary>The result of a look at a reactor.</summary>
[Flags]
internal enum StallChange
{
    None = 0,

    /// <summary>A stall that was reported is over; <see cref="StallWatch.Lasted"/> says how long it was.</summary>
    Ended = 1,

    /// <summary>The code of the turn has held the reactor up for the threshold.</summary>
    Began = 2,

    /// <summary>The turn still lasts, and it is time to report it again.</summary>
    Repeated = 4,

    /// <summary>It has held the reactor up for long enough that the reactor counts as stuck.</summary>
    Stuck = 8,
}

/// <summary>The watchdog's state for one reactor. It reports a stall again after 1, 2, 4 seconds and so on, up to a minute.</summary>
/// <param name="threshold">For how long the code of a turn may hold its reactor up.</param>
/// <param name="secondTicks">A second. All times are in ticks of the same clock.</param>
/// <remarks>Threads: the watchdog's.</remarks>
internal sealed class StallWatch(long threshold, long secondTicks)
{
    private const int LongestPauseSeconds = 60;

    // When the stalled turn started, or 0.
    private long _turnStarted;
    private long _nextReport;
    private int _pauseSeconds;

    /// <summary>The reactor does not turn and is stuck.</summary>
    internal bool IsStuck { get; private set; }

    /// <summary>How long the last stall was, once it is over.</summary>
    internal long Lasted { get; private set; }

    /// <param name="turnStarted">When the current turn started, or 0 while the reactor waits.</param>
    /// <param name="held">For how long the code of the turn has held the reactor up.</param>
    /// <param name="now">The time of the look.</param>
    internal StallChange Look(long turnStarted, long held, long now)
    {
        StallChange change = StallChange.None;
        if (_turnStarted != 0 && turnStarted != _turnStarted)
        {
            Lasted = (turnStarted == 0 ? now : turnStarted) - _turnStarted;
            _turnStarted = 0;
            IsStuck = false;
            change = StallChange.Ended;
        }

        if (turnStarted == 0 || held < threshold)
        {
            return change;
        }

        if (_turnStarted == 0)
        {
            _turnStarted = turnStarted;
            _pauseSeconds = 1;
            change |= StallChange.Began;
            PlanReport(now);
        }
        else if (now >= _nextReport)
        {
            change |= StallChange.Repeated;
            PlanReport(now);
        }

        if (!IsStuck && held / Reactor.StuckFactor >= threshold)
        {
            IsStuck = true;
            change |= StallChange.Stuck;
        }

        return change;
    }

    private void PlanReport(long now)
    {
        _nextReport = now + (_pauseSeconds * secondTicks);
        _pauseSeconds = Math.Min(_pauseSeconds * 2, LongestPauseSeconds);
    }
}
