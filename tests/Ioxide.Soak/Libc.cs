using System.ComponentModel;
using System.Runtime.InteropServices;

namespace Ioxide.Soak;

/// <summary>Signals to the server process, and the limit that it sets itself: kill(2) and setrlimit(2).</summary>
internal static unsafe partial class Libc
{
    internal const int SignalContinue = 18;
    internal const int SignalStop = 19;
    private const int ResourceOpenFiles = 7;

    internal static void Signal(int processId, int signal) => ThrowUnlessZero(Kill(processId, signal));

    /// <summary>Lowers this process's limit of open files, soft and hard.</summary>
    internal static void LimitOpenFiles(ulong count)
    {
        ResourceLimit limit = new(count, count);
        ThrowUnlessZero(SetLimit(ResourceOpenFiles, &limit));
    }

    private static void ThrowUnlessZero(int returned)
    {
        if (returned != 0)
        {
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        }
    }

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int Kill(int processId, int signal);

    [LibraryImport("libc", EntryPoint = "setrlimit", SetLastError = true)]
    private static partial int SetLimit(int resource, ResourceLimit* limit);

    /// <summary><c>struct rlimit</c> on 64-bit Linux.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private readonly record struct ResourceLimit(ulong Soft, ulong Hard);
}
