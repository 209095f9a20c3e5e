using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>One column of a result.</summary>
/// <remarks>Properties of the base table are set only under <see cref="System.Data.CommandBehavior.KeyInfo"/>; they cost a query.</remarks>
public sealed class PgDbColumn : DbColumn
{
    internal PgDbColumn(ResultShape shape, int ordinal)
    {
        TypeId = shape.Columns.TypeIds[ordinal];
        TableId = shape.Columns.TableIdOf(ordinal);
        TableColumn = shape.Columns.TableColumnOf(ordinal);
        int modifier = shape.Columns.ModifierOf(ordinal);
        ColumnName = shape.Names[ordinal];
        ColumnOrdinal = ordinal;
        DataType = shape.Readers[ordinal].Type;
        DataTypeName = shape.TypeNameOf(ordinal);
        ColumnSize = TypeNames.LengthOf(TypeId, modifier);
        NumericPrecision = TypeNames.PrecisionOf(TypeId, modifier);
        NumericScale = TypeNames.ScaleOf(TypeId, modifier);
        IsLong = false;
    }

    /// <summary>The OID of the column's type.</summary>
    public uint TypeId { get; }

    /// <summary>The OID of its base table; 0 for a computed column.</summary>
    public uint TableId { get; }

    /// <summary>Its number in the base table, from 1; 0 for a computed column.</summary>
    public int TableColumn { get; }

    /// <param name="database">The database of the connection.</param>
    /// <param name="column">The catalogue's data; null for a computed column.</param>
    internal void Fill(string database, BaseColumn? column)
    {
        IsHidden = false;
        BaseCatalogName = database;
        IsExpression = column is null;
        IsKey = column?.IsKey ?? false;
        IsUnique = column?.IsUnique ?? false;
        IsIdentity = column?.IsIdentity ?? false;
        IsAutoIncrement = column is { IsIdentity: true } or { IsSerial: true };
        IsReadOnly = column is null or { IsGenerated: true };
        IsAliased = column is not null && column.Name != ColumnName;
        if (column is not null)
        {
            AllowDBNull = column.IsNullable;
            BaseSchemaName = column.Schema;
            BaseTableName = column.Table;
            BaseColumnName = column.Name;
        }
    }
}
