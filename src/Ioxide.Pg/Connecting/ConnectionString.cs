using System.Text;

namespace Ioxide.Pg;

/// <summary>Distinguishes the three forms of connection strings, and splits the two keyword forms into pairs.</summary>
/// <remarks>Messages of exceptions name keywords and positions, never values: each could be a password.</remarks>
internal static class ConnectionString
{
    internal static PgDataSourceOptions Parse(string text)
    {
        var settings = new ConnectionSettings();
        Read(text, settings);
        return settings.Build();
    }

    internal static void Read(string text, ConnectionSettings settings)
    {
        if (ConnectionUri.IsUri(text))
        {
            ConnectionUri.Read(text, settings);
        }
        else if (LooksLikePairs(text))
        {
            ReadPairs(text, settings);
        }
        else
        {
            ReadKeywords(text, settings);
        }
    }

    // Npgsql separates pairs with semicolons, and its keywords may contain spaces; a single libpq pair reads the same way in both forms.
    // A semicolon inside a libpq value leaves a piece that is no pair.
    private static bool LooksLikePairs(string text)
    {
        if (!text.Contains(';', StringComparison.Ordinal))
        {
            int equals = text.IndexOf('=', StringComparison.Ordinal);
            return equals > 0 && text[..equals].Trim().Contains(' ', StringComparison.Ordinal);
        }

        int position = 0;
        string name;
        while (TakePair(text, ref position, out name, out _))
        {
            if (!name.All(static c => char.IsAsciiLetter(c) || c is ' ' or '_'))
            {
                return false;
            }
        }

        // A name without a value: the quotes after it are malformed.
        return position == text.Length || name.Length > 0;
    }

    private static void ReadPairs(string text, ConnectionSettings settings)
    {
        settings.HostsHavePorts = true;
        int position = 0;
        while (TakePair(text, ref position, out string name, out string value))
        {
            settings.Set(name, value);
        }

        if (position < text.Length)
        {
            throw new ArgumentException($"The connection string is malformed at character {position + 1}: keyword=value; was expected.");
        }
    }

    /// <summary>Reads <c>keyword = value ;</c>. Quotes inside a quoted value are doubled.</summary>
    private static bool TakePair(string text, ref int position, out string name, out string value)
    {
        name = value = "";
        int start = position;
        while (start < text.Length && (char.IsWhiteSpace(text[start]) || text[start] == ';'))
        {
            start++;
        }

        if (start == text.Length)
        {
            position = start;
            return false;
        }

        int equals = text.IndexOf('=', start);
        int end = text.IndexOf(';', start);
        if (equals < 0 || equals == start || (end >= 0 && end < equals))
        {
            return false;
        }

        name = text[start..equals].Trim();
        int i = equals + 1;
        while (i < text.Length && char.IsWhiteSpace(text[i]))
        {
            i++;
        }

        if (i < text.Length && text[i] is '\'' or '"')
        {
            return TakeQuoted(text, i, ref position, out value);
        }

        end = text.IndexOf(';', i);
        end = end < 0 ? text.Length : end;
        value = text[i..end].TrimEnd();
        position = end;
        return true;
    }

    private static bool TakeQuoted(string text, int start, ref int position, out string value)
    {
        char quote = text[start];
        var unquoted = new StringBuilder();
        int i = start + 1;
        while (i < text.Length && (text[i] != quote || (i + 1 < text.Length && text[i + 1] == quote)))
        {
            i += text[i] == quote ? 1 : 0;
            unquoted.Append(text[i++]);
        }

        value = unquoted.ToString();
        bool isClosed = i < text.Length;
        i++;
        while (i < text.Length && char.IsWhiteSpace(text[i]))
        {
            i++;
        }

        if (!isClosed || (i < text.Length && text[i] != ';'))
        {
            return false;
        }

        position = Math.Min(i, text.Length);
        return true;
    }

    /// <summary>libpq's form. Source: PostgreSQL manual, 34.1.1.1; fe-connect.c, conninfo_parse.</summary>
    private static void ReadKeywords(string text, ConnectionSettings settings)
    {
        int i = 0;
        while (true)
        {
            i = SkipSpaces(text, i);
            if (i == text.Length)
            {
                return;
            }

            int start = i;
            while (i < text.Length && text[i] != '=' && !IsSpace(text[i]))
            {
                i++;
            }

            string name = text[start..i];
            i = SkipSpaces(text, i);
            if (i == text.Length || text[i] != '=')
            {
                throw new ArgumentException($"The connection string is malformed at character {i + 1}: missing \"=\" after a keyword.");
            }

            settings.Set(name, TakeValue(text, ref i));
        }
    }

    private static string TakeValue(string text, ref int position)
    {
        int i = SkipSpaces(text, position + 1);
        bool isQuoted = i < text.Length && text[i] == '\'';
        int start = i;
        i += isQuoted ? 1 : 0;
        var value = new StringBuilder();
        while (i < text.Length && (isQuoted ? text[i] != '\'' : !IsSpace(text[i])))
        {
            i += text[i] == '\\' ? 1 : 0;
            if (i < text.Length)
            {
                value.Append(text[i++]);
            }
        }

        if (isQuoted && i++ >= text.Length)
        {
            throw new ArgumentException($"The connection string is malformed: the quoted value at character {start + 1} has no end.");
        }

        position = i;
        return value.ToString();
    }

    private static int SkipSpaces(string text, int i)
    {
        while (i < text.Length && IsSpace(text[i]))
        {
            i++;
        }

        return i;
    }

    private static bool IsSpace(char c) => c is ' ' or (>= '\t' and <= '\r');
}
