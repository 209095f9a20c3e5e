namespace Ioxide.Pg;

/// <summary>Chooses a connection for a command.</summary>
internal sealed partial class ReactorPool
{
    // A connection whose reader may block, perhaps on a command of its own, takes no commands.
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

    /// <summary>The shared lane has fewer connections than it should, or each of them is held up.</summary>
    private bool NeedsMoreShared => UsableShared < Options.SharedPerReactor || AreAllHeldUp;

    /// <summary>Further commands would wait on every shared connection.</summary>
    internal bool AreAllHeldUp
    {
        get
        {
            foreach (ServerConnection connection in _shared)
            {
                if (!connection.IsHeldUp && !connection.HoldsUp)
                {
                    return false;
                }
            }

            return true;
        }
    }

    /// <summary>No further connection is available: new commands queue behind existing ones.</summary>
    private bool IsFull => _idle.Count == 0 && (_failure is not null || (_connecting == 0 && !CanGrow));

    /// <summary>
    /// Returns the connection for the next command: a free one, else the one with the fewest commands among those that make progress. If every one
    /// is held up, another connection is taken. If none is available, the command queues behind others. Null: it has to wait.
    /// </summary>
    /// <remarks>
    /// The holder of a lock in a session may run a command on the shared lane while commands there wait for that lock. As with unshared
    /// connections, it gets its answer as long as the pool may have another connection.
    /// </remarks>
    private ServerConnection? Choose()
    {
        ServerConnection? running = null;
        ServerConnection? heldUp = null;
        foreach (ServerConnection connection in _shared)
        {
            if (connection.IsCancelling || connection.IsHeldUp || IsWantedByLease(connection))
            {
                continue;
            }

            if (connection.Pending == 0)
            {
                return connection;
            }

            ref ServerConnection? best = ref connection.HoldsUp ? ref heldUp : ref running;
            best = best is null || connection.Pending < best.Pending ? connection : best;
        }

        if ((running is null || UsableShared < Options.SharedPerReactor) && TakeNewestIdle() is { } idle)
        {
            _shared.Add(idle);
            return idle;
        }

        if (UsableShared + _connectingShared < Options.SharedPerReactor || (running is null && _connecting == 0))
        {
            StartConnecting(isShared: true);
        }

        ServerConnection? chosen = running ?? (IsFull ? heldUp : null);
        return chosen is { } some && some.Pending < Options.PipelineDepth ? chosen : null;
    }

    private bool CanTake(ServerConnection connection)
        => !IsWantedByLease(connection)
            && (connection.Pending == 0 || (connection.Pending < Options.PipelineDepth && (!connection.HoldsUp || IsFull)));

    /// <summary>It was taken because others were held up, and a session waits for it: it gets no more commands.</summary>
    private bool IsWantedByLease(ServerConnection connection)
        => _leases.Count > 0 && _shared.Count > Options.SharedPerReactor && _shared.IndexOf(connection) >= Options.SharedPerReactor;

    /// <summary>Why a statement cannot run on a shared connection; null if it can.</summary>
    private static InvalidOperationException? RefusalOf(PgStatement statement)
        => statement.OpensTransaction ? new InvalidOperationException(
                $"'{statement}' needs a connection for itself. Use {nameof(PgDataSource.OpenSessionAsync)}, then {nameof(PgSession.BeginAsync)}.")
            : (statement.Effect & SessionEffect.Belongs) != 0 ? new InvalidOperationException(
                $"'{statement}' is about the session that runs it, and would be undone before its caller continues: commands of a data source run "
                    + $"on connections that all callers share. Use {nameof(PgDataSource.OpenSessionAsync)}, and run it and what depends on it there.")
            : null;

    private ServerConnection? TakeIdleShared()
    {
        if (TakeNewestIdle() is { } idle)
        {
            return idle;
        }

        // An idle shared connection may be leased, unless commands wait for it or it is the last one.
        if (_queue.Count == 0 && !CanGrow)
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

    /// <summary>Sessions wait, and no further connection can be made: they get the idle ones, including shared ones.</summary>
    private void LendShared()
    {
        while (_leases.Count > 0 && TakeIdleShared() is { } connection)
        {
            Place(connection);
        }
    }

    /// <summary>The most recently used one, preferably with its reset complete; or null.</summary>
    private ServerConnection? TakeNewestIdle()
    {
        if (_idle.Count == 0)
        {
            return TakeBackAtHand();
        }

        int index = _idle.FindLastIndex(static connection => connection.Pending == 0);
        index = index >= 0 ? index : _idle.Count - 1;
        ServerConnection connection = _idle[index];
        _idle.RemoveAt(index);
        return connection;
    }
}
