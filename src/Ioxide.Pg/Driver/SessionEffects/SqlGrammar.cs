using System.Numerics;

namespace Ioxide.Pg;

/// <summary>Where the tokens of SQL end, in characters or in UTF-8. Source: PostgreSQL manual, 4.1 Lexical Structure.</summary>
/// <remarks>Each end is the index behind the token, or -1 for a token that is not terminated.</remarks>
internal static class SqlGrammar<T>
    where T : unmanaged, IBinaryInteger<T>
{
    internal static bool IsNameStart(char c) => char.IsAsciiLetter(c) || c == '_' || c > 127;

    internal static bool IsNamePart(char c) => IsNameStart(c) || char.IsAsciiDigit(c) || c == '$';

    internal static int EndOfName(ReadOnlySpan<T> sql, int start)
    {
        int end = start;
        while (end < sql.Length && IsNamePart(At(sql, end)))
        {
            end++;
        }

        return end;
    }

    /// <summary>A comment behind two dashes, which the end of the text may end.</summary>
    internal static int EndOfLine(ReadOnlySpan<T> sql, int start)
    {
        int length = sql[start..].IndexOfAny(T.CreateTruncating('\r'), T.CreateTruncating('\n'));
        return length < 0 ? sql.Length : start + length;
    }

    /// <summary>A comment between slashes with stars; these are nested.</summary>
    internal static int EndOfComment(ReadOnlySpan<T> sql, int start)
    {
        int depth = 0;
        for (int position = start; position + 1 < sql.Length; position++)
        {
            if (IsPair(sql, position, '/', '*'))
            {
                depth++;
                position++;
            }
            else if (IsPair(sql, position, '*', '/'))
            {
                position++;
                if (--depth == 0)
                {
                    return position + 1;
                }
            }
        }

        return -1;
    }

    /// <summary>Two characters that stand side by side.</summary>
    internal static bool IsPair(ReadOnlySpan<T> sql, int start, char first, char second)
        => At(sql, start) == first && At(sql, start + 1) == second;

    /// <summary>A string with its continuations: another quote behind line ends and comments, with the same escapes.</summary>
    internal static int EndOfString(ReadOnlySpan<T> sql, int start, bool hasEscapes)
    {
        int end;
        do
        {
            end = EndOfQuoted(sql, start, hasEscapes);
            start = end < 0 ? -1 : Continuation(sql, end);
        }
        while (start >= 0);
        return end;
    }

    /// <summary>What stands between two quotes of the kind that it begins with.</summary>
    internal static int EndOfQuoted(ReadOnlySpan<T> sql, int start, bool hasEscapes)
    {
        char quote = At(sql, start);
        for (int position = start + 1; position < sql.Length; position++)
        {
            char c = At(sql, position);
            if (hasEscapes && c == '\\')
            {
                position++;
            }
            else if (c == quote)
            {
                // A doubled quote is part of the string.
                if (At(sql, position + 1) != quote)
                {
                    return position + 1;
                }

                position++;
            }
        }

        return -1;
    }

    /// <summary>The length of a mark such as <c>$tag$</c>, which begins a string; 0 if none begins here.</summary>
    internal static int TagLength(ReadOnlySpan<T> sql, int start)
    {
        int end = start + 1;
        while (IsNamePart(At(sql, end)) && At(sql, end) != '$')
        {
            end++;
        }

        return At(sql, end) == '$' ? end + 1 - start : 0;
    }

    /// <summary>A string between two equal marks.</summary>
    internal static int EndOfTagged(ReadOnlySpan<T> sql, int start, int tagLength)
    {
        int body = start + tagLength;
        int length = sql[body..].IndexOf(sql[start..body]);
        return length < 0 ? -1 : body + length + tagLength;
    }

    /// <summary>Where a string continues that ends here; -1 if it does not.</summary>
    private static int Continuation(ReadOnlySpan<T> sql, int end)
    {
        bool hasNewLine = false;
        for (int position = end; position < sql.Length; position++)
        {
            char c = At(sql, position);
            if (c == '\'' && hasNewLine)
            {
                return position;
            }

            if (c is '\r' or '\n')
            {
                hasNewLine = true;
            }
            else if (IsPair(sql, position, '-', '-'))
            {
                position = EndOfLine(sql, position) - 1;
            }
            else if (c is not (' ' or '\t' or '\f' or '\v'))
            {
                return -1;
            }
        }

        return -1;
    }

    /// <summary>The character; zero behind the end.</summary>
    private static char At(ReadOnlySpan<T> sql, int position)
        => position < sql.Length ? (char)ushort.CreateTruncating(sql[position]) : '\0';
}
