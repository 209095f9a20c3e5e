using System.Text.RegularExpressions;

namespace Ioxide.Pg;

/// <summary>Reads passwords from a file of lines <c>host:port:database:user:password</c>.</summary>
/// <remarks>Source: PostgreSQL manual, 34.16 The Password File. The first matching line applies.</remarks>
internal static partial class PasswordFile
{
    private const UnixFileMode ForOthers =
        UnixFileMode.GroupRead | UnixFileMode.GroupWrite | UnixFileMode.GroupExecute |
        UnixFileMode.OtherRead | UnixFileMode.OtherWrite | UnixFileMode.OtherExecute;

    /// <summary>Returns the password, or null if no line matches.</summary>
    /// <param name="environment">Where files are read.</param>
    /// <param name="path">The file.</param>
    /// <param name="host">The host's name; <c>localhost</c> for a unix socket in the usual folder.</param>
    /// <param name="port">The port.</param>
    /// <param name="database">The database.</param>
    /// <param name="user">The role.</param>
    /// <param name="hint">Why the file is not used, to be reported if the server then refuses the connection; or null.</param>
    internal static string? Find(
        SettingsEnvironment environment, string path, string host, string port, string database, string user, out string? hint)
    {
        hint = null;
        if (environment.ReadFile(path) is not { } file)
        {
            return null;
        }

        if ((file.Mode & ForOthers) != 0)
        {
            hint = "The password file was ignored because its group or others can access it; its permissions must be 0600 or less.";
            return null;
        }

        return Find(file.Text, host, port, database, user);
    }

    internal static string? Find(string text, string host, string port, string database, string user)
    {
        string[] wanted = [host, port, database, user];
        foreach (ReadOnlySpan<char> raw in text.AsSpan().EnumerateLines())
        {
            string line = raw.ToString();
            Match fields = Line().Match(line);
            if (!line.StartsWith('#') && fields.Success
                && fields.Groups["field"].Captures.Zip(wanted).All(static pair => Matches(pair.First.Value, pair.Second)))
            {
                return Unescape(fields.Groups["password"].Value);
            }
        }

        return null;
    }

    private static bool Matches(string field, string wanted) => field == "*" || Unescape(field) == wanted;

    private static string Unescape(string text) => Escape().Replace(text, "$1");

    // The password ends at a colon that is not escaped: later fields may be added in the future.
    [GeneratedRegex(@"^((?<field>(\\.|[^:\\])*):){4}(?<password>(\\.|[^:])*)", RegexOptions.ExplicitCapture | RegexOptions.Singleline)]
    private static partial Regex Line();

    [GeneratedRegex(@"\\(.)", RegexOptions.Singleline)]
    private static partial Regex Escape();
}
