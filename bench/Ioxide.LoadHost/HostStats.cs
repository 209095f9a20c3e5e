using System.Globalization;
using System.Runtime;

namespace Ioxide.LoadHost;

/// <summary>What the process has used so far, and what it runs on.</summary>
/// <param name="Transport">The transport under the connection that asked.</param>
/// <param name="CpuMs">User and system time of all threads, in milliseconds.</param>
/// <param name="Gen0Collections">Garbage collections of generation 0 and above.</param>
/// <param name="AllocatedBytes">Bytes allocated on the managed heap since the start.</param>
/// <param name="ResidentBytes">Resident memory of the process.</param>
/// <param name="CompiledMethods">Methods that the just-in-time compiler made, each tier of a method counted.</param>
internal readonly record struct HostStats(
    string Transport,
    double CpuMs,
    int Gen0Collections,
    long AllocatedBytes,
    long ResidentBytes,
    long CompiledMethods)
{
    private const string ResidentLabel = "VmRSS:";

    internal static HostStats Read(HttpContext context) => new(
        RunningTransport.OfConnection(context),
        Environment.CpuUsage.TotalTime.TotalMilliseconds,
        GC.CollectionCount(0),
        GC.GetTotalAllocatedBytes(precise: true),
        ReadResidentBytes(),
        JitInfo.GetCompiledMethodCount());

    private static long ReadResidentBytes()
    {
        foreach (string line in File.ReadLines("/proc/self/status"))
        {
            if (line.StartsWith(ResidentLabel, StringComparison.Ordinal))
            {
                string kilobytes = line[ResidentLabel.Length..].Replace("kB", null, StringComparison.Ordinal);
                return long.Parse(kilobytes, NumberStyles.AllowLeadingWhite | NumberStyles.AllowTrailingWhite,
                    CultureInfo.InvariantCulture) * 1024;
            }
        }

        return 0;
    }
}
