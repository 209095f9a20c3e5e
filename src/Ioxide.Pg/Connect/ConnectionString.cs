using System.Text.RegularExpressions;

namespace Ioxide.Pg;

/// <summary>Distinguishes the three forms of connection strings, and splits the two keyword forms into pairs.</summary>
/// <remarks>Messages of exceptions name keywords and positions, never values: each could be a password.</remarks>
internal static partial class ConnectionString
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
        else if (!ReadPairs(text, settings))
        {
            ReadKeywords(text, settings);
        }
    }

    /// <summary>Npgsql's form.</summary>
    /// <returns>False if it is libpq's.</returns>
    private static bool ReadPairs(string text, ConnectionSettings settings)
    {
        Match[] pairs = [.. Pair().Matches(text).TakeWhile(static pair => pair.Groups["value"].Success)];
        int end = pairs is [.., var last] ? last.Index + last.Length : 0;
        bool isWhole = text[end..].All(static c => char.IsWhiteSpace(c) || c == ';');
        if (!LooksLikePairs(text, pairs, isWhole || Pair().IsMatch(text, end)))
        {
            return false;
        }

        settings.HostsHavePorts = true;
        foreach (Match pair in pairs)
        {
            string quote = pair.Groups["quote"].Value;
            string value = pair.Groups["value"].Value;
            value = quote.Length == 0 ? value.TrimEnd() : value.Replace(quote + quote, quote, StringComparison.Ordinal);
            settings.Set(pair.Groups["name"].Value, value);
        }

        return isWhole ? true
            : throw new ArgumentException($"The connection string is malformed at character {end + 1}: keyword=value; was expected.");
    }

    // Npgsql separates pairs with semicolons, and its keywords may contain spaces; a single libpq pair reads the same way in both forms.
    // A semicolon inside a libpq value leaves a piece that is no pair.
    private static bool LooksLikePairs(string text, Match[] pairs, bool isOfPairs)
        => text.Contains(';', StringComparison.Ordinal)
            ? isOfPairs && pairs.All(static pair => pair.Groups["name"].Value.All(static c => char.IsAsciiLetter(c) || c is ' ' or '_'))
            : text.IndexOf('=', StringComparison.Ordinal) is > 0 and int equals && text[..equals].Trim().Contains(' ', StringComparison.Ordinal);

    /// <summary>libpq's form. Source: PostgreSQL manual, 34.1.1.1; fe-connect.c, conninfo_parse.</summary>
    private static void ReadKeywords(string text, ConnectionSettings settings)
    {
        int end = 0;
        while (!text.AsSpan(end).TrimStart(" \t\n\v\f\r").IsEmpty)
        {
            Match pair = Keyword().Match(text, end);
            end = pair.Index + pair.Length;
            if (!pair.Groups["value"].Success)
            {
                throw new ArgumentException(pair.Groups["equals"].Success
                    ? $"The connection string is malformed: the quoted value at character {end + 1} has no end."
                    : $"The connection string is malformed at character {end + 1}: missing \"=\" after a keyword.");
            }

            settings.Set(pair.Groups["name"].Value, Escape().Replace(pair.Groups["value"].Value, "$1"));
        }
    }

    /// <summary><c>keyword = value</c>, behind semicolons. Quotes inside a quoted value are doubled; one without an end is no value.</summary>
    [GeneratedRegex(
        @"\G[\s;]*(?<name>[^\s;=](?:[^;=]*[^\s;=])?)\s*=\s*((?<quote>['""])(?<value>(?:(?!\k<quote>).|\k<quote>\k<quote>)*)\k<quote>\s*(?=;|\z)" +
            @"|(?!['""])(?<value>[^;]*))?",
        RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex Pair();

    /// <summary><c>keyword = value</c>, behind spaces. A backslash escapes the character behind it; a quote without an end is no value.</summary>
    [GeneratedRegex(
        @"\G[ \t-\r]*(?<name>[^ \t-\r=]*)[ \t-\r]*((?<equals>=)[ \t-\r]*('(?<value>(\\.|[^'\\])*)'|(?!')(?<value>(\\.|[^ \t-\r\\])*\\?))?)?",
        RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex Keyword();

    [GeneratedRegex(@"\\(.?)", RegexOptions.Singleline)]
    private static partial Regex Escape();
}
