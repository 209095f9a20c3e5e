namespace Ioxide.Pg;

/// <summary>The pool that a connection belongs to, as connections and commands see it. Threads: the reactor's.</summary>
internal abstract class ConnectionPool(Reactor reactor, IDataSource dataSource) : CommandTarget(reactor, dataSource)
{
    internal PgDataSourceOptions Options { get; } = dataSource.Options;

    public PoolCounters Counters { get; } = new();

    /// <summary>Commands and leases that wait for a connection.</summary>
    internal abstract int QueueLength { get; }

    /// <summary>Whether session state is reset between users. A pooler runs each transaction in another session, where no state remains.</summary>
    internal bool Resets => Options.ResetOnReturn && !DataSource.Poolers.IsTransactional;

    /// <summary>All answers have arrived. Called by the connection.</summary>
    internal abstract void BecameIdle(ServerConnection connection);

    /// <summary>An answer came: there is room for another command. Called by the connection.</summary>
    internal abstract void HasRoom(ServerConnection connection);

    /// <summary>A command that was not sent comes back from a connection that is lost.</summary>
    internal abstract void Return(Operation operation, Exception reason);

    /// <summary>The connection is gone. Called by the connection, before its commands fail.</summary>
    internal abstract void Lost(ServerConnection connection, Exception cause);

    /// <summary>Asks the server to cancel the connection's running command. Only a few run at once: each takes a server process.</summary>
    internal abstract Task<CancelOutcome> CancelAsync(ServerConnection connection, StartedSession session, Operation operation);
}
