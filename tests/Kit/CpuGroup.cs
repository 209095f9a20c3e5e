using System.Globalization;

namespace Ioxide.TestKit;

/// <summary>A control group with a CPU quota, of version 1 or 2. Disposing moves nothing: what runs in it has to leave or end before.</summary>
internal sealed class CpuGroup : IDisposable
{
    private const string Root = "/sys/fs/cgroup";

    private readonly string _folder;
    private readonly bool _isUnified;

    private CpuGroup(string folder, bool isUnified)
    {
        _folder = folder;
        _isUnified = isUnified;
    }

    /// <summary>The file that takes a process in, by its number.</summary>
    internal string Processes => Path.Join(_folder, "cgroup.procs");

    /// <summary>A command that starts another in the group.</summary>
    internal string[] Under => ["/bin/sh", "-c", "echo $$ > \"$0\" && exec \"$@\"", Processes];

    /// <summary>Whether it can take single threads, as only groups of version 1 can.</summary>
    internal bool TakesThreads => !_isUnified;

    /// <summary>How often the quota was used up.</summary>
    internal int Throttled => File.ReadLines($"{_folder}/cpu.stat")
        .Where(static line => line.StartsWith("nr_throttled ", StringComparison.Ordinal))
        .Sum(static line => int.Parse(line.Split(' ')[1], CultureInfo.InvariantCulture));

    /// <summary>Makes a group, or gives null where the host allows none.</summary>
    internal static CpuGroup? Make(double processors, out string missing)
    {
        missing = "a control group with a CPU quota: no cpu controller that this user may write to";
        foreach ((string root, bool isUnified) in new[] { ($"{Root}/cpu", false), ($"{Root}/cpu,cpuacct", false), (Root, true) })
        {
            try
            {
                if (isUnified ? File.Exists($"{root}/cgroup.controllers") : File.Exists($"{root}/cpu.cfs_quota_us"))
                {
                    return Make(root, isUnified, processors);
                }
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                missing = $"a control group with a CPU quota: {exception.Message}";
            }
        }

        return null;
    }

    private static CpuGroup Make(string root, bool isUnified, double processors)
    {
        if (isUnified)
        {
            File.WriteAllText($"{root}/cgroup.subtree_control", "+cpu");
        }

        string folder = $"{root}/ioxide-test-{Guid.NewGuid():N}";
        Directory.CreateDirectory(folder);
        var group = new CpuGroup(folder, isUnified);
        try
        {
            group.Limit(processors);
            return group;
        }
        catch
        {
            group.Dispose();
            throw;
        }
    }

    /// <summary>Sets the quota, of 100 ms each.</summary>
    internal void Limit(double processors)
    {
        string quota = ((int)(processors * 100_000)).ToString(CultureInfo.InvariantCulture);
        if (_isUnified)
        {
            File.WriteAllText($"{_folder}/cpu.max", $"{quota} 100000");
        }
        else
        {
            File.WriteAllText($"{_folder}/cpu.cfs_period_us", "100000");
            File.WriteAllText($"{_folder}/cpu.cfs_quota_us", quota);
        }
    }

    /// <summary>Takes the calling thread in, where <see cref="TakesThreads"/>.</summary>
    internal Membership AddCallingThread()
    {
        string thread = Path.GetFileName(new FileInfo("/proc/thread-self").ResolveLinkTarget(returnFinalTarget: false)!.FullName);
        File.WriteAllText($"{_folder}/tasks", thread);
        return new Membership($"{Path.GetDirectoryName(_folder)}/tasks", thread);
    }

    public void Dispose()
    {
        // A process that ended leaves the group a little later.
        for (int attempt = 0; attempt < 100; attempt++)
        {
            try
            {
                // Not recursively: the files in it are the kernel's.
                Directory.Delete(_folder);
                return;
            }
            catch (IOException)
            {
                Thread.Sleep(50);
            }
        }
    }

    /// <summary>A thread in the group, until it is moved back.</summary>
    internal readonly record struct Membership(string Home, string Thread)
    {
        internal void Leave() => File.WriteAllText(Home, Thread);
    }
}
