using System.Runtime.InteropServices;

namespace Ioxide.TestKit;

/// <summary>Signals to a process that this one started.</summary>
/// <remarks>Source: signal(7), kill(2). The numbers are those of every architecture that .NET runs on.</remarks>
internal static partial class Signals
{
    internal const int Interrupt = 2;
    internal const int Kill = 9;
    internal const int User2 = 12;
    internal const int Terminate = 15;
    internal const int Continue = 18;
    internal const int Stop = 19;

    private const int NoSuchProcess = 3; // ESRCH

    /// <summary>Sends one; a process that has ended meanwhile takes none.</summary>
    internal static void Send(int processId, int signal)
    {
        if (SendNative(processId, signal) != 0 && Marshal.GetLastPInvokeError() != NoSuchProcess)
        {
            throw new InvalidOperationException($"kill({processId}, {signal}) failed with errno {Marshal.GetLastPInvokeError()}.");
        }
    }

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int SendNative(int processId, int signal);
}
