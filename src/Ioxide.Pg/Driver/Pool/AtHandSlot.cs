namespace Ioxide.Pg;

/// <summary>
/// The connection that a session outside the reactors has given back, for the next such session: neither of the two enters the reactor, so that
/// a caller there pays one way to the reactor and back per command, and none to open and close.
/// </summary>
/// <remarks>
/// It stays leased, with nothing to answer and nothing to reset. The reactor takes it back as soon as anybody else could use it, and each time
/// that the clock looks, so that a limit on age or idleness is not missed by more than a second. Threads: any, unless a member says otherwise.
/// </remarks>
internal sealed class AtHandSlot(ReactorPool pool)
{
    private ServerConnection? _connection;

    /// <summary>A snapshot.</summary>
    internal bool IsTaken => Volatile.Read(ref _connection) is not null;

    /// <summary>Takes the connection for a session; or null.</summary>
    internal ServerConnection? Take()
    {
        ServerConnection? taken = IsTaken && !pool.IsToClear ? Interlocked.Exchange(ref _connection, null) : null;
        if (taken is null or { IsClean: true })
        {
            return taken;
        }

        // The server has ended it, or has changed a setting.
        pool.Reactor.TryEnqueue(WorkItem.Of(pool, taken, static (pool, connection) => pool.GiveBack(connection)));
        return null;
    }

    /// <summary>Keeps the connection of a session whose commands have all ended. Threads: the session's user.</summary>
    /// <returns>False: the reactor has to take it back.</returns>
    internal bool TryKeep(ServerConnection connection)
    {
        if (!connection.IsClean || connection.IsTooOld || pool.IsWanted || Interlocked.CompareExchange(ref _connection, connection, null) is not null)
        {
            return false;
        }

        // Who has come to wait between the two looks may not have seen it. Who is later takes it back.
        return !pool.IsWanted || !TryForget(connection);
    }

    /// <summary>Takes the connection for the reactor; or null. Threads: the reactor's.</summary>
    /// <remarks>A full fence even if there is none: what the reactor has queued before is seen by whoever puts one there afterwards.</remarks>
    internal ServerConnection? TakeBack() => Interlocked.Exchange(ref _connection, null);

    /// <summary>Removes the connection. False: it is not here.</summary>
    internal bool TryForget(ServerConnection connection)
        => ReferenceEquals(Interlocked.CompareExchange(ref _connection, null, connection), connection);
}
