namespace Ioxide.Pg;

/// <summary>The deadline of a connection's oldest command, and what follows it. One timer checks it; no timer is set per command.</summary>
internal sealed class CommandClock(ServerConnection connection) : TimerEntry
{
    private const int PausedLookMs = 1000;

    // A command whose caller has stopped waiting may end before a CancelRequest arrives.
    private const int UnwantedMs = 50;

    // A CancelRequest that has no effect after this time came too early, and is sent again.
    private const int CancelAgainMs = 200;

    // Where no reader holds the answer up: see CancelDueOf.
    private long _cancelDueTick = long.MaxValue;
    private long _cancelAgainTick = long.MaxValue;
    private long _heardTick;

    private TimeSpan CancelLimit => connection.Pool.Options.CancelTimeout;

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
    internal void WatchCancel()
    {
        _cancelDueTick = connection.Reactor.NowTick() + (long)CancelLimit.TotalMilliseconds;
        WatchCancelAgain();
    }

    /// <summary>Another CancelRequest is on its way.</summary>
    internal void WatchCancelAgain()
    {
        _cancelAgainTick = connection.Reactor.NowTick() + CancelAgainMs;
        Schedule(Math.Min(_cancelDueTick, _cancelAgainTick));
    }

    /// <summary>The server has sent something to a command that limits each wait.</summary>
    internal void Heard() => _heardTick = connection.Reactor.NowTick();

    internal void Stop() => connection.Reactor.Timers.Remove(this);

    internal override void OnDue()
    {
        if (connection.Pipeline.Oldest is not { } oldest)
        {
            return;
        }

        long due = DueOf(oldest);
        if (due == long.MaxValue)
        {
            return;
        }

        if (connection.IsRunningUserCode || connection.Reactor.NowTick() < due || WaitsForReader(oldest))
        {
            Schedule(oldest.IsPaused || connection.IsRunningUserCode ? connection.Reactor.NowTick() + PausedLookMs : due);
            return;
        }

        RunOut(oldest);
    }

    private void RunOut(RoundTrip oldest)
    {
        if (oldest.IsCancelRequested && connection.Reactor.NowTick() < CancelDueOf(oldest))
        {
            // The request came before the server began with the command, and had no effect.
            WatchCancelAgain();
            connection.Cancels.Send();
        }
        else if (oldest.IsCancelRequested)
        {
            connection.Break(new PgConnectionException(
                $"The server did not answer within {CancelLimit} after the command was cancelled; "
                    + "the connection was given up."));
        }
        else if (oldest.IsAbandoned)
        {
            connection.Cancels.Request(oldest);
        }
        else
        {
            connection.Abandon(oldest, new PgTimeoutException(
                PgTimeoutKind.Command,
                oldest.Timeout,
                (oldest.LimitsEachWait ? $"The server sent nothing for {oldest.Timeout.TotalSeconds:0.###} s, and the command was cancelled. "
                    : $"The command took longer than {oldest.Timeout.TotalSeconds:0.###} s and was cancelled. ") +
                $"{nameof(PgDataSourceOptions.CommandTimeout)} sets the limit; waiting behind other commands does not count."));
        }
    }

    private long DueOf(RoundTrip oldest)
        => oldest.IsCancelRequested ? Math.Min(CancelDueOf(oldest), _cancelAgainTick)
            : oldest.IsAbandoned ? oldest.BegunTick + UnwantedMs
            : oldest.Timeout > TimeSpan.Zero ? WaitsSince(oldest) + (long)oldest.Timeout.TotalMilliseconds
            : long.MaxValue;

    /// <summary>The server answers a cancel request behind the rows that the reader has not taken: its time begins when they are.</summary>
    private long CancelDueOf(RoundTrip oldest) => Math.Max(_cancelDueTick, oldest.BegunTick + (long)CancelLimit.TotalMilliseconds);

    private bool WaitsForReader(RoundTrip oldest)
        => oldest.IsPaused && (!oldest.IsCancelRequested || (!oldest.IsAbandoned && CancelLimit > TimeSpan.Zero));

    private long WaitsSince(RoundTrip oldest)
        => oldest.LimitsEachWait ? Math.Max(oldest.BegunTick, _heardTick) : oldest.BegunTick;

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
