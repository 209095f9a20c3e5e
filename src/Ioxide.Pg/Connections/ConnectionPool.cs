namespace Ioxide.Pg;

/// <summary>The pool that a connection belongs to, as connections and commands see it. Threads: the reactor's.</summary>
internal abstract class ConnectionPool(Reactor reactor, IDataSource dataSource) : CommandTarget(reactor, dataSource)
{
    internal PgDataSourceOptions Options { get; } = dataSource.Options;

    public PoolCounters Counters { get; } = new();

    /// <summary>Commands and leases that wait for a connection.</summary>
    public abstract int QueueLength { get; }

    /// <summary>What a user leaves of a session is undone. A pooler serves each transaction by another session: there nothing stays.</summary>
    internal bool Resets => Options.ResetOnReturn && !DataSource.Poolers.IsTransactional;

    /// <summary>All answers are there. Called by the connection.</summary>
    internal abstract void BecameIdle(ServerConnection connection);

    /// <summary>An answer came: there is room for another command. Called by the connection.</summary>
    internal abstract void HasRoom(ServerConnection connection);

    /// <summary>A command that was not sent comes back from a connection that is lost.</summary>
    internal abstract void Return(Operation operation, Exception reason);

    /// <summary>The connection is gone. Called by the connection, before its commands are told.</summary>
    internal abstract void Lost(ServerConnection connection, Exception cause);

    /// <summary>Asks the server to cancel what the connection runs. At most a few at once: each takes a process of the server.</summary>
    internal abstract Task<CancelOutcome> CancelAsync(ServerConnection connection, StartedSession session, Operation operation);
}
