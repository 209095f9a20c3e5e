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

    /// <summary>Finds a column by name: first an exact match, then a case-insensitive one.</summary>
    /// <exception cref="IndexOutOfRangeException">There is no such column.</exception>
    public override int GetOrdinal(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        int index = _rows.Open().Shape.IndexOf(name);
        return index >= 0 ? index
            : FieldCount == 0 ? throw new InvalidOperationException("There is no result: its rows are read, or the statement has none.")
            : throw FieldValue.OutOfRange($"The result has no column '{name}'.");
    }

    /// <summary>The type as SQL names it: <c>integer</c>, <c>character varying(10)</c>.</summary>
    public override string GetDataTypeName(int ordinal) => Checked(ordinal).TypeNameOf(ordinal);

    /// <summary>The type of the object that <see cref="GetValue"/> returns.</summary>
    [return: DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.PublicProperties)]
    [UnconditionalSuppressMessage(
        "Trimming", "IL2073", Justification = "The types are the framework's scalars and this assembly's structs, used as values.")]
    public override Type GetFieldType(int ordinal) => Checked(ordinal).Readers[ordinal].Type;

    /// <summary>The OID of the column's type.</summary>
    public uint GetTypeId(int ordinal) => Checked(ordinal).Columns.TypeIds[ordinal];

    /// <summary>Returns the columns with the server's description of them.</summary>
    /// <remarks>
    /// Keys, base tables and nullability are looked up only for a command that ran with <see cref="CommandBehavior.KeyInfo"/>. The look-up reads
    /// the catalogue on another connection, so a table that the open transaction created has none.
    /// </remarks>
    public ReadOnlyCollection<DbColumn> GetColumnSchema()
    {
        ResultShape shape = _rows.Open().Shape;
        return WantsKeys(shape)
            ? Columns(shape, BlockingWait.For(
                _rows.Connection.OpenSession, (_rows.Connection.Source.Source, shape.Columns),
                static state => BaseColumn.FindAsync(state.Source, state.Columns)))
            : Columns(shape, null);
    }

    /// <inheritdoc cref="GetColumnSchema"/>
    public override async Task<ReadOnlyCollection<DbColumn>> GetColumnSchemaAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        ResultShape shape = _rows.Open().Shape;
        PgDataSource source = _rows.Connection.Source.Source;
        return Columns(shape, WantsKeys(shape) ? await BaseColumn.FindAsync(source, shape.Columns).ConfigureAwait(false) : null);
    }

    /// <inheritdoc cref="GetColumnSchema"/>
    public override DataTable? GetSchemaTable() => FieldCount == 0 ? null : SchemaTable.Of(GetColumnSchema());

    /// <inheritdoc cref="GetColumnSchema"/>
    public override async Task<DataTable?> GetSchemaTableAsync(CancellationToken cancellationToken = default)
        => FieldCount == 0 ? null : SchemaTable.Of(await GetColumnSchemaAsync(cancellationToken).ConfigureAwait(false));

    private bool WantsKeys(ResultShape shape) => (_rows.Behavior & CommandBehavior.KeyInfo) != 0 && shape.Names.Length > 0;

    private ReadOnlyCollection<DbColumn> Columns(ResultShape shape, List<BaseColumn>? found)
    {
        var columns = new DbColumn[shape.Names.Length];
        for (int i = 0; i < columns.Length; i++)
        {
            var column = new PgDbColumn(shape, i, _rows.Connection.Database, _rows.Connection.HostName);
            if (found?.Find(known => known.TableId == column.TableId && known.Number == column.TableColumn) is { } known)
            {
                column.Fill(known);
            }

            columns[i] = column;
        }

        return new ReadOnlyCollection<DbColumn>(columns);
    }

    private ResultShape Checked(int ordinal)
    {
        ResultShape shape = _rows.Open().Shape;
        return (uint)ordinal < (uint)shape.Names.Length ? shape
            : _rows.IsInResult ? throw _rows.NoColumn(ordinal)
            : throw new InvalidOperationException("There is no result, so it has no columns.");
    }
}
