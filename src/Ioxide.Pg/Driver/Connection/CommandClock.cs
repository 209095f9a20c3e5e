namespace Ioxide.Pg;

/// <summary>The deadline of a connection's oldest command. One timer checks it when due; no timer is set per command.</summary>
internal sealed class CommandClock(ServerConnection connection) : TimerEntry
{
    private const int PausedLookMs = 1000;

    // A command whose caller has stopped waiting may end before a CancelRequest arrives.
    private const int UnwantedMs = 50;

    // A CancelRequest that has no effect after this time came too early, and is sent again.
    private const int CancelAgainMs = 200;

    private long _cancelDueTick = long.MaxValue;
    private long _cancelAgainTick = long.MaxValue;

    /// <summary>The server's time to cancel is over.</summary>
    internal bool IsCancelOver => connection.Reactor.NowTick() >= _cancelDueTick;

    /// <summary>The command became the oldest.</summary>
    internal void Watch(RoundTrip roundTrip)
    {
        _cancelDueTick = long.MaxValue;
        if (DueOf(roundTrip) is < long.MaxValue and var dueTick)
        {
            Schedule(dueTick);
        }
    }

    /// <summary>The oldest command was cancelled: the server has to answer within the limit.</summary>
    internal void WatchCancel(TimeSpan limit)
    {
        _cancelDueTick = connection.Reactor.NowTick() + (long)limit.TotalMilliseconds;
        WatchCancelAgain();
    }

    /// <summary>Another CancelRequest is on its way.</summary>
    internal void WatchCancelAgain()
    {
        _cancelAgainTick = connection.Reactor.NowTick() + CancelAgainMs;
        Schedule(Math.Min(_cancelDueTick, _cancelAgainTick));
    }

    internal void Stop() => connection.Reactor.Timers.Remove(this);

    internal override void OnDue()
    {
        if (connection.Oldest is not { } oldest)
        {
            return;
        }

        long due = DueOf(oldest);
        if (due == long.MaxValue)
        {
            return;
        }

        if (connection.IsHeldUp || connection.Reactor.NowTick() < due || (oldest.IsPaused && !oldest.IsCancelRequested))
        {
            Schedule(oldest.IsPaused || connection.IsHeldUp ? connection.Reactor.NowTick() + PausedLookMs : due);
            return;
        }

        connection.ClockRanOut();
    }

    private long DueOf(RoundTrip oldest)
        => oldest.IsCancelRequested ? Math.Min(_cancelDueTick, _cancelAgainTick)
            : oldest.IsAbandoned ? oldest.BegunTick + UnwantedMs
            : oldest.Timeout > TimeSpan.Zero ? WaitsSince(oldest) + (long)oldest.Timeout.TotalMilliseconds
            : long.MaxValue;

    private long WaitsSince(RoundTrip oldest)
        => oldest.LimitsEachWait ? Math.Max(oldest.BegunTick, connection.HeardTick) : oldest.BegunTick;

    private void Schedule(long dueTick)
    {
        if (IsScheduled)
        {
            if (DueTick <= dueTick)
            {
                return;
            }

            connection.Reactor.Timers.Remove(this);
        }

        connection.Reactor.Timers.Add(this, dueTick);
    }
}
