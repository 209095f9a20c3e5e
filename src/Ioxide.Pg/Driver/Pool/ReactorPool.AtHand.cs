namespace Ioxide.Pg;

/// <summary>
/// The connection that a session outside the reactors has given back, for the next such session: neither of the two enters the reactor, so that
/// a caller there pays one way to the reactor and back per command, and none to open and close.
/// </summary>
/// <remarks>
/// It stays leased, with nothing to answer and nothing to reset. The reactor takes it back as soon as anybody else could use it, and each time
/// that the clock looks, so that a limit on age or idleness is not missed by more than a second.
/// </remarks>
internal sealed partial class ReactorPool
{
    private ServerConnection? _atHand;

    /// <summary>Threads: any; a snapshot.</summary>
    internal bool HasAtHand => Volatile.Read(ref _atHand) is not null;

    /// <summary>Takes the connection for a session. Threads: any.</summary>
    internal ServerConnection? TakeAtHand()
    {
        ServerConnection? taken = HasAtHand ? Interlocked.Exchange(ref _atHand, null) : null;
        if (taken is null or { IsClean: true })
        {
            return taken;
        }

        // The server has ended it, or has changed a setting.
        Reactor.TryEnqueue(WorkItem.Of(this, taken, static (pool, connection) => pool.GiveBack(connection)));
        return null;
    }

    /// <summary>Keeps the connection of a session whose commands have all ended. Threads: the session's user.</summary>
    /// <returns>False: the reactor has to take it back.</returns>
    internal bool TryKeepAtHand(ServerConnection connection)
    {
        if (!connection.IsClean || IsTooOld(connection) || IsWanted || Interlocked.CompareExchange(ref _atHand, connection, null) is not null)
        {
            return false;
        }

        // Who has come to wait between the two looks may not have seen it. Who is later takes it back.
        return !IsWanted || !ReferenceEquals(Interlocked.CompareExchange(ref _atHand, null, connection), connection);
    }

    private bool IsWanted => _isClosed || !Options.Pooling || QueueLength > 0 || IsToGivePlace;

    /// <summary>Takes the connection for the reactor; or null. Threads: the reactor's.</summary>
    private ServerConnection? TakeBackAtHand()
    {
        // A full fence even if there is none: what the reactor has queued before is seen by whoever puts one there afterwards.
        if (Interlocked.Exchange(ref _atHand, null) is not { } connection || !_leased.Remove(connection))
        {
            return null;
        }

        connection.IsLeased = false;
        return connection;
    }

    private void PlaceAtHand()
    {
        if (TakeBackAtHand() is { } connection)
        {
            Place(connection);
        }
    }
}
