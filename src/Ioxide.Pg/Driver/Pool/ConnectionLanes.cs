namespace Ioxide.Pg;

/// <summary>Where each connection of a pool is: in the shared lane, idle, or leased, and one of the leased ones at hand.</summary>
/// <remarks>Threads: the reactor's, unless a member says otherwise.</remarks>
internal sealed class ConnectionLanes(ReactorPool pool)
{
    private readonly List<ServerConnection> _idle = [];
    private readonly HashSet<ServerConnection> _leased = [];

    // All of them, and those that are closing.
    private readonly HashSet<ServerConnection> _open = [];

    internal SharedLane Shared { get; } = new(pool.Options.SharedPerReactor);

    internal AtHandSlot AtHand { get; } = new(pool);

    /// <summary>Threads: any; a snapshot.</summary>
    internal int OpenCount => Shared.Count + _idle.Count + _leased.Count;

    /// <summary>Idle connections outside the shared lane. Threads: any; a snapshot.</summary>
    internal int FreeCount => _idle.Count;

    /// <summary>Connections that are idle, in any lane. Threads: any; a snapshot.</summary>
    internal int IdleCount => _idle.Count + (AtHand.IsTaken ? 1 : 0) + Shared.IdleCount;

    /// <summary>Threads: any; a snapshot.</summary>
    internal int LeasedCount => _leased.Count;

    /// <summary>A connection was opened, and is in no lane yet.</summary>
    internal void Opened(ServerConnection connection) => _open.Add(connection);

    /// <summary>The connection is gone. False: it was not opened for this pool.</summary>
    internal bool Lost(ServerConnection connection)
    {
        Shared.Remove(connection);
        _idle.Remove(connection);
        _leased.Remove(connection);
        AtHand.TryForget(connection);
        return _open.Remove(connection);
    }

    internal ServerConnection[] Unleased() => [.. Shared.Connections, .. _idle];

    internal ServerConnection[] All() => [.. Shared.Connections, .. _idle, .. _leased];

    internal void AddIdle(ServerConnection connection) => _idle.Add(connection);

    internal void Lease(ServerConnection connection)
    {
        connection.IsLeased = true;
        _leased.Add(connection);
    }

    internal bool IsLeased(ServerConnection connection) => _leased.Contains(connection);

    /// <summary>The lease is over. False: the connection was lost meanwhile.</summary>
    internal bool TryEndLease(ServerConnection connection)
    {
        if (!_leased.Remove(connection))
        {
            return false;
        }

        connection.IsLeased = false;
        return true;
    }

    /// <summary>Closes a connection that nobody leases, behind the commands that were sent on it.</summary>
    internal void Retire(ServerConnection connection)
    {
        Shared.Remove(connection);
        _idle.Remove(connection);
        connection.Terminate();
    }

    /// <summary>Closes idle ones now; busy ones are too old when they are returned.</summary>
    internal void RetireAll(long nowTick)
    {
        foreach (ServerConnection connection in All())
        {
            connection.RetireTick = Math.Min(connection.RetireTick, nowTick);
            if (!connection.IsLeased && connection.Pipeline.Pending == 0)
            {
                Retire(connection);
            }
        }
    }

    /// <summary>The most recently used one, preferably with its reset complete; or null.</summary>
    internal ServerConnection? TakeNewestIdle()
    {
        if (_idle.Count == 0)
        {
            return TakeBackAtHand();
        }

        int index = _idle.FindLastIndex(static connection => connection.Pipeline.Pending == 0);
        index = index >= 0 ? index : _idle.Count - 1;
        ServerConnection connection = _idle[index];
        _idle.RemoveAt(index);
        return connection;
    }

    /// <summary>The connection at hand, for another use; or null.</summary>
    internal ServerConnection? TakeBackAtHand()
        => AtHand.TakeBack() is { } connection && TryEndLease(connection) ? connection : null;
}
