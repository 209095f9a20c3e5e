using System.Collections.Concurrent;
using System.Globalization;
using System.Text;

namespace Ioxide.Pg.Data;

/// <summary>One statement in the form in which it is sent.</summary>
/// <param name="Statement">The statement, with <c>$1</c>, <c>$2</c> for its parameters.</param>
/// <param name="Parameters">For each parameter the index in the text's <see cref="ParsedSql.Names"/>.</param>
internal sealed record BoundStatement(PgStatement Statement, int[] Parameters);

/// <summary>The text of a command, split into statements. Created once per text. Threads: any.</summary>
internal sealed class ParsedSql
{
    // The maximum number of variants of a text, which differ in the names without a parameter.
    private const int MaxVariants = 16;

    // Lists up to this length are searched; longer ones use a table.
    private const int MaxSearched = 64;

    private readonly string _sql;
    private readonly List<StatementSpan> _pieces;
    private readonly ConcurrentDictionary<ulong, BoundStatement[]> _variants = new();
    private BoundStatement[]? _usual;

    /// <param name="sql">The text.</param>
    /// <param name="hasEscapes">A backslash escapes in every string.</param>
    internal ParsedSql(string sql, bool hasEscapes = false)
    {
        _sql = sql;
        _pieces = SqlTokenizer.Split(sql, hasEscapes);
        var names = new List<string>();
        foreach (StatementSpan piece in _pieces)
        {
            PlaceholderCount += piece.Placeholders.Length;
            foreach (SqlPlaceholder placeholder in piece.Placeholders)
            {
                if (placeholder.Index == names.Count)
                {
                    names.Add(placeholder.Name);
                }
            }
        }

        Names = [.. names];
    }

    /// <summary>The possible parameters, each once.</summary>
    internal string[] Names { get; }

    /// <summary>The approximate size with its statements, in bytes.</summary>
    internal int ByteCount => (_sql.Length * (sizeof(char) + 1)) + (_pieces.Count * 2 * PgStatement.FixedBytes) + (PlaceholderCount * 64);

    private int PlaceholderCount { get; }

    /// <summary>Returns the statements for the parameters of a command.</summary>
    /// <param name="missing">A bit per name without a parameter: such a placeholder is left as written.</param>
    /// <param name="source">Keeps the statements.</param>
    internal BoundStatement[] StatementsFor(ulong missing, PgDataSource source)
    {
        if (missing == 0)
        {
            return _usual ??= Rewrite(0, source);
        }

        if (_variants.TryGetValue(missing, out BoundStatement[]? found))
        {
            return found;
        }

        if (_variants.Count >= MaxVariants)
        {
            _variants.Clear();
        }

        return _variants.GetOrAdd(missing, Rewrite(missing, source));
    }

    /// <summary>The whole text as one statement without parameters, for the server's judgement.</summary>
    internal BoundStatement AsWritten(PgDataSource source) => new(source.Statement(_sql.Trim()).ForObjects(), []);

    /// <summary>Finds the parameter of each name.</summary>
    /// <param name="parameters">The command's.</param>
    /// <param name="indexes">Receives the index in the list, or -1.</param>
    /// <returns>The names without a parameter, one bit each.</returns>
    internal ulong Match(PgDbParameterCollection parameters, Span<int> indexes)
    {
        ulong missing = 0;
        Dictionary<string, int>? table = null;
        for (int i = 0; i < Names.Length; i++)
        {
            string name = Names[i];
            int index = name[0] == '$' ? Positional(name, parameters.Count) : IndexOf(name, i, parameters, ref table);
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

    private static int IndexOf(string name, int guess, PgDbParameterCollection parameters, ref Dictionary<string, int>? table)
    {
        if (parameters.Count <= MaxSearched || (guess < parameters.Count && parameters[guess].IsNamed(name)))
        {
            return parameters.IndexOf(name, guess);
        }

        if (table is null)
        {
            table = new Dictionary<string, int>(parameters.Count, StringComparer.OrdinalIgnoreCase);
            for (int i = 0; i < parameters.Count; i++)
            {
                table.TryAdd(parameters[i].BareName, i);
            }
        }

        return table.GetValueOrDefault(name, -1);
    }

    /// <summary>Without parameters the placeholder is left to the server: PREPARE has its own placeholders.</summary>
    private static int Positional(string name, int count)
        => count == 0 ? -1
            : int.TryParse(name.AsSpan(1), NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number >= 1 && number <= count
            ? number - 1
            : throw new InvalidOperationException($"The text has {name}, and the command {count} parameters.");

    private BoundStatement[] Rewrite(ulong missing, PgDataSource source)
    {
        int[] numbers = new int[Names.Length];
        return [.. _pieces.Select(piece => Rewrite(piece, missing, numbers, source))];
    }

    /// <param name="piece">One statement.</param>
    /// <param name="missing">Names without a parameter.</param>
    /// <param name="numbers">For each name its number in this statement; zeros before and after.</param>
    /// <param name="source">Keeps the statement.</param>
    private BoundStatement Rewrite(in StatementSpan piece, ulong missing, int[] numbers, PgDataSource source)
    {
        var text = new StringBuilder(piece.Length);
        var parameters = new List<int>();
        int position = piece.Start;
        foreach (SqlPlaceholder placeholder in piece.Placeholders)
        {
            int name = placeholder.Index;
            if (name < 64 && (missing & (1UL << name)) != 0)
            {
                continue;
            }

            if (numbers[name] == 0)
            {
                parameters.Add(name);
                numbers[name] = parameters.Count;
            }

            text.Append(_sql, position, placeholder.Start - position);
            text.Append(CultureInfo.InvariantCulture, $"{placeholder.Prefix}${numbers[name]}{placeholder.Suffix}");
            position = placeholder.Start + placeholder.Length;
        }

        foreach (int name in parameters)
        {
            numbers[name] = 0;
        }

        text.Append(_sql, position, piece.Start + piece.Length - position);
        return new BoundStatement(source.Statement(text.ToString().Trim()).ForObjects(), [.. parameters]);
    }
}

/// <summary>The texts of a data source, each split once. Threads: any.</summary>
internal sealed class ParsedSqlCache
{
    private readonly TextCache<ParsedSql> _texts = Make(hasEscapes: false);
    private readonly TextCache<ParsedSql> _escapedTexts = Make(hasEscapes: true);

    /// <param name="sql">The text.</param>
    /// <param name="hasEscapes">Whether a backslash escapes in every string in the session that runs the text.</param>
    internal ParsedSql Get(string sql, bool hasEscapes) => (hasEscapes ? _escapedTexts : _texts).Get(sql);

    private static TextCache<ParsedSql> Make(bool hasEscapes) => new(sql => new ParsedSql(sql, hasEscapes), static (_, text) => text.ByteCount);
}
