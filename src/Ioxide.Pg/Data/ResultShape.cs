namespace Ioxide.Pg.Data;

/// <summary>The columns of a result in ADO.NET's form. Created once per statement.</summary>
internal sealed class ResultShape
{
    private readonly string?[] _typeNames;

    private ResultShape(ResultColumns columns)
    {
        Columns = columns;
        Names = new string[columns.Count];
        Readers = new ColumnReader[columns.Count];
        _typeNames = new string[columns.Count];
        for (int i = 0; i < columns.Count; i++)
        {
            Names[i] = columns.NameOf(i);
            Readers[i] = ColumnReader.Of(columns.TypeIds[i], columns.ModifierOf(i));
        }
    }

    internal ResultColumns Columns { get; }

    internal string[] Names { get; }

    internal ColumnReader[] Readers { get; }

    internal static ResultShape Of(ResultColumns columns)
    {
        if (columns.Shape is ResultShape shape)
        {
            return shape;
        }

        shape = new ResultShape(columns);
        columns.Shape = shape;
        return shape;
    }

    internal string TypeNameOf(int ordinal) => _typeNames[ordinal] ??= TypeNames.Of(Columns.TypeIds[ordinal], Columns.ModifierOf(ordinal));

    /// <summary>The column of a name: first an exact match, then a case-insensitive one. -1: none.</summary>
    internal int IndexOf(string name)
    {
        int index = Array.IndexOf(Names, name);
        return index >= 0 ? index : Array.FindIndex(Names, candidate => candidate.Equals(name, StringComparison.OrdinalIgnoreCase));
    }
}
