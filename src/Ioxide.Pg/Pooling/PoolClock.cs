namespace Ioxide.Pg;

/// <summary>Makes a pool check its waiters and connections when one of them is due, and once per second while there are any.</summary>
internal sealed class PoolClock(ReactorPool pool) : TimerEntry
{
    internal const long PeriodMs = 1000;

    internal void Start()
    {
        if (IsScheduled && pool.QueueLength == 0)
        {
            return;
        }

        long due = pool.NextLookTick();
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
}
