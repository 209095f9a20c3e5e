using System.Text;

namespace Ioxide.Pg;

/// <summary>Reads passwords from a file of lines <c>host:port:database:user:password</c>.</summary>
/// <remarks>Source: PostgreSQL manual, 34.16 The Password File. The first matching line applies.</remarks>
internal static class PasswordFile
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
        foreach (ReadOnlySpan<char> rawLine in text.AsSpan().EnumerateLines())
        {
            ReadOnlySpan<char> line = rawLine;
            if (!line.StartsWith("#")
                && Matches(ref line, host) && Matches(ref line, port) && Matches(ref line, database) && Matches(ref line, user))
            {
                return Unescape(line);
            }
        }

        return null;
    }

    /// <summary>Consumes one field and its colon, if the field is <c>*</c> or the wanted text.</summary>
    private static bool Matches(ref ReadOnlySpan<char> line, string wanted)
    {
        if (line.StartsWith("*:"))
        {
            line = line[2..];
            return true;
        }

        int position = 0;
        foreach (char c in wanted)
        {
            if (position < line.Length && line[position] == '\\')
            {
                position++;
            }
            else if (position < line.Length && line[position] == ':')
            {
                return false;
            }

            if (position >= line.Length || line[position] != c)
            {
                return false;
            }

            position++;
        }

        if (position >= line.Length || line[position] != ':')
        {
            return false;
        }

        line = line[(position + 1)..];
        return true;
    }

    // The password ends at a colon that is not escaped: later fields may be added in the future.
    private static string Unescape(ReadOnlySpan<char> rest)
    {
        var password = new StringBuilder(rest.Length);
        for (int i = 0; i < rest.Length && rest[i] != ':'; i++)
        {
            if (rest[i] == '\\' && i + 1 < rest.Length)
            {
                i++;
            }

            password.Append(rest[i]);
        }

        return password.ToString();
    }
}
