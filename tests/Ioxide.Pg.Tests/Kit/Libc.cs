using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Ioxide.Pg.Tests;

/// <summary>The calls that .NET has no name for.</summary>
internal static partial class Libc
{
    internal const int SigKill = 9;
    internal const int SigContinue = 18;
    internal const int SigStop = 19;

    private const nuint SiocOutQ = 0x5411;

    internal static void Kill(int processId, int signal)
    {
        if (KillNative(processId, signal) != 0)
        {
            throw new InvalidOperationException($"kill({processId}, {signal}) failed: errno {Marshal.GetLastPInvokeError()}.");
        }
    }

    /// <summary>Bytes that were sent and that the other end has not acknowledged (TCP) or not read (unix); see tcp(7).</summary>
    internal static int UnsentBytes(Socket socket)
        => IoctlNative((int)socket.Handle, SiocOutQ, out int count) == 0 ? count : 0;

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int KillNative(int processId, int signal);

    [LibraryImport("libc", EntryPoint = "ioctl", SetLastError = true)]
    private static partial int IoctlNative(int descriptor, nuint request, out int value);
}
