namespace Ioxide.Pg.Data;

/// <summary>The columns of a result in ADO.NET's form. Created once per statement.</summary>
internal sealed class ResultShape
{
    private readonly string?[] _typeNames;
    private readonly TypeCatalog _types;

    private ResultShape(ResultColumns columns, TypeCatalog types)
    {
        _types = types;
        Columns = columns;
        Names = new string[columns.Count];
        Readers = new ColumnReader[columns.Count];
        _typeNames = new string[columns.Count];
        for (int i = 0; i < columns.Count; i++)
        {
            Names[i] = columns.NameOf(i);
            Readers[i] = types.ReaderOf(columns.TypeIds[i], columns.ModifierOf(i));
        }
    }

    internal ResultColumns Columns { get; }

    internal string[] Names { get; }

    internal ColumnReader[] Readers { get; }

    /// <param name="columns">The columns.</param>
    /// <param name="types">The types of the database. A shape that was made with others is made again.</param>
    internal static ResultShape Of(ResultColumns columns, TypeCatalog types)
    {
        if (columns.Shape is ResultShape shape && ReferenceEquals(shape._types, types))
        {
            return shape;
        }

        shape = new ResultShape(columns, types);
        columns.Shape = shape;
        return shape;
    }

    internal string TypeNameOf(int ordinal)
        => _typeNames[ordinal] ??= _types.NameOf(Columns.TypeIds[ordinal]) ?? TypeNames.Of(Columns.TypeIds[ordinal], Columns.ModifierOf(ordinal));

    /// <summary>Whether the bytes of a value are the received bytes.</summary>
    internal bool HasOwnBytes(int ordinal) => Columns.TypeIds[ordinal] != PgTypeId.Bytea || Columns.Formats[ordinal] == PgFormat.Binary;

    /// <summary>Whether a value is read as text, and its bytes are that text.</summary>
    internal bool IsUtf8(int ordinal)
    {
        uint type = Columns.TypeIds[ordinal];
        return Readers[ordinal].Type == typeof(string) && type != PgTypeId.InternalChar
            && (Columns.Formats[ordinal] == PgFormat.Text || PgTypeTable.KindOf(type) is PgTypeKind.Text or PgTypeKind.Json or PgTypeKind.Jsonb);
    }

    /// <summary>Whether a version byte of the wire format may stand before a value.</summary>
    internal bool MayHaveVersion(int ordinal) => Columns.TypeIds[ordinal] == PgTypeId.Jsonb && Columns.Formats[ordinal] == PgFormat.Binary;

    /// <summary>The column of a name; -1: none.</summary>
    internal int IndexOf(string name) => IndexOf(Names, name);

    /// <summary>The place of a name: first an exact match, then a case-insensitive one. -1: none.</summary>
    internal static int IndexOf(string[] names, string name)
    {
        int index = Array.IndexOf(names, name);
        return index >= 0 ? index : Array.FindIndex(names, candidate => candidate.Equals(name, StringComparison.OrdinalIgnoreCase));
    }
}
