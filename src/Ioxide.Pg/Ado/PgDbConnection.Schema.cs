using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>Schema collections of the database.</summary>
public partial class PgDbConnection
{
    /// <summary>Returns the list of collections.</summary>
    public override DataTable GetSchema() => SchemaTables.MetaDataCollections();

    /// <inheritdoc cref="GetSchema(string, string?[])"/>
    public override DataTable GetSchema(string collectionName) => GetSchema(collectionName, []);

    /// <summary>
    /// Returns a collection, such as databases, tables, columns or keys. <c>MetaDataCollections</c> lists the collections, and
    /// <c>Restrictions</c> lists their restrictions.
    /// </summary>
    /// <param name="collectionName">The name of the collection, case-insensitive.</param>
    /// <param name="restrictionValues">A value for each restriction, in order; null means no restriction.</param>
    /// <exception cref="InvalidOperationException">The connection is not open, or has an open reader.</exception>
    /// <exception cref="ArgumentException">There is no such collection, or it has fewer restrictions.</exception>
    public override DataTable GetSchema(string collectionName, string?[]? restrictionValues)
    {
        if (StaticTable(collectionName, restrictionValues, out DataTable table, out PgDbCommand? command))
        {
            return table;
        }

        using (command)
        {
            using DbDataReader reader = command.ExecuteReader();
            while (reader.Read())
            {
                AddRow(table, reader);
            }
        }

        return table;
    }

    /// <inheritdoc cref="GetSchema()"/>
    public override Task<DataTable> GetSchemaAsync(CancellationToken cancellationToken = default)
        => cancellationToken.IsCancellationRequested ? Task.FromCanceled<DataTable>(cancellationToken) : Task.FromResult(GetSchema());

    /// <inheritdoc cref="GetSchema(string, string?[])"/>
    public override Task<DataTable> GetSchemaAsync(string collectionName, CancellationToken cancellationToken = default)
        => GetSchemaAsync(collectionName, [], cancellationToken);

    /// <inheritdoc cref="GetSchema(string, string?[])"/>
    public override async Task<DataTable> GetSchemaAsync(
        string collectionName, string?[] restrictionValues, CancellationToken cancellationToken = default)
    {
        if (StaticTable(collectionName, restrictionValues, out DataTable table, out PgDbCommand? command))
        {
            return table;
        }

        await using (command.ConfigureAwait(false))
        {
            DbDataReader reader = await command.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await using (reader.ConfigureAwait(false))
            {
                while (await reader.ReadAsync(cancellationToken).ConfigureAwait(false))
                {
                    AddRow(table, reader);
                }
            }
        }

        return table;
    }

    private static void AddRow(DataTable table, DbDataReader reader)
    {
        if (table.TableName == "DataTypes")
        {
            SchemaTables.AddType(table, reader);
            return;
        }

        object[] values = new object[reader.FieldCount];
        reader.GetValues(values);
        table.Rows.Add(values);
    }

    /// <summary>True: the table needs no query.</summary>
    private bool StaticTable(
        string collectionName, string?[]? restrictionValues, out DataTable table,
        [System.Diagnostics.CodeAnalysis.NotNullWhen(false)] out PgDbCommand? command)
    {
        ArgumentException.ThrowIfNullOrEmpty(collectionName);
        _ = OpenSession;
        command = null;
        switch (collectionName.ToUpperInvariant())
        {
            case "METADATACOLLECTIONS":
                table = SchemaTables.MetaDataCollections();
                return true;
            case "RESTRICTIONS":
                table = SchemaTables.Restrictions();
                return true;
            case "DATASOURCEINFORMATION":
                table = SchemaTables.DataSourceInformation(ServerVersion);
                return true;
            case "DATATYPES":
                table = SchemaTables.DataTypes();
                command = new PgDbCommand(SchemaTables.TypesSql, this);
                return false;
        }

        SchemaCollection collection = Array.Find(
            SchemaCollections.All, known => known.Name.Equals(collectionName, StringComparison.OrdinalIgnoreCase))
            ?? throw new ArgumentException($"There is no collection '{collectionName}'. GetSchema() lists them.", nameof(collectionName));
        table = collection.NewTable();
        command = collection.CommandFor(this, restrictionValues);
        return false;
    }
}
