namespace Ioxide.Pg;

/// <summary>Chooses a connection for a command or a session.</summary>
internal sealed partial class ReactorPool
{
    /// <summary>The shared lane has fewer connections than it should, or each of them is held up.</summary>
    private bool NeedsMoreShared => Lanes.Shared.UsableCount < Options.SharedPerReactor || Lanes.Shared.AreAllDelayed;

    /// <summary>No further connection is available: new commands queue behind existing ones.</summary>
    private bool IsFull => Lanes.FreeCount == 0 && (Attempts.Failure is not null || (Attempts.Count == 0 && !Attempts.CanGrow));

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
        ServerConnection? running = Lanes.Shared.Choose(areExtrasWanted: Queue.LeaseCount > 0, out ServerConnection? heldUp);
        if (running is { Pipeline.Pending: 0 })
        {
            return running;
        }

        if ((running is null || Lanes.Shared.UsableCount < Options.SharedPerReactor) && Lanes.TakeNewestIdle() is { } idle)
        {
            Lanes.Shared.Add(idle);
            return idle;
        }

        if (Lanes.Shared.UsableCount + Attempts.SharedCount < Options.SharedPerReactor || (running is null && Attempts.Count == 0))
        {
            Attempts.Start(isShared: true);
        }

        ServerConnection? chosen = running ?? (IsFull ? heldUp : null);
        return chosen?.Pipeline.Pending < Options.PipelineDepth ? chosen : null;
    }

    private bool CanTake(ServerConnection connection)
        => (Queue.LeaseCount == 0 || !Lanes.Shared.IsExtra(connection))
            && (connection.Pipeline.Pending == 0
                || (connection.Pipeline.Pending < Options.PipelineDepth && (!connection.Pipeline.DelaysNextCommand || IsFull)));

    // An idle shared connection may be leased, unless commands wait for it or it is the last one.
    private ServerConnection? TakeIdle()
        => Lanes.TakeNewestIdle() ?? (Queue.CommandCount == 0 && !Attempts.CanGrow ? Lanes.Shared.TakeFree() : null);

    /// <summary>Sessions wait, and no further connection can be made: they get the idle ones, including shared ones.</summary>
    private void LendShared()
    {
        while (Queue.LeaseCount > 0 && TakeIdle() is { } connection)
        {
            Place(connection);
        }
    }
}
