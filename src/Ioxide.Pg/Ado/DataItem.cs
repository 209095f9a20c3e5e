using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>One statement of a round trip, with its values and its outcome.</summary>
internal sealed class DataItem
{
    private BoundValue[] _values = [];
    private int _count;

    internal PgStatement Statement { get; private set; } = null!; // Set before it is sent.

    /// <summary>A BEGIN that is sent with the user's first command, and is not part of its result.</summary>
    internal bool IsHidden { get; private set; }

    /// <summary>The batch command that it belongs to.</summary>
    internal PgDbBatchCommand? Source { get; private set; }

    internal PreparedStatement? Prepared { get; set; }

    /// <summary>Its Parse is part of the flight.</summary>
    internal bool HasParse { get; set; }

    /// <summary>The Describe after its Parse is answered.</summary>
    internal bool IsDescribed { get; set; }

    /// <summary>The columns of its rows; known with its first row or its end.</summary>
    internal ResultColumns? Columns { get; set; }

    /// <summary>Its outcome; known with its end.</summary>
    internal PgTag Tag { get; set; }

    internal BoundValues Values => new(_values, _count);

    internal void Set(PgStatement statement, bool isHidden, PgDbBatchCommand? source)
    {
        IsHidden = isHidden;
        Source = source;
        Restart();
        Statement = statement;
    }

    /// <summary>Binds the current values.</summary>
    /// <param name="statement">The statement.</param>
    /// <param name="indexes">For each name of the text the index of its parameter.</param>
    /// <param name="parameters">The command's.</param>
    /// <param name="types">The types of the database.</param>
    /// <param name="isDescribed">It is described only: where a parameter has a type, it needs no value.</param>
    internal void Bind(
        BoundStatement statement, ReadOnlySpan<int> indexes, PgDbParameterCollection parameters, TypeCatalog types, bool isDescribed)
    {
        _count = statement.Parameters.Length;
        if (_values.Length < _count)
        {
            _values = new BoundValue[_count];
        }

        for (int i = 0; i < _count; i++)
        {
            _values[i] = parameters[indexes[statement.Parameters[i]]].Bind(types, isDescribed);
        }

        Statement = statement.Statement.ForTypes(KeyOf(Values));
    }

    /// <summary>Adds the rows that it changed to a sum, which is -1 until a statement changes rows, and tells its batch command.</summary>
    internal void AddAffected(ref long sum)
    {
        if (Tag.Command is "INSERT" or "UPDATE" or "DELETE" or "MERGE" or "COPY" or "MOVE")
        {
            long affected = Math.Max(Tag.RowsAffected, 0);
            sum = Math.Max(sum, 0) + affected;
            Source?.Affected((int)Math.Min(affected, int.MaxValue));
        }
    }

    internal void Restart()
    {
        Prepared = null;
        HasParse = false;
        IsDescribed = false;
        Columns = null;
        Tag = default;
    }

    /// <summary>Releases the values.</summary>
    internal void Clear()
    {
        Restart();
        Array.Clear(_values, 0, _count);
        _count = 0;
        Source = null;
    }

    private static ulong KeyOf<T>(in T values)
        where T : struct, IPgParameters
        => values.TypeKey;
}
