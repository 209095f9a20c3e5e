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
            Take(SqlTokenKind.Value, start, SqlGrammar<byte>.EndOfString(_sql, start, hasEscapes: false));
        }
        else if (first == '"')
        {
            Take(SqlTokenKind.QuotedName, start, SqlGrammar<byte>.EndOfQuoted(_sql, start, hasEscapes: false));
            Text = Text.Length >= 2 ? Text[1..^1] : Text;
        }
        else if (SqlGrammar<byte>.IsNameStart((char)first))
        {
            TakeWord(start);
        }
        else if (char.IsAsciiDigit((char)first))
        {
            Take(SqlTokenKind.Value, start, SqlGrammar<byte>.EndOfName(_sql, start));
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

    /// <param name="kind">The token's kind.</param>
    /// <param name="start">Where it begins.</param>
    /// <param name="end">Where it ends; -1 if it is not terminated.</param>
    private void Take(SqlTokenKind kind, int start, int end)
    {
        IsCutOff |= end < 0;
        end = end < 0 ? _sql.Length : end;
        Kind = kind;
        Text = _sql[start..end];
        _position = end;
    }

    private void TakeWord(int start)
    {
        int end = SqlGrammar<byte>.EndOfName(_sql, start);
        bool isPrefix = end == start + 1 && end < _sql.Length && _sql[end] == '\'';
        if (isPrefix && _sql[start] is (byte)'e' or (byte)'E' or (byte)'b' or (byte)'B' or (byte)'x' or (byte)'X' or (byte)'n' or (byte)'N')
        {
            Take(SqlTokenKind.Value, start, SqlGrammar<byte>.EndOfString(_sql, end, hasEscapes: _sql[start] is (byte)'e' or (byte)'E'));
            return;
        }

        Take(SqlTokenKind.Word, start, end);
    }

    /// <summary>A parameter, or a string between <c>$tag$</c>.</summary>
    private void TakeDollar(int start)
    {
        if (start + 1 < _sql.Length && char.IsAsciiDigit((char)_sql[start + 1]))
        {
            Take(SqlTokenKind.Value, start, SqlGrammar<byte>.EndOfName(_sql, start));
        }
        else if (SqlGrammar<byte>.TagLength(_sql, start) is > 0 and int tagLength)
        {
            Take(SqlTokenKind.Value, start, SqlGrammar<byte>.EndOfTagged(_sql, start, tagLength));
        }
        else
        {
            Take(SqlTokenKind.Symbol, start, start + 1);
        }
    }

    private void SkipBlanks()
    {
        while (_position < _sql.Length)
        {
            if (_sql[_position] is (byte)' ' or (byte)'\t' or (byte)'\r' or (byte)'\n' or (byte)'\f' or (byte)'\v')
            {
                _position++;
            }
            else if (SqlGrammar<byte>.IsPair(_sql, _position, '-', '-'))
            {
                _position = SqlGrammar<byte>.EndOfLine(_sql, _position);
            }
            else if (SqlGrammar<byte>.IsPair(_sql, _position, '/', '*'))
            {
                int end = SqlGrammar<byte>.EndOfComment(_sql, _position);
                IsCutOff |= end < 0;
                _position = end < 0 ? _sql.Length : end;
            }
            else
            {
                return;
            }
        }
    }
}
