namespace Ioxide.Pg;

/// <summary>The limit on the connections of all reactors together (<see cref="PgDataSourceOptions.MaxConnections"/>).</summary>
/// <remarks>
/// A pool takes a place before each attempt to connect, and gives it back with the connection. Callers that wait for a lease wait in one queue,
/// and the first pool with a free connection serves them, whatever reactor they are on. Commands go to a pool that has connections. A pool
/// that has commands and neither a connection nor a place gets the place of another pool's idle connection.
/// Threads: any.
/// </remarks>
internal sealed class ConnectionTotal(int max)
{
    private int _taken;

    internal int Max { get; } = max;

    internal LeaseQueue Leases { get; } = new();

    /// <summary>All pools under the total.</summary>
    internal ReactorPool[] Pools { get; set; } = [];

    /// <summary>Connections that are open or being opened.</summary>
    internal int Taken => Volatile.Read(ref _taken);

    internal bool HasRoom => Taken < Max;

    internal bool TryTake()
    {
        while (Taken is var taken && taken < Max)
        {
            if (Interlocked.CompareExchange(ref _taken, taken + 1, taken) == taken)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>A connection has ended, or was not made: another pool may connect.</summary>
    internal void GiveBack(ReactorPool giver)
    {
        Interlocked.Decrement(ref _taken);
        Wake(giver);
    }

    /// <summary>Makes the other pools look whether they can serve a waiter, or give up a place.</summary>
    internal void Wake(ReactorPool waker)
    {
        bool areLeasesWaiting = Leases.Count > 0;
        bool isOneStarving = Array.Exists(Pools, static pool => pool.IsStarving);
        foreach (ReactorPool pool in Pools)
        {
            if (!ReferenceEquals(pool, waker) && (areLeasesWaiting || isOneStarving))
            {
                pool.Ask();
            }
        }
    }

    /// <summary>A pool has commands and no connection, and there is no place for one.</summary>
    internal bool IsPlaceWanted => !HasRoom && Array.Exists(Pools, static pool => pool.IsStarving);

    /// <summary>
    /// The pool for a command of a reactor whose own pool has no connection and no place: one with a free connection, else with any.
    /// </summary>
    internal ReactorPool PoolFor(ReactorPool own)
    {
        ReactorPool best = own;
        foreach (ReactorPool pool in Pools)
        {
            if (pool.CanServe)
            {
                return pool;
            }

            best = best.MayServeLater || !pool.MayServeLater ? best : pool;
        }

        return best;
    }

    /// <summary>The part of the total that instruments add up.</summary>
    internal int ShareOf(ReactorPool pool)
    {
        int index = Array.IndexOf(Pools, pool);
        return (Max / Pools.Length) + (index < Max % Pools.Length ? 1 : 0);
    }
}
