using System.Collections.ObjectModel;
using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>The columns of a result as a schema table, ADO.NET's older form.</summary>
internal static class SchemaTable
{
    private static readonly (string Name, Type Type, Func<PgDbColumn, object?> Read)[] s_columns =
    [
        ("ColumnName", typeof(string), static column => column.ColumnName),
        ("ColumnOrdinal", typeof(int), static column => column.ColumnOrdinal),
        ("ColumnSize", typeof(int), static column => column.ColumnSize ?? -1),
        ("NumericPrecision", typeof(int), static column => column.NumericPrecision ?? 0),
        ("NumericScale", typeof(int), static column => column.NumericScale ?? 0),
        ("IsUnique", typeof(bool), static column => column.IsUnique == true),
        ("IsKey", typeof(bool), static column => column.IsKey == true),
        ("BaseServerName", typeof(string), static _ => ""),
        ("BaseCatalogName", typeof(string), static column => column.BaseCatalogName),
        ("BaseColumnName", typeof(string), static column => column.BaseColumnName),
        ("BaseSchemaName", typeof(string), static column => column.BaseSchemaName),
        ("BaseTableName", typeof(string), static column => column.BaseTableName),
        ("DataType", typeof(Type), static column => column.DataType),
        ("AllowDBNull", typeof(bool), static column => column.AllowDBNull),
        ("ProviderType", typeof(int), static column => (int)column.TypeId),
        ("IsAliased", typeof(bool), static column => column.IsAliased == true),
        ("IsExpression", typeof(bool), static column => column.IsExpression == true),
        ("IsIdentity", typeof(bool), static column => column.IsIdentity == true),
        ("IsAutoIncrement", typeof(bool), static column => column.IsAutoIncrement == true),
        ("IsRowVersion", typeof(bool), static _ => false),
        ("IsHidden", typeof(bool), static column => column.IsHidden == true),
        ("IsLong", typeof(bool), static column => column.IsLong == true),
        ("IsReadOnly", typeof(bool), static column => column.IsReadOnly == true),
        ("ProviderSpecificDataType", typeof(Type), static _ => null),
        ("DataTypeName", typeof(string), static column => column.DataTypeName),
    ];

    internal static DataTable Of(ReadOnlyCollection<DbColumn> columns)
    {
        DataTable table = SchemaTables.WithColumns(new DataTable("SchemaTable"), [.. s_columns.Select(static column => (column.Name, column.Type))]);
        foreach (DbColumn column in columns)
        {
            table.Rows.Add([.. s_columns.Select(known => known.Read((PgDbColumn)column))]);
        }

        return table;
    }
}
