using System.Globalization;

namespace Ioxide.Pg.Tests;

/// <summary>The installed PostgreSQL server, and the user that runs it: it refuses to run as root.</summary>
internal sealed class ServerBinaries
{
    private static readonly string[] s_needed = ["initdb", "postgres", "psql"];

    private static readonly string[] s_users = ["postgres", "daemon", "nobody"];

    private ServerBinaries(string folder, string? user)
    {
        Folder = folder;
        User = user;
    }

    /// <summary>The newest installed version, or null; then <see cref="Missing"/> says what is missing.</summary>
    internal static ServerBinaries? Installed { get; } = Probe(out s_missing);

    /// <summary>Why no server can be started here.</summary>
    internal static string? Missing => s_missing;

    private static readonly string? s_missing;

    internal string Folder { get; }

    /// <summary>Who runs the server; null for the user of this process.</summary>
    internal string? User { get; }

    internal string this[string name] => Path.Combine(Folder, name);

    /// <summary>What starts a command as <see cref="User"/>. It is replaced by the command, so the process keeps its number.</summary>
    internal string[] AsUser(params string[] command)
        => User is null ? command : ["setpriv", $"--reuid={User}", $"--regid={User}", "--clear-groups", "--", .. command];

    private static ServerBinaries? Probe(out string? missing)
    {
        string? folder = Folders().FirstOrDefault(folder => s_needed.All(name => File.Exists(Path.Combine(folder, name))));
        string? user = Environment.IsPrivilegedProcess ? UnprivilegedUser() : null;
        missing = folder is null ? "PostgreSQL's server binaries are not installed (on Debian: apt-get install postgresql)."
            : Environment.IsPrivilegedProcess && user is null ? "PostgreSQL does not run as root, and there is no other user for it."
            : Tool.Find("setsid") is null || (user is not null && Tool.Find("setpriv") is null)
                ? "setsid and setpriv (util-linux) are not installed."
            : null;
        return missing is null ? new ServerBinaries(folder!, user) : null;
    }

    private static IEnumerable<string> Folders()
    {
        const string debian = "/usr/lib/postgresql";
        IEnumerable<string> versions = Directory.Exists(debian)
            ? Directory.GetDirectories(debian)
                .OrderByDescending(path => int.TryParse(Path.GetFileName(path), CultureInfo.InvariantCulture, out int number) ? number : 0)
                .Select(path => Path.Combine(path, "bin"))
            : [];
        return Tool.Find("initdb") is { } initdb ? versions.Prepend(Path.GetDirectoryName(initdb)!) : versions;
    }

    private static string? UnprivilegedUser()
    {
        string[] groups = [.. File.ReadLines("/etc/group").Select(line => line.Split(':')[0])];
        string[] users = [.. File.ReadLines("/etc/passwd").Select(line => line.Split(':')[0])];
        return s_users.FirstOrDefault(name => groups.Contains(name) && users.Contains(name));
    }
}
