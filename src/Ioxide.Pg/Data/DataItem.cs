using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>One statement of an operation, with its values and with what came of it.</summary>
internal sealed class DataItem
{
    private BoundValue[] _values = [];
    private int _count;

    internal PgStatement Statement { get; private set; } = null!; // Set before it is sent.

    /// <summary>Rows to ask for; 0 is all.</summary>
    internal int MaxRows { get; private set; }

    /// <summary>A BEGIN that the user's first command brings with it: not his result.</summary>
    internal bool IsHidden { get; private set; }

    /// <summary>The command of a batch that it is of.</summary>
    internal PgDbBatchCommand? Source { get; private set; }

    internal PreparedStatement? Prepared { get; set; }

    /// <summary>Its Parse is in the flight.</summary>
    internal bool HasParse { get; set; }

    /// <summary>The Describe behind its Parse is answered.</summary>
    internal bool IsDescribed { get; set; }

    /// <summary>What its rows look like; known with its first row or its end.</summary>
    internal ResultColumns? Columns { get; set; }

    /// <summary>What it did; known with its end.</summary>
    internal PgTag Tag { get; set; }

    internal BoundValues Values => new(_values, _count);

    internal void Set(PgStatement statement, int maxRows, bool isHidden, PgDbBatchCommand? source)
    {
        MaxRows = maxRows;
        IsHidden = isHidden;
        Source = source;
        Restart();
        Statement = statement;
    }

    /// <summary>Binds the values, as they are now.</summary>
    internal void Bind(SqlStatement statement, ReadOnlySpan<int> indexes, PgDbParameterCollection parameters)
    {
        _count = statement.Parameters.Length;
        if (_values.Length < _count)
        {
            _values = new BoundValue[_count];
        }

        for (int i = 0; i < _count; i++)
        {
            _values[i] = parameters[indexes[statement.Parameters[i]]].Bind();
        }

        Statement = statement.Statement.ForTypes(KeyOf(Values));
    }

    internal void Restart()
    {
        Prepared = null;
        HasParse = false;
        IsDescribed = false;
        Columns = null;
        Tag = default;
    }

    /// <summary>Lets go of the values.</summary>
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
