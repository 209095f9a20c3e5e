using System.Globalization;

namespace Ioxide;

/// <summary>The processor time that the control group of this process may use.</summary>
/// <remarks>Source: Documentation/admin-guide/cgroup-v2.rst (cpu.max) and cgroup-v1/cpusets; the tightest limit on the way to the root counts.</remarks>
internal static class CpuQuota
{
    /// <summary>The quota in processors, such as 1.5; null without one.</summary>
    /// <param name="membership">The file that names the groups of a process.</param>
    /// <param name="root">Where the control groups are mounted.</param>
    internal static double? Read(string membership = "/proc/self/cgroup", string root = "/sys/fs/cgroup")
    {
        double? least = null;
        foreach (string line in HostFacts.Text(membership).Split('\n'))
        {
            // hierarchy:controllers:path; version 2 has number 0 and no controllers.
            string[] parts = line.Split(':', 3);
            if (parts.Length < 3 || !(parts[1].Length == 0 || parts[1].Split(',').Contains("cpu")))
            {
                continue;
            }

            string mount = parts[1].Length == 0 ? root : Path.Join(root, parts[1]);
            for (string? group = parts[2].Trim('/'); group is not null; group = group.Length == 0 ? null : Path.GetDirectoryName(group))
            {
                double? quota = parts[1].Length == 0 ? Unified(Path.Join(mount, group)) : Legacy(Path.Join(mount, group));
                least = quota < (least ?? double.MaxValue) ? quota : least;
            }
        }

        return least;
    }

    private static double? Unified(string folder)
    {
        string[] words = HostFacts.Text(Path.Join(folder, "cpu.max")).Split(' ');
        return words.Length == 2 ? Ratio(words[0], words[1]) : null;
    }

    private static double? Legacy(string folder)
        => Ratio(HostFacts.Text(Path.Join(folder, "cpu.cfs_quota_us")), HostFacts.Text(Path.Join(folder, "cpu.cfs_period_us")));

    private static double? Ratio(string quota, string period)
        => double.TryParse(quota, CultureInfo.InvariantCulture, out double microseconds)
            && double.TryParse(period, CultureInfo.InvariantCulture, out double of)
            && microseconds > 0 && of > 0
                ? microseconds / of
                : null;
}
