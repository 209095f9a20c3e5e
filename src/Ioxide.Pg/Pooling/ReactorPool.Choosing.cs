namespace Ioxide.Pg;

/// <summary>Which connection is taken.</summary>
internal sealed partial class ReactorPool
{
    // One whose reader may block, perhaps for a command of its own, is none that commands can be given to.
    private int UsableShared
    {
        get
        {
            int count = 0;
            foreach (ServerConnection connection in _shared)
            {
                count += connection.IsHeldUp ? 0 : 1;
            }

            return count;
        }
    }

    private ServerConnection? LeastBusy()
    {
        ServerConnection? best = null;
        foreach (ServerConnection connection in _shared)
        {
            if (!connection.IsCancelling && !connection.IsHeldUp && (best is null || connection.Pending < best.Pending))
            {
                best = connection;
            }
        }

        return best;
    }

    private ServerConnection? TakeIdle()
    {
        if (_idle.Count == 0 || UsableShared >= Options.SharedPerReactor)
        {
            return null;
        }

        return TakeNewestIdle();
    }

    private ServerConnection? TakeIdleShared()
    {
        if (_idle.Count > 0)
        {
            return TakeNewestIdle();
        }

        // A shared connection that does nothing may be had, if nobody waits for it and it is not the last one.
        if (_queue.Count == 0 && OpenCount + _connecting >= MaxConnections)
        {
            foreach (ServerConnection connection in _shared)
            {
                if (connection.Pending == 0 && !connection.IsCancelling)
                {
                    _shared.Remove(connection);
                    return connection;
                }
            }
        }

        return null;
    }

    private ServerConnection TakeNewestIdle()
    {
        ServerConnection connection = _idle[^1];
        _idle.RemoveAt(_idle.Count - 1);
        return connection;
    }
}
