using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>One column of a result.</summary>
/// <remarks>
/// Properties of the base table are set only for a table's column under <see cref="System.Data.CommandBehavior.KeyInfo"/>; they cost a query.
/// </remarks>
public sealed class PgDbColumn : DbColumn
{
    internal PgDbColumn(ResultShape shape, int ordinal, string database, string? server)
    {
        TypeId = shape.Columns.TypeIds[ordinal];
        TableId = shape.Columns.TableIdOf(ordinal);
        TableColumn = shape.Columns.TableColumnOf(ordinal);
        int modifier = shape.Columns.ModifierOf(ordinal);
        ColumnName = shape.Names[ordinal];
        ColumnOrdinal = ordinal;
        DataType = shape.Readers[ordinal].Type;
        DataTypeName = TypeNames.Of(TypeId, modifier: -1);
        PgTypeEntry type = PgTypeTable.Find(TypeId);
        uint element = type.Kind == PgTypeKind.Array ? type.ElementId : TypeId;
        ColumnSize = TypeNames.LengthOf(element, modifier);
        NumericPrecision = TypeNames.PrecisionOf(element, modifier);
        NumericScale = TypeNames.ScaleOf(element, modifier);
        IsLong = TypeId == PgTypeId.Bytea;
        IsHidden = false;
        IsExpression = false;
        IsIdentity = false;
        IsReadOnly = true;
        BaseCatalogName = database;
        BaseServerName = server;
    }

    /// <summary>The OID of the column's type.</summary>
    public uint TypeId { get; }

    /// <summary>The OID of its base table; 0 for a computed column.</summary>
    public uint TableId { get; }

    /// <summary>Its number in the base table, from 1; 0 for a computed column.</summary>
    public int TableColumn { get; }

    /// <summary>Sets what the catalogue knows of the table column behind it.</summary>
    internal void Fill(BaseColumn column)
    {
        IsKey = column.IsKey;
        IsUnique = column.IsUnique;
        IsIdentity = column.IsIdentity;
        IsAutoIncrement = column.IsIdentity || column.IsSerial;
        IsReadOnly = !column.IsUpdatable;
        IsAliased = column.Name != ColumnName;
        AllowDBNull = column.IsNullable;
        BaseSchemaName = column.Schema;
        BaseTableName = column.Table;
        BaseColumnName = column.Name;
    }
}
