using System.Globalization;

namespace Ioxide;

/// <summary>The processor time that the control groups of this process may use, and how long they were throttled.</summary>
/// <remarks>Source: Documentation/admin-guide/cgroup-v2.rst (cpu.max, cpu.stat) and Documentation/scheduler/sched-bwc.rst (version 1).</remarks>
internal static class CpuQuota
{
    private const string Membership = "/proc/self/cgroup";
    private const string Root = "/sys/fs/cgroup";

    // Shorter than any stall, so that no thread misses a throttling that was one.
    private const long ReadIntervalMs = 10;

    private static readonly bool s_isLimited = Read() is not null;
    private static readonly ThrottledShare s_share = new();
    private static long s_readAt;
    private static long s_throttled;

    /// <summary>The quota in processors, such as 1.5; null without one. The tightest limit on the way to the root counts.</summary>
    /// <param name="membership">The file that names the groups of a process.</param>
    /// <param name="root">Where the control groups are mounted.</param>
    internal static double? Read(string membership = Membership, string root = Root)
    {
        double? least = null;
        foreach (Group group in Groups(membership, root))
        {
            double? quota = group.IsUnified ? Unified(group.Folder) : Legacy(group.Folder);
            least = quota < (least ?? double.MaxValue) ? quota : least;
        }

        return least;
    }

    /// <summary>How long the process was kept off the processors by a quota: of its groups, the one that was throttled longest.</summary>
    internal static TimeSpan Throttled(string membership = Membership, string root = Root)
    {
        TimeSpan most = TimeSpan.Zero;
        foreach (Group group in Groups(membership, root))
        {
            TimeSpan throttled = Throttled(group.Folder);
            most = throttled > most ? throttled : most;
        }

        return most;
    }

    /// <summary>
    /// The same of up to ten milliseconds ago, for all threads of the process to ask: the files are read once in that time. It never becomes less.
    /// Zero where there was no quota at the start. Threads: any.
    /// </summary>
    internal static TimeSpan RecentlyThrottled()
    {
        long now = Environment.TickCount64;
        if (s_isLimited && now - Volatile.Read(ref s_readAt) >= ReadIntervalMs)
        {
            TimeSpan throttled = new(Greatest.Keep(ref s_throttled, Throttled().Ticks));
            _ = s_share.PercentAt(now, throttled);
            Volatile.Write(ref s_readAt, now);
        }

        return new TimeSpan(Volatile.Read(ref s_throttled));
    }

    /// <summary>Percent of the last seconds in which the process was throttled; 0 where there was no quota at the start. Threads: any.</summary>
    internal static int RecentPercent()
    {
        _ = RecentlyThrottled();
        return s_share.Percent;
    }

    /// <summary>The groups of the process and those that contain them, which limit it too.</summary>
    private static List<Group> Groups(string membership, string root)
    {
        List<Group> groups = [];
        foreach (string line in KernelFile.Text(membership).Split('\n'))
        {
            // hierarchy:controllers:path; version 2 has number 0 and no controllers.
            string[] parts = line.Split(':', 3);
            if (parts.Length < 3 || !(parts[1].Length == 0 || Array.IndexOf(parts[1].Split(','), "cpu") >= 0))
            {
                continue;
            }

            string mount = parts[1].Length == 0 ? root : Path.Join(root, parts[1]);
            for (string? group = parts[2].Trim('/'); group is not null; group = group.Length == 0 ? null : Path.GetDirectoryName(group))
            {
                groups.Add(new Group(Path.Join(mount, group), parts[1].Length == 0));
            }
        }

        return groups;
    }

    /// <summary>The line is <c>throttled_usec</c> in version 2 and <c>throttled_time</c>, in nanoseconds, in version 1.</summary>
    private static TimeSpan Throttled(string folder)
    {
        foreach (string line in KernelFile.Text(Path.Join(folder, "cpu.stat")).Split('\n'))
        {
            string[] words = line.Split(' ');
            if (words.Length == 2 && long.TryParse(words[1], CultureInfo.InvariantCulture, out long value))
            {
                if (words[0] == "throttled_usec")
                {
                    return TimeSpan.FromMicroseconds(value);
                }

                if (words[0] == "throttled_time")
                {
                    return new TimeSpan(value / TimeSpan.NanosecondsPerTick);
                }
            }
        }

        return TimeSpan.Zero;
    }

    private static double? Unified(string folder)
    {
        string[] words = KernelFile.Text(Path.Join(folder, "cpu.max")).Split(' ');
        return words.Length == 2 ? Ratio(words[0], words[1]) : null;
    }

    private static double? Legacy(string folder)
        => Ratio(KernelFile.Text(Path.Join(folder, "cpu.cfs_quota_us")), KernelFile.Text(Path.Join(folder, "cpu.cfs_period_us")));

    private static double? Ratio(string quota, string period)
        => double.TryParse(quota, CultureInfo.InvariantCulture, out double microseconds)
            && double.TryParse(period, CultureInfo.InvariantCulture, out double of)
            && microseconds > 0 && of > 0
                ? microseconds / of
                : null;

    /// <summary>A control group.</summary>
    /// <param name="Folder">Where its files are.</param>
    /// <param name="IsUnified">Version 2.</param>
    private sealed record Group(string Folder, bool IsUnified);
}
