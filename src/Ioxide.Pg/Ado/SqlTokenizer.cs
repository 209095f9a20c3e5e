namespace Ioxide.Pg.Data;

/// <summary>A place in a text that may be a parameter.</summary>
/// <param name="Start">Index of the marker.</param>
/// <param name="Length">The number of characters to replace, including a preceding word <c>in</c>.</param>
/// <param name="Name">The name without its marker; <c>$3</c> for a positional one.</param>
/// <param name="Index">The number of other names before its first use. Names that differ only in case are the same.</param>
/// <param name="Prefix">The text before the number.</param>
/// <param name="Suffix">The text after the number.</param>
internal readonly record struct SqlPlaceholder(int Start, int Length, string Name, int Index, string Prefix, string Suffix);

/// <summary>One statement of a text.</summary>
internal readonly record struct StatementSpan(int Start, int Length, SqlPlaceholder[] Placeholders);

/// <summary>Splits a text into statements and finds possible parameters: <c>@name</c>, <c>:name</c>, <c>$1</c>.</summary>
/// <param name="sql">The text.</param>
/// <param name="hasEscapes">A backslash escapes in every string: <c>standard_conforming_strings</c> is off.</param>
/// <remarks>
/// It knows strings ('', E'', U&amp;'', $tag$), quoted names, comments (nested), casts (<c>::</c>), operators with <c>@</c> and
/// <c>?</c>, parentheses, and the bodies of SQL functions (BEGIN ATOMIC). <c>in @p</c> without parentheses, which is no SQL, becomes
/// <c>= any($1)</c>: a list is one array, whatever its length. Source: PostgreSQL manual, 4.1 Lexical Structure.
/// </remarks>
internal ref struct SqlTokenizer(string sql, bool hasEscapes)
{
    private readonly List<StatementSpan> _pieces = [];
    private readonly List<SqlPlaceholder> _placeholders = [];
    private readonly Dictionary<string, int> _names = new(StringComparer.OrdinalIgnoreCase);
    private int _position;
    private int _start;
    private int _depth;
    private int _bodyDepth;
    private bool _hasContent;
    private bool _isAfterBegin;
    private bool _isAfterPosition;

    // The depths at which "in" is a part of position(... in ...), innermost last; null as long as there is none.
    private Stack<int>? _positionDepths;

    // The start and end of "in" or "not in", to be joined with a placeholder that follows.
    private int _inStart = -1;
    private bool _isNegated;
    private int _notStart = -1;

    internal static List<StatementSpan> Split(string sql, bool hasEscapes = false)
    {
        var tokenizer = new SqlTokenizer(sql, hasEscapes);
        tokenizer.Run();
        return tokenizer._pieces;
    }

    private readonly bool IsInPosition => _positionDepths is { Count: > 0 } depths && depths.Peek() == _depth;

    private readonly char Next => _position + 1 < sql.Length ? sql[_position + 1] : '\0';

    private void Run()
    {
        while (_position < sql.Length)
        {
            char c = sql[_position];
            if (char.IsWhiteSpace(c))
            {
                _position++;
            }
            else if (c == '-' && Next == '-')
            {
                _position = SqlGrammar<char>.EndOfLine(sql, _position);
            }
            else if (c == '/' && Next == '*')
            {
                MoveTo(SqlGrammar<char>.EndOfComment(sql, _position));
            }
            else if (c == ';' && _depth == 0 && _bodyDepth == 0)
            {
                EndPiece();
                _position++;
                _start = _position;
            }
            else
            {
                _hasContent = true;
                ReadToken(c);
            }
        }

        EndPiece();
        if (_pieces.Count == 0)
        {
            _pieces.Add(new StatementSpan(0, 0, []));
        }
    }

    private void ReadToken(char c)
    {
        if (SqlGrammar<char>.IsNameStart(c))
        {
            ReadWord();
            return;
        }

        if (c is '@' or ':' && IsMarker(c))
        {
            int end = _position + 1;
            while (end < sql.Length && IsParameterPart(sql[end]))
            {
                end++;
            }

            Add(end, sql[(_position + 1)..end].TrimEnd('.'));
            return;
        }

        if (c == '$')
        {
            ReadDollar();
            return;
        }

        bool isAfterPosition = _isAfterPosition;
        _inStart = -1;
        _notStart = -1;
        _isAfterBegin = _isAfterPosition = false;
        switch (c)
        {
            case '\'':
                MoveTo(SqlGrammar<char>.EndOfString(sql, _position, hasEscapes));
                break;
            case '"':
                MoveTo(SqlGrammar<char>.EndOfQuoted(sql, _position, hasEscapes: false));
                break;
            case '(':
                _depth++;
                _position++;
                if (isAfterPosition)
                {
                    (_positionDepths ??= new()).Push(_depth);
                }

                break;
            case ')':
                if (IsInPosition)
                {
                    _positionDepths!.Pop();
                }

                _depth = Math.Max(0, _depth - 1);
                _position++;
                break;
            default:
                // Two colons are a cast, two at signs an operator: the second character is no marker.
                _position += c is ':' or '@' && Next == c ? 2 : char.IsAsciiDigit(c) ? NumberLength() : 1;
                break;
        }
    }

    private readonly bool IsMarker(char c)
    {
        char before = _position > 0 ? sql[_position - 1] : '\0';
        return before != c && IsParameterStart(Next, c);
    }

    // A word of a name, or of the language.
    private void ReadWord()
    {
        int start = _position;
        _position = SqlGrammar<char>.EndOfName(sql, start);
        ReadOnlySpan<char> word = sql.AsSpan(start, _position - start);
        if (word is "e" or "E" or "b" or "B" or "x" or "X" && _position < sql.Length && sql[_position] == '\'')
        {
            MoveTo(SqlGrammar<char>.EndOfString(sql, _position, hasEscapes: word is "e" or "E"));
            return;
        }

        bool isNot = Is(word, "not");
        if (Is(word, "in") && !IsInPosition)
        {
            _isNegated = _notStart >= 0;
            _inStart = _isNegated ? _notStart : start;
            _notStart = -1;
        }
        else
        {
            _inStart = -1;
            _notStart = isNot ? start : -1;
        }

        TrackBody(word);
    }

    /// <summary>Tracks BEGIN ATOMIC ... END, in which semicolons do not end a statement of the text.</summary>
    private void TrackBody(ReadOnlySpan<char> word)
    {
        if (_isAfterBegin && Is(word, "atomic"))
        {
            _bodyDepth++;
        }
        else if (_bodyDepth > 0 && Is(word, "case"))
        {
            _bodyDepth++;
        }
        else if (_bodyDepth > 0 && Is(word, "end"))
        {
            _bodyDepth--;
        }

        _isAfterBegin = Is(word, "begin");
        _isAfterPosition = Is(word, "position");
    }

    private void ReadDollar()
    {
        int end = _position + 1;
        if (char.IsAsciiDigit(Next))
        {
            while (end < sql.Length && char.IsAsciiDigit(sql[end]))
            {
                end++;
            }

            Add(end, sql[_position..end]);
            return;
        }

        _inStart = -1;
        _notStart = -1;
        int tagLength = SqlGrammar<char>.TagLength(sql, _position);
        MoveTo(tagLength > 0 ? SqlGrammar<char>.EndOfTagged(sql, _position, tagLength) : _position + 1);
    }

    private void Add(int end, string name)
    {
        int nameEnd = _position + (name[0] == '$' ? 0 : 1) + name.Length;
        end = Math.Min(end, nameEnd);
        if (!_names.TryGetValue(name, out int index))
        {
            index = _names.Count;
            _names.Add(name, index);
        }

        _placeholders.Add(_inStart >= 0
            ? new SqlPlaceholder(_inStart, end - _inStart, name, index, _isNegated ? "<> all(" : "= any(", ")")
            : new SqlPlaceholder(_position, end - _position, name, index, "", ""));
        _inStart = -1;
        _notStart = -1;
        _isAfterBegin = _isAfterPosition = false;
        _position = end;
    }

    private void EndPiece()
    {
        if (_hasContent)
        {
            _pieces.Add(new StatementSpan(_start, _position - _start, [.. _placeholders]));
        }

        _placeholders.Clear();
        _hasContent = false;
        _depth = 0;
        _positionDepths?.Clear();
        _inStart = -1;
        _notStart = -1;
    }

    // What is not terminated ends with the text.
    private void MoveTo(int end) => _position = end < 0 ? sql.Length : end;

    private readonly int NumberLength()
    {
        int end = _position;
        while (end < sql.Length && (SqlGrammar<char>.IsNamePart(sql[end]) || sql[end] == '.') && sql[end] != '$')
        {
            end++;
        }

        return end - _position;
    }

    private static bool Is(ReadOnlySpan<char> word, string keyword) => word.Equals(keyword, StringComparison.OrdinalIgnoreCase);

    // A slice of an array is [1:2], so that only @ may be followed by a digit.
    private static bool IsParameterStart(char c, char marker) => SqlGrammar<char>.IsNameStart(c) || (marker == '@' && char.IsAsciiDigit(c));

    private static bool IsParameterPart(char c) => SqlGrammar<char>.IsNameStart(c) || char.IsAsciiDigit(c) || c == '.';
}
