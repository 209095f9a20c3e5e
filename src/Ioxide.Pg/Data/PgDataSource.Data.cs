using Ioxide.Pg.Data;

namespace Ioxide.Pg;

/// <summary>The way to ADO.NET.</summary>
public sealed partial class PgDataSource
{
    private PgDbDataSource? _dbDataSource;

    /// <summary>The same database as a <see cref="System.Data.Common.DbDataSource"/>, for Dapper and other code that speaks ADO.NET.</summary>
    /// <returns>The same object each time. Disposing it disposes nothing: this data source stays the owner.</returns>
    public PgDbDataSource AsDbDataSource()
        => _dbDataSource ?? Interlocked.CompareExchange(ref _dbDataSource, new PgDbDataSource(this), null) ?? _dbDataSource;
}
