using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Pg.Data;

/// <summary>Makes the parts of ADO.NET that need no database. Connections come from <see cref="PgDataSource.AsDbDataSource"/>.</summary>
public sealed class PgDbProviderFactory : DbProviderFactory
{
    /// <summary>The one object.</summary>
    public static readonly PgDbProviderFactory Instance = new();

    private PgDbProviderFactory()
    {
    }

    /// <inheritdoc/>
    public override bool CanCreateBatch => true;

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

    /// <summary>Refused: a connection lives on a reactor, and only a data source knows the reactors.</summary>
    public override DbConnection CreateConnection()
        => throw new NotSupportedException($"Connections come from a data source: {nameof(PgDataSource)}.{nameof(PgDataSource.AsDbDataSource)}.");
}

/// <summary>Puts connection strings together, with checked keywords; see <see cref="PgDataSourceOptions.Parse"/>.</summary>
[SuppressMessage("Naming", "CA1710", Justification = "The framework's own name for it ends in Builder.")]
[SuppressMessage("Design", "CA1010", Justification = "The base class says what it enumerates.")]
public sealed class PgDbConnectionStringBuilder : DbConnectionStringBuilder
{
    /// <summary>The options that the string stands for.</summary>
    /// <exception cref="ArgumentException">A keyword is unknown, or a value malformed.</exception>
    public PgDataSourceOptions ToOptions() => PgDataSourceOptions.Parse(ConnectionString);
}
