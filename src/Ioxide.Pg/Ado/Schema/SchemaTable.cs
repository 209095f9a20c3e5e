using System.Collections.ObjectModel;
using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Pg.Data;

/// <summary>The columns of a result as a schema table, ADO.NET's older form.</summary>
internal static class SchemaTable
{
    [UnconditionalSuppressMessage("Trimming", "IL2111", Justification = "No member of the column of types is looked up by name.")]
    internal static DataTable Of(ReadOnlyCollection<DbColumn> columns)
    {
        var table = new DataTable("SchemaTable");
        DataColumnCollection all = table.Columns;
        all.Add("ColumnName", typeof(string));
        all.Add("ColumnOrdinal", typeof(int));
        all.Add("ColumnSize", typeof(int));
        all.Add("NumericPrecision", typeof(int));
        all.Add("NumericScale", typeof(int));
        all.Add("IsUnique", typeof(bool));
        all.Add("IsKey", typeof(bool));
        all.Add("BaseServerName", typeof(string));
        all.Add("BaseCatalogName", typeof(string));
        all.Add("BaseColumnName", typeof(string));
        all.Add("BaseSchemaName", typeof(string));
        all.Add("BaseTableName", typeof(string));
        all.Add("DataType", typeof(Type));
        all.Add("AllowDBNull", typeof(bool));
        all.Add("ProviderType", typeof(int));
        all.Add("IsAliased", typeof(bool));
        all.Add("IsExpression", typeof(bool));
        all.Add("IsIdentity", typeof(bool));
        all.Add("IsAutoIncrement", typeof(bool));
        all.Add("IsRowVersion", typeof(bool));
        all.Add("IsHidden", typeof(bool));
        all.Add("IsLong", typeof(bool));
        all.Add("IsReadOnly", typeof(bool));
        all.Add("ProviderSpecificDataType", typeof(Type));
        all.Add("DataTypeName", typeof(string));
        foreach (DbColumn column in columns)
        {
            DataRow row = table.NewRow();
            row["ColumnName"] = column.ColumnName;
            row["ColumnOrdinal"] = column.ColumnOrdinal!; // Always set.
            row["ColumnSize"] = column.ColumnSize ?? -1;
            row["NumericPrecision"] = column.NumericPrecision ?? 0;
            row["NumericScale"] = column.NumericScale ?? 0;
            row["DataType"] = column.DataType;
            row["ProviderType"] = (int)((PgDbColumn)column).TypeId;
            row["DataTypeName"] = column.DataTypeName;
            row["BaseServerName"] = "";
            row["BaseCatalogName"] = OrNull(column.BaseCatalogName);
            row["BaseSchemaName"] = OrNull(column.BaseSchemaName);
            row["BaseTableName"] = OrNull(column.BaseTableName);
            row["BaseColumnName"] = OrNull(column.BaseColumnName);
            row["IsUnique"] = column.IsUnique == true;
            row["IsKey"] = column.IsKey == true;
            row["AllowDBNull"] = OrNull(column.AllowDBNull);
            row["IsAliased"] = column.IsAliased == true;
            row["IsExpression"] = column.IsExpression == true;
            row["IsIdentity"] = column.IsIdentity == true;
            row["IsAutoIncrement"] = column.IsAutoIncrement == true;
            row["IsHidden"] = column.IsHidden == true;
            row["IsReadOnly"] = column.IsReadOnly == true;
            row["IsRowVersion"] = false;
            row["IsLong"] = column.IsLong == true;
            table.Rows.Add(row);
        }

        return table;
    }

    private static object OrNull(object? value) => value ?? DBNull.Value;
}
