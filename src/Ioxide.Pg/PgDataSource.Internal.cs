namespace Ioxide.Pg;

/// <summary>The members that its connections and commands use.</summary>
public sealed partial class PgDataSource
{
    PgLog IDataSource.Log => Log;

    PgMetrics IDataSource.Metrics => Metrics;

    LeaseHolders? IDataSource.Holders => Holders;

    ConnectContext IDataSource.Context => Context;

    ColumnsCache IDataSource.Columns => Columns;

    PoolerWatch IDataSource.Poolers => Poolers;

    RingConnectionOptions IDataSource.TransportOptions => TransportOptions;

    bool IDataSource.HasNoticeHandler => HasNoticeHandler;

    void IDataSource.RaiseNotice(PgServerMessage notice) => RaiseNotice(notice);

    CancellationToken IDataSource.Closing => Closing;

    bool IDataSource.HasEnded => HasEnded;

    ObjectDisposedException IDataSource.ClosedError() => ClosedError();

    async ValueTask<ExclusiveUse> IDataSource.LeaseAsync(ConnectionPool pool, CancellationToken cancellationToken)
    {
        PgSession session = await OpenSessionAsync((ReactorPool)pool, cancellationToken).ConfigureAwait(true);
        return new ExclusiveUse(session.Target, session);
    }
}
