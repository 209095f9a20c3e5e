namespace Ioxide.Pg;

/// <summary>Makes a pool check its waiters and connections when one of them is due, and once per second while there are any.</summary>
/// <remarks>While there are any it is in the wheel, or the pool has seen the end of the reactor.</remarks>
internal sealed class PoolClock(ReactorPool pool) : TimerEntry
{
    private const long PeriodMs = 1000;

    internal void Start()
    {
        if (IsScheduled && pool.QueueLength == 0)
        {
            return;
        }

        if (pool.Reactor.HasEnded)
        {
            // It would never be due.
            NeverDue(new ObjectDisposedException(nameof(Reactor), $"Reactor {pool.Reactor.Id} has ended."));
            return;
        }

        long due = NextTick();
        if (IsScheduled)
        {
            if (DueTick <= due)
            {
                return;
            }

            pool.Reactor.Timers.Remove(this);
        }

        pool.Reactor.Timers.Add(this, due);
    }

    internal void Stop() => pool.Reactor.Timers.Remove(this);

    internal override void OnDue() => pool.Look();

    internal override void NeverDue(Exception reason) => pool.ReactorEnded(reason);

    /// <summary>Within a second, and by the time that the oldest wait or the next attempt is due.</summary>
    private long NextTick()
    {
        long due = pool.Reactor.NowTick() + PeriodMs;
        return pool.QueueLength == 0 ? due
            : Math.Min(Math.Min(due, pool.Queue.DueTick), pool.Attempts.IsRefused ? pool.Attempts.NextTick : due);
    }
}

/// <summary>A token that is cancelled by the reactor's clock, or with another token.</summary>
internal sealed class ReactorDeadline : TimerEntry, IDisposable
{
    private readonly Reactor _reactor;
    private readonly CancellationTokenSource _source;

    /// <param name="reactor">The reactor of the calling thread.</param>
    /// <param name="limit">Zero or less means no limit.</param>
    /// <param name="cancellationToken">Cancels it too.</param>
    internal ReactorDeadline(Reactor reactor, TimeSpan limit, CancellationToken cancellationToken)
    {
        _reactor = reactor;
        _source = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        if (limit > TimeSpan.Zero)
        {
            reactor.Timers.Add(this, reactor.DueTick(limit));
        }
    }

    internal CancellationToken Token => _source.Token;

    public void Dispose()
    {
        _reactor.Timers.Remove(this);
        _source.Dispose();
    }

    // On the thread pool: a password provider may have registered callbacks on the token.
    internal override void OnDue() => _ = _source.CancelAsync();
}
