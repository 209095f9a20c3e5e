using System.Globalization;
using System.Runtime.InteropServices;

namespace Ioxide.Compare.Servers;

/// <summary>What the kernel says about a process and about the CPUs.</summary>
/// <remarks>Source: proc(5), /proc/pid/stat, /proc/pid/status, /proc/stat; clock_gettime(2).</remarks>
internal static partial class ProcessFacts
{
    // USER_HZ, which is 100 on every architecture .NET runs on.
    private const double TicksPerSecond = 100;

    /// <summary>The machine, as far as it bears on a measurement.</summary>
    internal static MachineRecord Machine()
    {
        string cpu = File.ReadLines("/proc/cpuinfo").FirstOrDefault(static line => line.StartsWith("model name", StringComparison.Ordinal)) ?? ": unknown";
        string memory = File.ReadLines("/proc/meminfo").First(static line => line.StartsWith("MemTotal:", StringComparison.Ordinal));
        double memoryBytes = Number(memory["MemTotal:".Length..].Replace("kB", null, StringComparison.Ordinal)) * 1024.0;
        return new MachineRecord(
            cpu[(cpu.IndexOf(':', StringComparison.Ordinal) + 1)..].Trim(),
            File.ReadLines("/proc/cpuinfo").Count(static line => line.StartsWith("processor", StringComparison.Ordinal)),
            Math.Round(memoryBytes / 1e9, 1),
            $"Linux {File.ReadAllText("/proc/sys/kernel/osrelease").Trim()} with TCP {File.ReadAllText("/proc/sys/net/ipv4/tcp_congestion_control").Trim()}",
            RuntimeInformation.FrameworkDescription);
    }

    /// <summary>User and system time of all its threads, living and gone, to the nanosecond; in ticks of 10 ms where the kernel refuses the clock.</summary>
    /// <remarks>Source: clock_getcpuclockid(3), which makes the number of a process's CPU clock as here.</remarks>
    internal static unsafe double CpuSeconds(int processId)
    {
        const int scheduled = 2;
        long* time = stackalloc long[2];
        return ReadClock((~processId << 3) | scheduled, time) == 0 ? time[0] + (time[1] / 1e9) : CpuSecondsByTicks(processId);
    }

    private static double CpuSecondsByTicks(int processId)
    {
        string stat = File.ReadAllText($"/proc/{processId}/stat");

        // The second field is the program's name in parentheses and may hold spaces; state, the third, follows it.
        string[] fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
        return (Number(fields[11]) + Number(fields[12])) / TicksPerSecond;
    }

    internal static long ResidentBytes(int processId)
    {
        const string label = "VmRSS:";
        string line = File.ReadLines($"/proc/{processId}/status")
            .First(static line => line.StartsWith(label, StringComparison.Ordinal));
        return Number(line[label.Length..].Replace("kB", null, StringComparison.Ordinal)) * 1024;
    }

    /// <summary>Whether the process has an io_uring descriptor open.</summary>
    internal static bool HoldsRing(int processId)
        => Directory.EnumerateFileSystemEntries($"/proc/{processId}/fd")
            .Any(static descriptor => new FileInfo(descriptor).LinkTarget == "anon_inode:[io_uring]");

    /// <summary>Time that the CPUs spent on anything, steal included and waiting excluded.</summary>
    internal static double BusySeconds(CpuList cpus)
    {
        long ticks = 0;
        foreach (string line in File.ReadLines("/proc/stat"))
        {
            string[] fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (fields[0].StartsWith("cpu", StringComparison.Ordinal)
                && int.TryParse(fields[0].AsSpan(3), NumberStyles.None, CultureInfo.InvariantCulture, out int cpu)
                && cpus.Cpus.Contains(cpu))
            {
                // user nice system idle iowait irq softirq steal; guest time is in user already.
                ticks += Number(fields[1]) + Number(fields[2]) + Number(fields[3])
                    + Number(fields[6]) + Number(fields[7]) + Number(fields[8]);
            }
        }

        return ticks / TicksPerSecond;
    }

    private static long Number(string text)
        => long.Parse(text, NumberStyles.AllowLeadingWhite | NumberStyles.AllowTrailingWhite,
            CultureInfo.InvariantCulture);

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static unsafe partial int ReadClock(int clock, long* time);
}
