using Ioxide.Pg.Data;

namespace Ioxide.Pg;

/// <summary>Access through ADO.NET.</summary>
public sealed partial class PgDataSource
{
    private PgDbDataSource? _dbDataSource;

    /// <summary>Returns this database as a <see cref="System.Data.Common.DbDataSource"/>, for Dapper and other ADO.NET code.</summary>
    /// <returns>The same object each time. Disposing it has no effect: this data source stays the owner.</returns>
    public PgDbDataSource AsDbDataSource()
        => _dbDataSource ?? Interlocked.CompareExchange(ref _dbDataSource, new PgDbDataSource(this), null) ?? _dbDataSource;

    /// <summary>As <see cref="DisposeAsync"/>, but blocks. On a reactor the others of its connections are served meanwhile.</summary>
    public void Dispose() => BlockingWait.For(this);
}
