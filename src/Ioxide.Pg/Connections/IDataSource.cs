namespace Ioxide.Pg;

/// <summary>The members of a data source that its connections and commands use.</summary>
internal interface IDataSource
{
    PgDataSourceOptions Options { get; }

    PgLog Log { get; }

    PgMetrics Metrics { get; }

    /// <summary>Who has a session open; null where that is not traced.</summary>
    LeaseHolders? Holders { get; }

    /// <summary>The means to open a connection: addresses, TLS, passwords.</summary>
    ConnectContext Context { get; }

    /// <summary>The columns of statements, which all connections share.</summary>
    ColumnsCache Columns { get; }

    PoolerWatch Poolers { get; }

    RingConnectionOptions TransportOptions { get; }

    /// <summary>Whether a notice has a handler in the application.</summary>
    bool HasNoticeHandler { get; }

    void RaiseNotice(PgServerMessage notice);

    /// <summary>Cancelled when closing begins.</summary>
    CancellationToken Closing { get; }

    /// <summary>No further connection can be opened: it is closed, or its reactors have ended.</summary>
    bool HasEnded { get; }

    ObjectDisposedException ClosedError();

    /// <summary>Leases a connection of the pool for one user.</summary>
    ValueTask<ExclusiveUse> LeaseAsync(ConnectionPool pool, CancellationToken cancellationToken);
}
