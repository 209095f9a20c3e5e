using System.Globalization;

namespace Ioxide.TestKit;

/// <summary>A user that no process of this machine belongs to: the kernel counts locked memory per user, over all processes.</summary>
internal static class UnusedUser
{
    // Above those that systems give out, also to containers and for a time, and below what sub-user ranges usually begin at again.
    private const int First = 700_000_000;
    private const int Count = 100_000_000;

    /// <summary>A command that starts another as such a user, under a limit of locked memory.</summary>
    internal static string[] UnderLockedMemory(long bytes)
    {
        string limit = bytes.ToString(CultureInfo.InvariantCulture);
        return ["prlimit", $"--memlock={limit}:{limit}", .. Command()];
    }

    /// <summary>A command that starts another as such a user, who may not what root may.</summary>
    internal static string[] Command()
    {
        string user = Next().ToString(CultureInfo.InvariantCulture);
        return ["setpriv", $"--reuid={user}", $"--regid={user}", "--clear-groups"];
    }

    /// <summary>Why <see cref="UnderLockedMemory"/> cannot be used or would show nothing here; null where it can.</summary>
    internal static string? Obstacle()
        => !Environment.IsPrivilegedProcess ? "Another user and its limits can only be set by root."
            : !File.Exists("/usr/bin/setpriv") || !File.Exists("/usr/bin/prlimit") ? "setpriv and prlimit (util-linux) are not installed."
            : IsCharged(Environment.OSVersion.Version) ? null
            : "Linux before 6.14, and 7.2, do not charge rings to the limit.";

    // What 7.0 and 7.1 do was not seen.
    private static bool IsCharged(Version kernel) => kernel >= new Version(6, 14) && kernel < new Version(7, 2);

    private static int Next()
    {
        while (true)
        {
            int user = First + Random.Shared.Next(Count);
            if (!Users().Contains(user))
            {
                return user;
            }
        }
    }

    private static HashSet<int> Users()
    {
        var users = new HashSet<int>();
        foreach (string folder in Directory.EnumerateDirectories("/proc"))
        {
            if (int.TryParse(Path.GetFileName(folder), NumberStyles.None, CultureInfo.InvariantCulture, out _))
            {
                try
                {
                    string line = File.ReadLines(Path.Join(folder, "status")).First(static line => line.StartsWith("Uid:", StringComparison.Ordinal));
                    users.Add(int.Parse(line.Split('\t')[1], CultureInfo.InvariantCulture));
                }
                catch (IOException)
                {
                    // It has ended since.
                }
            }
        }

        return users;
    }
}
