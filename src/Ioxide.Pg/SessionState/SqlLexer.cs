using System.Text;

namespace Ioxide.Pg;

/// <summary>The kinds of tokens of <see cref="SqlLexer"/>.</summary>
internal enum SqlTokenKind
{
    /// <summary>The end of the text.</summary>
    End,

    /// <summary>A keyword or a name.</summary>
    Word,

    /// <summary>A name in double quotes; its text is without them.</summary>
    QuotedName,

    /// <summary>A string, a number or a parameter.</summary>
    Value,

    /// <summary>The <c>::</c> of a cast.</summary>
    Cast,

    /// <summary>One character of any other kind; it is the token's text.</summary>
    Symbol,
}

/// <summary>Splits SQL into tokens. Source: PostgreSQL manual, 4.1 Lexical Structure.</summary>
/// <remarks>Copy it to look ahead.</remarks>
internal ref struct SqlLexer(ReadOnlySpan<byte> sql)
{
    private readonly ReadOnlySpan<byte> _sql = sql;
    private int _position;

    /// <summary>The kind of the token.</summary>
    internal SqlTokenKind Kind { get; private set; }

    /// <summary>The token as written.</summary>
    internal ReadOnlySpan<byte> Text { get; private set; }

    /// <summary>A string, a quoted name or a comment is not terminated: the tokens cannot be trusted.</summary>
    internal bool IsCutOff { get; private set; }

    /// <summary>The first word of a text in capitals, such as SELECT; empty if it begins with anything else.</summary>
    internal static string FirstWordOf(ReadOnlySpan<byte> sql)
    {
        const int MaxLength = 32;
        var lexer = new SqlLexer(sql);
        while (lexer.Next() && (lexer.IsSymbol('(') || lexer.IsSymbol(';')))
        {
        }

        return lexer.Kind == SqlTokenKind.Word && lexer.Text.Length <= MaxLength ? Encoding.ASCII.GetString(lexer.Text).ToUpperInvariant() : "";
    }

    internal readonly bool IsSymbol(char symbol) => Kind == SqlTokenKind.Symbol && Text[0] == symbol;

    internal readonly bool IsWord(ReadOnlySpan<byte> word) => Kind == SqlTokenKind.Word && Ascii.EqualsIgnoreCase(Text, word);

    /// <summary>Moves to the next token. False: there is none.</summary>
    internal bool Next()
    {
        SkipBlanks();
        if (_position >= _sql.Length)
        {
            Kind = SqlTokenKind.End;
            Text = default;
            return false;
        }

        int start = _position;
        byte first = _sql[start];
        if (first == '\'')
        {
            Take(SqlTokenKind.Value, start, EndOfQuoted(start, '\'', hasEscapes: false));
        }
        else if (first == '"')
        {
            Take(SqlTokenKind.QuotedName, start, EndOfQuoted(start, '"', hasEscapes: false));
            Text = Text.Length >= 2 ? Text[1..^1] : Text;
        }
        else if (IsWordStart(first))
        {
            TakeWord(start);
        }
        else if (char.IsAsciiDigit((char)first))
        {
            Take(SqlTokenKind.Value, start, EndOfWord(start));
        }
        else if (first == '$')
        {
            TakeDollar(start);
        }
        else
        {
            bool isCast = first == ':' && start + 1 < _sql.Length && _sql[start + 1] == ':';
            Take(isCast ? SqlTokenKind.Cast : SqlTokenKind.Symbol, start, start + (isCast ? 2 : 1));
        }

        return true;
    }

    private static bool IsWordStart(byte value) => char.IsAsciiLetter((char)value) || value == '_' || value >= 0x80;

    private void Take(SqlTokenKind kind, int start, int end)
    {
        Kind = kind;
        Text = _sql[start..end];
        _position = end;
    }

    private void TakeWord(int start)
    {
        int end = EndOfWord(start);
        bool isPrefix = end == start + 1 && end < _sql.Length && _sql[end] == '\'';
        if (isPrefix && _sql[start] is (byte)'e' or (byte)'E' or (byte)'b' or (byte)'B' or (byte)'x' or (byte)'X' or (byte)'n' or (byte)'N')
        {
            Take(SqlTokenKind.Value, start, EndOfQuoted(end, '\'', hasEscapes: _sql[start] is (byte)'e' or (byte)'E'));
            return;
        }

        Take(SqlTokenKind.Word, start, end);
    }

    private int EndOfWord(int start)
    {
        int end = start + 1;
        while (end < _sql.Length && (IsWordStart(_sql[end]) || char.IsAsciiDigit((char)_sql[end]) || _sql[end] == '$'))
        {
            end++;
        }

        return end;
    }

    private int EndOfQuoted(int start, char quote, bool hasEscapes)
    {
        for (int i = start + 1; i < _sql.Length; i++)
        {
            if (hasEscapes && _sql[i] == '\\')
            {
                i++;
            }
            else if (_sql[i] == quote)
            {
                if (i + 1 >= _sql.Length || _sql[i + 1] != quote)
                {
                    return i + 1;
                }

                i++;
            }
        }

        IsCutOff = true;
        return _sql.Length;
    }

    /// <summary>A parameter, or a string between <c>$tag$</c>.</summary>
    private void TakeDollar(int start)
    {
        int end = start + 1;
        if (end < _sql.Length && char.IsAsciiDigit((char)_sql[end]))
        {
            Take(SqlTokenKind.Value, start, EndOfWord(start));
            return;
        }

        while (end < _sql.Length && (IsWordStart(_sql[end]) || char.IsAsciiDigit((char)_sql[end])))
        {
            end++;
        }

        if (end >= _sql.Length || _sql[end] != '$')
        {
            Take(SqlTokenKind.Symbol, start, start + 1);
            return;
        }

        ReadOnlySpan<byte> tag = _sql[start..(end + 1)];
        int length = _sql[(end + 1)..].IndexOf(tag);
        IsCutOff |= length < 0;
        Take(SqlTokenKind.Value, start, length < 0 ? _sql.Length : end + 1 + length + tag.Length);
    }

    private void SkipBlanks()
    {
        while (_position < _sql.Length)
        {
            ReadOnlySpan<byte> rest = _sql[_position..];
            if (rest[0] is (byte)' ' or (byte)'\t' or (byte)'\r' or (byte)'\n' or (byte)'\f' or (byte)'\v')
            {
                _position++;
            }
            else if (rest.StartsWith("--"u8))
            {
                int length = rest.IndexOfAny((byte)'\n', (byte)'\r');
                _position = length < 0 ? _sql.Length : _position + length;
            }
            else if (rest.StartsWith("/*"u8))
            {
                SkipComment();
            }
            else
            {
                return;
            }
        }
    }

    /// <summary>Comments of this kind are nested.</summary>
    private void SkipComment()
    {
        int depth = 0;
        while (_position < _sql.Length)
        {
            ReadOnlySpan<byte> rest = _sql[_position..];
            if (rest.StartsWith("/*"u8))
            {
                depth++;
                _position += 2;
            }
            else if (rest.StartsWith("*/"u8))
            {
                depth--;
                _position += 2;
                if (depth == 0)
                {
                    return;
                }
            }
            else
            {
                _position++;
            }
        }

        IsCutOff = true;
    }
}
