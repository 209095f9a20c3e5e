using System.Diagnostics;

namespace Ioxide.Handshakes;

/// <summary>The server as a process on CPU 0.</summary>
internal sealed class ServerProcess(string side, string key)
    : ServedChild(new ProcessStartInfo("taskset", ["-c", "0", "dotnet", AssemblyPath, "serve", side, key]))
{
    internal double ResidentMebibytes() => ResidentBytes() / (1024.0 * 1024);

    internal double CpuSeconds()
    {
        Process.Refresh();
        return Process.TotalProcessorTime.TotalSeconds;
    }
}
