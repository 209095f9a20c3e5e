using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Ioxide.BadNetwork;

/// <summary>One named network namespace.</summary>
/// <remarks>Source: ip-netns(8), setns(2), network_namespaces(7).</remarks>
internal sealed partial class NetworkNamespace(string name)
{
    private const int CloneNewNet = 0x40000000;

    internal const string Folder = "/run/netns";

    internal string Name => name;

    /// <summary>A command that starts another inside; it is replaced by that, so that the process keeps its number.</summary>
    internal string[] Command => [Tool.Find("ip")!, "netns", "exec", name]; // The probe found it.

    /// <summary>Runs code inside, on a thread of its own: a socket belongs to the namespace of the thread that makes it.</summary>
    internal Task<T> RunAsync<T>(Func<T> run)
    {
        var result = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        new Thread(() =>
        {
            try
            {
                using SafeFileHandle file = File.OpenHandle(Path.Combine(Folder, name));
                if (SetNamespaceNative((int)file.DangerousGetHandle(), CloneNewNet) != 0)
                {
                    throw new InvalidOperationException($"setns({name}) failed with errno {Marshal.GetLastPInvokeError()}.");
                }

                result.SetResult(run());
            }
            catch (Exception exception)
            {
                result.SetException(exception);
            }
        }).Start();
        return result.Task;
    }

    [LibraryImport("libc", EntryPoint = "setns", SetLastError = true)]
    private static partial int SetNamespaceNative(int descriptor, int kind);
}
