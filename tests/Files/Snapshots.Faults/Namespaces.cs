using System.Globalization;

namespace Ioxide.Files.Tests;

/// <summary>Runs programs where mounts and limits of inotify are their own, so that nobody else of the machine sees them.</summary>
/// <remarks>
/// No rights are needed where the host allows these. Source: user_namespaces(7), mount_namespaces(7), /proc/sys/user in namespaces(7).
/// </remarks>
internal static class Namespaces
{
    private static readonly Lazy<Task<string?>> s_obstacle = new(FindObstacleAsync);

    /// <summary>A command that starts another in new namespaces, behind a script.</summary>
    /// <param name="script">Lines of a shell, which run there first; one that fails ends it.</param>
    internal static string[] Command(string script)
        => ["unshare", "--user", "--map-root-user", "--mount", "--propagation", "private", "/bin/sh", "-ec", $"{script}\nexec \"$@\"", "sh"];

    /// <summary>A command that starts another in the namespaces of a process.</summary>
    internal static string[] CommandWithin(int process)
        => ["nsenter", $"--target={process.ToString(CultureInfo.InvariantCulture)}", "--user", "--mount", "--preserve-credentials"];

    /// <summary>What a path leads to for a process.</summary>
    internal static string PathOf(int process, string path) => string.Create(CultureInfo.InvariantCulture, $"/proc/{process}/root{path}");

    internal static async Task SkipUnlessAllowedAsync()
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        string? obstacle = await s_obstacle.Value;
        Assert.SkipWhen(obstacle is not null, $"This host refuses namespaces of users and mounts: {obstacle}");
    }

    /// <summary>Runs a command to its end, and gives its exit status and what it wrote.</summary>
    internal static async Task<(int Status, string Output)> RunAsync(params string[] command)
    {
        (int status, string output, string error) = await Tool.TryRunAsync(command, limit: 60.Seconds());
        return (status, (output + error).Trim());
    }

    private static async Task<string?> FindObstacleAsync()
    {
        string[] tools = ["/usr/bin/unshare", "/usr/bin/nsenter", "/usr/bin/mount"];
        if (tools.FirstOrDefault(static tool => !File.Exists(tool)) is { } missing)
        {
            return $"{missing} (util-linux) is not installed.";
        }

        const string Script = "mount -t tmpfs tmpfs /tmp\necho 100 > /proc/sys/user/max_inotify_watches";
        (int status, string output) = await RunAsync([.. Command(Script), "true"]);
        return status == 0 ? null : output.Length > 0 ? output : $"exit status {status}";
    }
}
