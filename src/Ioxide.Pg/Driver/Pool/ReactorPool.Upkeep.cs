namespace Ioxide.Pg;

/// <summary>Opens connections for those who wait and up to the minimum, and closes what has been idle for long.</summary>
internal sealed partial class ReactorPool
{
    /// <summary>No pool has a connection that a waiting lease could get.</summary>
    private bool HasNoneToLend => _total is null ? !MayServeLater : _total.Taken == 0;

    /// <summary>Others wait for a connection: the reactor looks whether this pool can help. Threads: any.</summary>
    internal void Ask()
    {
        if (_help.TryAsk())
        {
            // A reactor that has ended has no connection.
            Reactor.TryEnqueue(this, static pool => pool.Help());
        }
    }

    /// <summary>Checks waits, idle connections and the minimum. The clock calls it.</summary>
    internal void Look()
    {
        Queue.Expire();
        PlaceAtHand();
        RetireIdle();
        Attempts.ReplaceBusy();
        ServeQueue();
        Attempts.KeepMinimum();
        if (OpenCount > 0 || QueueLength > 0 || (MinConnections > 0 && !_isClosed))
        {
            _clock.Start();
        }
    }

    /// <summary>An attempt has succeeded.</summary>
    internal void Opened(ServerConnection connection)
    {
        Lanes.Opened(connection);
        Place(connection);
        ServeQueue();
        Attempts.ReplaceBusy();
    }

    /// <summary>An attempt has failed.</summary>
    internal void ConnectFailed(Exception failure)
    {
        if (Reactor.HasEnded)
        {
            ReactorEnded(failure);
            return;
        }

        // Whom no connection can serve fails with the cause at once, and not at the end of the wait.
        if (!MayServeLater)
        {
            Queue.RefuseCommands(failure);
        }

        if (HasNoneToLend)
        {
            Queue.RefuseLeases(failure);
        }

        // Others wait for the pool's connections, or for the next attempt.
        _clock.Start();
    }

    /// <summary>The reactor has ended, and opens no more connections.</summary>
    internal void ReactorEnded(Exception reason)
    {
        // In this order: a pool that ends now, and looks at the waiters behind this, refuses what this one leaves to it.
        _total?.Wake(this);
        Queue.RefuseAll(reason);
        Close();
    }

    /// <summary>Opens another connection for the waiters where the limits allow it.</summary>
    internal void ServeQueue()
    {
        LendShared();
        if (Queue.LeaseCount > Attempts.Count - Attempts.SharedCount)
        {
            Attempts.Start(isShared: false);
        }

        if (Queue.CommandCount > 0
            && (Lanes.Shared.UsableCount + Attempts.SharedCount < Options.SharedPerReactor || (Attempts.Count == 0 && Lanes.Shared.AreAllDelayed)))
        {
            Attempts.Start(isShared: true);
        }
    }

    /// <summary>Closes idle connections that are too old, and beyond the minimum those that were idle for long: the most recent first.</summary>
    private void RetireIdle()
    {
        long idleLimit = Options.IdleLifetime > TimeSpan.Zero ? Reactor.NowTick() - (long)Options.IdleLifetime.TotalMilliseconds : long.MinValue;
        foreach (ServerConnection connection in Lanes.Unleased().Reverse())
        {
            if (connection.Pipeline.Pending == 0 && !connection.IsLeased
                && (connection.IsTooOld || (connection.IdleSinceTick < idleLimit && OpenCount > MinConnections)))
            {
                Lanes.Retire(connection);
            }
        }
    }

    private void Help()
    {
        _help.Begin();
        ServeQueue();
        _clock.Start(); // Who waits may be of a reactor that has ended with its clock.
        if (IsToGivePlace && (Lanes.TakeNewestIdle() ?? Lanes.Shared.TakeFree()) is { } idle)
        {
            Lanes.Retire(idle);
        }
    }
}
