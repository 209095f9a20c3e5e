namespace Ioxide.Pg;

/// <summary>The connections of a pool that take the short commands of all callers.</summary>
/// <remarks>Those beyond the wanted number were taken because others were held up. Threads: the reactor's, unless a member says otherwise.</remarks>
internal sealed class SharedLane(int wantedCount)
{
    // Replaced as a whole, because other threads take snapshots.
    private ServerConnection[] _connections = [];

    /// <summary>Threads: any; a snapshot.</summary>
    internal ReadOnlySpan<ServerConnection> Connections => Volatile.Read(ref _connections);

    /// <inheritdoc cref="Connections"/>
    internal int Count => Connections.Length;

    internal bool HasExtra => Count > wantedCount;

    /// <summary>Connections without a command. Threads: any; a snapshot.</summary>
    internal int IdleCount
    {
        get
        {
            int count = 0;
            foreach (ServerConnection connection in Connections)
            {
                count += connection.Pipeline.Pending == 0 ? 1 : 0;
            }

            return count;
        }
    }

    /// <summary>Connections without those whose reader may block, perhaps on a command of its own: such a one takes no commands.</summary>
    internal int UsableCount
    {
        get
        {
            int count = 0;
            foreach (ServerConnection connection in _connections)
            {
                count += connection.IsRunningUserCode ? 0 : 1;
            }

            return count;
        }
    }

    /// <summary>Further commands would wait on every connection.</summary>
    internal bool AreAllDelayed
        => Array.TrueForAll(_connections, static connection => connection.IsRunningUserCode || connection.Pipeline.DelaysNextCommand);

    /// <summary>Why a command cannot run on a shared connection; null if it can.</summary>
    internal static InvalidOperationException? RefusalOf(RoundTrip roundTrip)
        => roundTrip is not Command { Statement: { } statement } ? null
            : statement.OpensTransaction ? new InvalidOperationException(
                $"'{statement}' needs a connection for itself. Use {nameof(PgDataSource.OpenSessionAsync)}, then {nameof(PgSession.BeginAsync)}.")
            : (statement.Effect & SessionEffect.Belongs) != 0 ? new InvalidOperationException(
                $"'{statement}' is about the session that runs it, and would be undone before its caller continues: commands of a data source run "
                    + $"on connections that all callers share. Use {nameof(PgDataSource.OpenSessionAsync)}, and run it and what depends on it there.")
            : null;

    internal void Add(ServerConnection connection) => Volatile.Write(ref _connections, [.. _connections, connection]);

    internal bool Contains(ServerConnection connection) => IndexOf(connection) >= 0;

    internal bool Remove(ServerConnection connection)
    {
        int index = IndexOf(connection);
        if (index < 0)
        {
            return false;
        }

        Volatile.Write(ref _connections, [.. _connections.AsSpan(0, index), .. _connections.AsSpan(index + 1)]);
        return true;
    }

    internal bool IsExtra(ServerConnection connection) => HasExtra && IndexOf(connection) >= wantedCount;

    /// <summary>A free connection, else the one with the fewest commands among those that make progress.</summary>
    /// <param name="areExtrasWanted">Sessions wait for those beyond the wanted number: they get no more commands.</param>
    /// <param name="heldUp">The one with the fewest commands among those that are held up.</param>
    internal ServerConnection? Choose(bool areExtrasWanted, out ServerConnection? heldUp)
    {
        ServerConnection? running = null;
        heldUp = null;
        foreach (ServerConnection connection in _connections)
        {
            if (connection.IsCancelling || connection.IsRunningUserCode || (areExtrasWanted && IsExtra(connection)))
            {
                continue;
            }

            if (connection.Pipeline.Pending == 0)
            {
                return connection;
            }

            ref ServerConnection? best = ref connection.Pipeline.DelaysNextCommand ? ref heldUp : ref running;
            best = best is null || connection.Pipeline.Pending < best.Pipeline.Pending ? connection : best;
        }

        return running;
    }

    internal ServerConnection? FindTooOld() => Array.Find(_connections, static connection => connection.IsTooOld);

    /// <summary>Removes the first that nothing is under way on; or null.</summary>
    internal ServerConnection? TakeFree()
    {
        ServerConnection? free = Array.Find(_connections, static connection => connection.Pipeline.Pending == 0 && !connection.IsCancelling);
        if (free is not null)
        {
            Remove(free);
        }

        return free;
    }

    private int IndexOf(ServerConnection connection) => Array.IndexOf(_connections, connection);
}
