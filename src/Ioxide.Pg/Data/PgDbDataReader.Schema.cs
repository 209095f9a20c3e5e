using System.Collections.ObjectModel;
using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Pg.Data;

/// <summary>The columns of the result.</summary>
public sealed partial class PgDbDataReader : IDbColumnSchemaGenerator
{
    /// <inheritdoc/>
    public override string GetName(int ordinal) => Checked(ordinal).Names[ordinal];

    /// <summary>The column of a name: written the same, else without regard to case.</summary>
    /// <exception cref="IndexOutOfRangeException">There is none.</exception>
    public override int GetOrdinal(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        int index = Open()._shape.IndexOf(name);
        return index >= 0 ? index : throw NoColumn($"The result has no column '{name}'.");
    }

    /// <summary>The type as SQL names it: <c>integer</c>, <c>character varying(10)</c>.</summary>
    public override string GetDataTypeName(int ordinal) => Checked(ordinal).TypeNameOf(ordinal);

    /// <summary>The type of what <see cref="GetValue"/> returns.</summary>
    [return: DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.PublicProperties)]
    [UnconditionalSuppressMessage("Trimming", "IL2073", Justification = "The types are the framework's scalars and this assembly's structs, used as values.")]
    public override Type GetFieldType(int ordinal) => Checked(ordinal).Readers[ordinal].Type;

    /// <summary>The OID of the column's type.</summary>
    public uint GetTypeId(int ordinal) => Checked(ordinal).Columns.TypeIds[ordinal];

    /// <summary>The columns with what the server says of them. Base tables are not looked up.</summary>
    public ReadOnlyCollection<DbColumn> GetColumnSchema()
    {
        ResultShape shape = Open()._shape;
        var columns = new DbColumn[shape.Names.Length];
        for (int i = 0; i < columns.Length; i++)
        {
            columns[i] = new PgDbColumn(shape, i);
        }

        return new ReadOnlyCollection<DbColumn>(columns);
    }

    /// <inheritdoc/>
    [UnconditionalSuppressMessage("Trimming", "IL2111", Justification = "No member of the column of types is looked up by name.")]
    public override DataTable? GetSchemaTable()
    {
        if (FieldCount == 0)
        {
            return null;
        }

        var table = new DataTable("SchemaTable");
        table.Columns.Add("ColumnName", typeof(string));
        table.Columns.Add("ColumnOrdinal", typeof(int));
        table.Columns.Add("ColumnSize", typeof(int));
        table.Columns.Add("NumericPrecision", typeof(int));
        table.Columns.Add("NumericScale", typeof(int));
        table.Columns.Add("DataType", typeof(Type));
        table.Columns.Add("DataTypeName", typeof(string));
        table.Columns.Add("ProviderType", typeof(int));
        table.Columns.Add("AllowDBNull", typeof(bool));
        table.Columns.Add("IsLong", typeof(bool));
        foreach (DbColumn column in GetColumnSchema())
        {
            DataRow row = table.NewRow();
            row["ColumnName"] = column.ColumnName;
            row["ColumnOrdinal"] = column.ColumnOrdinal!;
            row["ColumnSize"] = column.ColumnSize ?? -1;
            row["NumericPrecision"] = column.NumericPrecision ?? 0;
            row["NumericScale"] = column.NumericScale ?? 0;
            row["DataType"] = column.DataType;
            row["DataTypeName"] = column.DataTypeName;
            row["ProviderType"] = (int)((PgDbColumn)column).TypeId;
            row["AllowDBNull"] = DBNull.Value;
            row["IsLong"] = false;
            table.Rows.Add(row);
        }

        return table;
    }

    private ResultShape Checked(int ordinal)
    {
        ResultShape shape = Open()._shape;
        return (uint)ordinal < (uint)shape.Names.Length ? shape
            : !_isInResult ? throw new InvalidOperationException("There is no result, so it has no columns.")
            : throw NoColumn($"Column {ordinal} is none of the {shape.Names.Length} columns, which count from 0.");
    }

    [SuppressMessage("Usage", "CA2201", Justification = "ADO.NET's contract names this exception.")]
    private static IndexOutOfRangeException NoColumn(string message) => new(message);
}

/// <summary>One column of a result.</summary>
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

    /// <summary>The OID of its type.</summary>
    public uint TypeId { get; }

    /// <summary>The OID of the table that it is a column of; 0 for a computed one.</summary>
    public uint TableId { get; }

    /// <summary>Its number in that table, from 1; 0 for a computed one.</summary>
    public int TableColumn { get; }
}
