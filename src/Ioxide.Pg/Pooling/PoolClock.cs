namespace Ioxide.Pg;

/// <summary>Makes a pool check its waiters and idle connections, once per second while there are any.</summary>
internal sealed class PoolClock(ReactorPool pool) : TimerEntry
{
    private const long PeriodMs = 1000;
    private const long ShortPeriodMs = 50;

    internal void Start()
    {
        if (!IsScheduled)
        {
            // A wait with a short limit must not last a second.
            bool isShort = pool.QueueLength > 0 && pool.Options.QueueTimeout < TimeSpan.FromSeconds(5);
            pool.Reactor.Timers.Add(this, pool.Reactor.NowTick() + (isShort ? ShortPeriodMs : PeriodMs));
        }
        else if (pool.QueueLength == 1)
        {
            pool.Reactor.Timers.Remove(this);
            Start();
        }
    }

    internal void Stop() => pool.Reactor.Timers.Remove(this);

    internal override void OnDue() => pool.Look();
}
