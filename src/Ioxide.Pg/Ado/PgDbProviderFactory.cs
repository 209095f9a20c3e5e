using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>
/// Creates the ADO.NET objects: for libraries and for <see cref="DbProviderFactories.RegisterFactory(string, DbProviderFactory)"/>.
/// </summary>
/// <remarks>Threads: any.</remarks>
public sealed class PgDbProviderFactory : DbProviderFactory
{
    /// <summary>The only instance.</summary>
    public static readonly PgDbProviderFactory Instance = new();

    private PgDbProviderFactory()
    {
    }

    /// <inheritdoc/>
    public override bool CanCreateBatch => true;

    /// <inheritdoc/>
    public override bool CanCreateDataAdapter => true;

    /// <inheritdoc/>
    public override bool CanCreateCommandBuilder => true;

    /// <inheritdoc/>
    public override DbDataAdapter CreateDataAdapter() => new PgDbDataAdapter();

    /// <inheritdoc/>
    public override DbCommandBuilder CreateCommandBuilder() => new PgDbCommandBuilder();

    /// <inheritdoc/>
    public override DbConnection CreateConnection() => new NpgsqlConnection();

    /// <inheritdoc/>
    public override DbCommand CreateCommand() => new PgDbCommand();

    /// <inheritdoc/>
    public override DbParameter CreateParameter() => new PgDbParameter();

    /// <inheritdoc/>
    public override DbBatch CreateBatch() => new PgDbBatch();

    /// <inheritdoc/>
    public override DbBatchCommand CreateBatchCommand() => new PgDbBatchCommand();

    /// <inheritdoc/>
    public override DbConnectionStringBuilder CreateConnectionStringBuilder() => new PgDbConnectionStringBuilder();

    /// <summary>
    /// Creates a data source with its own pools, on the reactors of the running host or, without a host, of the process
    /// (<see cref="PgDbConnection(string)"/>). Disposing it closes its connections.
    /// </summary>
    /// <exception cref="ArgumentException">The connection string is malformed.</exception>
    public override DbDataSource CreateDataSource(string connectionString) => new PgDbDataSource(ConnectionText.Get(connectionString));
}
