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

    /// <summary>The shared lane has fewer connections than it should, or each of them is held up.</summary>
    private bool NeedsMoreShared => UsableShared < Options.SharedPerReactor || AreAllHeldUp;

    /// <summary>Each shared connection is one that further commands would wait on.</summary>
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

    /// <summary>No further connection can be had: what comes must stand behind what is there.</summary>
    private bool IsFull => _idle.Count == 0 && (_failure is not null || (_connecting == 0 && OpenCount >= MaxConnections));

    /// <summary>
    /// The connection for the next command: one that is free, else the one with the fewest commands among those that get on. Where every one
    /// is held up a further one is taken, and only where none can be had the command stands behind others. Null: it has to wait.
    /// </summary>
    /// <remarks>
    /// Who holds a lock in a session may ask something on the shared lane while commands there wait for that lock. As with connections that
    /// are not shared, it gets its answer as long as the pool may have another connection.
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
        => _leaseQueue.Count > 0 && _shared.Count > Options.SharedPerReactor && _shared.IndexOf(connection) >= Options.SharedPerReactor;

    /// <summary>Why a statement is not run on a shared connection; null where it is.</summary>
    private static InvalidOperationException? RefusalOf(PgStatement statement)
        => statement.OpensTransaction ? new InvalidOperationException(
                $"'{statement}' needs a connection for itself. Use {nameof(PgDataSource.OpenSessionAsync)}, then {nameof(PgSession.BeginAsync)}.")
            : (statement.Effect & SessionEffect.Belongs) != 0 ? new InvalidOperationException(
                $"'{statement}' is about the session that runs it, and would be undone before its caller continues: commands of a data source run on " +
                $"connections that all callers share. Use {nameof(PgDataSource.OpenSessionAsync)}, and run it and what depends on it there.")
            : null;

    private ServerConnection? TakeIdleShared()
    {
        if (TakeNewestIdle() is { } idle)
        {
            return idle;
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

    /// <summary>Sessions wait, and no further connection can be made: those that do nothing are theirs, shared ones too.</summary>
    private void LendShared()
    {
        while (_leaseQueue.Count > 0 && TakeIdleShared() is { } connection)
        {
            Place(connection);
        }
    }

    /// <summary>The one that was used last, and is done with its reset if there is such a one; or null.</summary>
    private ServerConnection? TakeNewestIdle()
    {
        if (_idle.Count == 0)
        {
            return null;
        }

        int index = _idle.FindLastIndex(static connection => connection.Pending == 0);
        index = index >= 0 ? index : _idle.Count - 1;
        ServerConnection connection = _idle[index];
        _idle.RemoveAt(index);
        return connection;
    }
}
