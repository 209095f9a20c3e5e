using System.Globalization;

namespace Ioxide.Scaling;

/// <summary>The processor time of another process, user and system. Source: proc_pid_stat(5).</summary>
internal sealed class ServerClock(int pid)
{
    // What the kernel shows to programs, on every machine.
    private const double TicksPerSecond = 100;

    internal double CpuSeconds()
    {
        const int UserField = 11;
        string stat = File.ReadAllText($"/proc/{pid}/stat");

        // The name may have spaces; behind it, the third field is first.
        string[] fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
        return (Ticks(fields[UserField]) + Ticks(fields[UserField + 1])) / TicksPerSecond;
    }

    private static double Ticks(string field) => long.Parse(field, CultureInfo.InvariantCulture);
}
