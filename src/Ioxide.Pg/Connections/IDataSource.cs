namespace Ioxide.Pg;

/// <summary>What connections and commands need of the data source that they belong to.</summary>
internal interface IDataSource
{
    PgDataSourceOptions Options { get; }

    PgLog Log { get; }

    PgMetrics Metrics { get; }

    /// <summary>What making a connection needs: addresses, TLS, passwords.</summary>
    ConnectContext Context { get; }

    /// <summary>The columns of statements, which all connections share.</summary>
    ColumnsCache Columns { get; }

    PoolerWatch Poolers { get; }

    RingConnectionOptions TransportOptions { get; }

    /// <summary>Whether a notice goes to code of the application.</summary>
    bool HasNoticeHandler { get; }

    void RaiseNotice(PgServerMessage notice);

    /// <summary>Cancelled when closing begins.</summary>
    CancellationToken Closing { get; }

    /// <summary>No connection can be made any more: it is closed, or its reactors have ended.</summary>
    bool HasEnded { get; }

    ObjectDisposedException ClosedError();

    /// <summary>Leases a connection of the pool for one user.</summary>
    ValueTask<ExclusiveUse> LeaseAsync(ConnectionPool pool, CancellationToken cancellationToken);
}
