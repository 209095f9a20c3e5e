using System.ComponentModel;
using System.Runtime.InteropServices;

namespace Ioxide.Soak;

/// <summary>The limit that the server sets itself: setrlimit(2).</summary>
internal static unsafe partial class Libc
{
    private const int ResourceOpenFiles = 7;

    /// <summary>Lowers this process's limit of open files, soft and hard.</summary>
    internal static void LimitOpenFiles(ulong count)
    {
        ResourceLimit limit = new(count, count);
        if (SetLimit(ResourceOpenFiles, &limit) != 0)
        {
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        }
    }

    [LibraryImport("libc", EntryPoint = "setrlimit", SetLastError = true)]
    private static partial int SetLimit(int resource, ResourceLimit* limit);

    /// <summary><c>struct rlimit</c> on 64-bit Linux.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private readonly record struct ResourceLimit(ulong Soft, ulong Hard);
}
