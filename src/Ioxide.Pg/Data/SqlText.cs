using System.Collections.Concurrent;
using System.Data.Common;
using System.Globalization;
using System.Text;

namespace Ioxide.Pg.Data;

/// <summary>One statement as it is sent.</summary>
/// <param name="Statement">With <c>$1</c>, <c>$2</c> for its parameters.</param>
/// <param name="Parameters">For each of them the index in the text's <see cref="SqlText.Names"/>.</param>
internal sealed record SqlStatement(PgStatement Statement, int[] Parameters);

/// <summary>A text of a command, cut into statements. Made once a text. Threads: any.</summary>
internal sealed class SqlText
{
    private readonly string _sql;
    private readonly List<SqlPiece> _pieces;
    private readonly ConcurrentDictionary<ulong, SqlStatement[]> _variants = new();
    private SqlStatement[]? _usual;

    internal SqlText(string sql)
    {
        _sql = sql;
        _pieces = SqlTokenizer.Split(sql);
        var names = new List<string>();
        foreach (SqlPlaceholder placeholder in _pieces.SelectMany(static piece => piece.Placeholders))
        {
            if (IndexOf(names, placeholder.Name) < 0)
            {
                names.Add(placeholder.Name);
            }
        }

        Names = [.. names];
    }

    /// <summary>What may be parameters, each once.</summary>
    internal string[] Names { get; }

    /// <summary>The statements for parameters that a command has.</summary>
    /// <param name="missing">A bit for each name that it has not: such a place is left as it is written.</param>
    /// <param name="source">Keeps the statements.</param>
    internal SqlStatement[] StatementsFor(ulong missing, PgDataSource source)
    {
        if (missing == 0)
        {
            return _usual ??= Rewrite(0, source);
        }

        return _variants.TryGetValue(missing, out SqlStatement[]? found) ? found : _variants.GetOrAdd(missing, Rewrite(missing, source));
    }

    /// <summary>Finds for each name the parameter that it stands for.</summary>
    /// <param name="parameters">The command's.</param>
    /// <param name="indexes">Filled: the index in the list, or -1.</param>
    /// <returns>The names that have none, a bit each.</returns>
    internal ulong Match(PgDbParameterCollection parameters, Span<int> indexes)
    {
        ulong missing = 0;
        for (int i = 0; i < Names.Length; i++)
        {
            string name = Names[i];
            int index = name[0] == '$' ? Positional(name, parameters.Count) : parameters.IndexOf(name, i);
            indexes[i] = index;
            if (index < 0)
            {
                if (i >= 64)
                {
                    throw new InvalidOperationException($"There is no parameter '{name}'.");
                }

                missing |= 1UL << i;
            }
        }

        return missing;
    }

    /// <summary>A command without parameters leaves the place to the server: PREPARE has such places of its own.</summary>
    private static int Positional(string name, int count)
    {
        if (count == 0)
        {
            return -1;
        }

        int number = int.Parse(name.AsSpan(1), CultureInfo.InvariantCulture);
        return number >= 1 && number <= count
            ? number - 1
            : throw new InvalidOperationException($"The text has {name}, and the command {count} parameters.");
    }

    private SqlStatement[] Rewrite(ulong missing, PgDataSource source)
        => [.. _pieces.Select(piece => Rewrite(piece, missing, source))];

    private SqlStatement Rewrite(in SqlPiece piece, ulong missing, PgDataSource source)
    {
        var text = new StringBuilder(piece.Length);
        var parameters = new List<int>();
        int position = piece.Start;
        foreach (SqlPlaceholder placeholder in piece.Placeholders)
        {
            int name = IndexOf(Names, placeholder.Name);
            if (name < 64 && (missing & (1UL << name)) != 0)
            {
                continue;
            }

            int number = parameters.IndexOf(name);
            if (number < 0)
            {
                parameters.Add(name);
                number = parameters.Count - 1;
            }

            text.Append(_sql, position, placeholder.Start - position);
            text.Append(CultureInfo.InvariantCulture, $"{placeholder.Prefix}${number + 1}{placeholder.Suffix}");
            position = placeholder.Start + placeholder.Length;
        }

        text.Append(_sql, position, piece.Start + piece.Length - position);
        return new SqlStatement(source.Statement(text.ToString().Trim()), [.. parameters]);
    }

    private static int IndexOf(IReadOnlyList<string> names, string name)
    {
        for (int i = 0; i < names.Count; i++)
        {
            if (names[i].Equals(name, StringComparison.OrdinalIgnoreCase))
            {
                return i;
            }
        }

        return -1;
    }
}

/// <summary>The texts that a data source was asked for, cut once. Threads: any.</summary>
internal sealed class SqlTexts
{
    private const int MaxTexts = 1024;

    private readonly ConcurrentDictionary<string, SqlText> _byText = new(StringComparer.Ordinal);

    internal SqlText Get(string sql) => _byText.TryGetValue(sql, out SqlText? text) ? text : Add(sql);

    private SqlText Add(string sql)
    {
        // Texts without end are made by gluing values into them; none of them comes again.
        if (_byText.Count >= MaxTexts)
        {
            _byText.Clear();
        }

        return _byText.GetOrAdd(sql, static sql => new SqlText(sql));
    }
}
