namespace Ioxide;

/// <summary>The result of a look at a reactor.</summary>
[Flags]
internal enum StallNews
{
    None = 0,

    /// <summary>A stall that was reported is over; <see cref="StallWatch.Lasted"/> says how long it was.</summary>
    Ended = 1,

    /// <summary>The turn has lasted for the threshold.</summary>
    Began = 2,

    /// <summary>The turn still lasts, and it is time to report it again.</summary>
    Repeated = 4,

    /// <summary>The turn has lasted so long that the reactor counts as stuck.</summary>
    Stuck = 8,
}

/// <summary>The watchdog's state for one reactor. It reports a stall again after 1, 2, 4 seconds and so on, up to a minute.</summary>
/// <param name="threshold">How long a turn may last.</param>
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
    /// <param name="now">The time of the look.</param>
    internal StallNews Look(long turnStarted, long now)
    {
        StallNews news = StallNews.None;
        if (_turnStarted != 0 && turnStarted != _turnStarted)
        {
            Lasted = (turnStarted == 0 ? now : turnStarted) - _turnStarted;
            _turnStarted = 0;
            IsStuck = false;
            news = StallNews.Ended;
        }

        if (turnStarted == 0 || now - turnStarted < threshold)
        {
            return news;
        }

        if (_turnStarted == 0)
        {
            _turnStarted = turnStarted;
            _pauseSeconds = 1;
            news |= StallNews.Began;
            PlanReport(now);
        }
        else if (now >= _nextReport)
        {
            news |= StallNews.Repeated;
            PlanReport(now);
        }

        if (!IsStuck && (now - turnStarted) / Reactor.StuckFactor >= threshold)
        {
            IsStuck = true;
            news |= StallNews.Stuck;
        }

        return news;
    }

    private void PlanReport(long now)
    {
        _nextReport = now + (_pauseSeconds * secondTicks);
        _pauseSeconds = Math.Min(_pauseSeconds * 2, LongestPauseSeconds);
    }
}
