using System.Globalization;

namespace Ioxide.FilesBench;

/// <summary>The resident memory of a process, as the kernel counts it.</summary>
internal static class ProcessMemory
{
    internal static long ResidentBytes(int process)
    {
        const string Name = "VmRSS:";
        string line = File.ReadLines($"/proc/{process}/status").First(static line => line.StartsWith(Name, StringComparison.Ordinal));
        string kilobytes = line[Name.Length..].Trim().Split(' ')[0];
        return long.Parse(kilobytes, CultureInfo.InvariantCulture) * 1024;
    }
}
