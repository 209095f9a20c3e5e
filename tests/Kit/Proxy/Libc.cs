using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Ioxide.TestKit;

/// <summary>The calls that .NET has no name for.</summary>
internal static partial class Libc
{
    private const nuint SiocOutQ = 0x5411;

    /// <summary>Bytes that were sent and that the other end has not acknowledged (TCP) or not read (unix); see tcp(7).</summary>
    internal static int UnsentBytes(Socket socket) => IoctlNative((int)socket.Handle, SiocOutQ, out int count) == 0 ? count : 0;

    [LibraryImport("libc", EntryPoint = "ioctl", SetLastError = true)]
    private static partial int IoctlNative(int descriptor, nuint request, out int value);
}
