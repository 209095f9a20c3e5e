using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>A data source as ADO.NET knows it. Threads: any.</summary>
public sealed class PgDbDataSource : DbDataSource
{
    internal PgDbDataSource(PgDataSource source) => Source = source;

    /// <summary>The data source behind it, which owns the connections.</summary>
    public PgDataSource Source { get; }

    /// <summary>Host, database, role and encryption; never a secret.</summary>
    public override string ConnectionString => Source.Options.ToString();

    internal SqlTexts Texts { get; } = new();

    /// <summary>Makes a connection, not opened.</summary>
    public new PgDbConnection CreateConnection() => new NpgsqlConnection(this);

    /// <summary>Makes and opens a connection.</summary>
    public new async ValueTask<PgDbConnection> OpenConnectionAsync(CancellationToken cancellationToken = default)
    {
        PgDbConnection connection = CreateConnection();
        await connection.OpenAsync(cancellationToken).ConfigureAwait(false);
        return connection;
    }

    /// <inheritdoc/>
    protected override DbConnection CreateDbConnection() => CreateConnection();
}

/// <summary>The connection that users get as <see cref="PgDbConnection"/>.</summary>
/// <remarks>
/// Dapper tells by the name of the connection's type whether the database takes arrays as parameters; this is the only name that it
/// takes for PostgreSQL (Dapper.FeatureSupport). Without it <c>= any(@ids)</c> is spelled out to a row. DapperTests holds it.
/// </remarks>
internal sealed class NpgsqlConnection(PgDbDataSource source) : PgDbConnection(source);
