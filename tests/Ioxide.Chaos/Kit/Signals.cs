using System.Runtime.InteropServices;

namespace Ioxide.Chaos;

/// <summary>Signals to a process that this one started.</summary>
/// <remarks>Source: signal(7), kill(2). The numbers are those of every architecture that .NET runs on.</remarks>
internal static partial class Signals
{
    internal const int Kill = 9;
    internal const int Terminate = 15;
    internal const int Continue = 18;
    internal const int Stop = 19;

    internal static void Send(int processId, int signal) => Assert.Equal(0, SendNative(processId, signal));

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int SendNative(int processId, int signal);
}
