using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Ioxide.Files.Tests;

/// <summary>Makes what lies in folders and is no file.</summary>
internal static partial class Special
{
    private const uint ReadWrite = 0x1B6;
    private const uint CharacterDevice = 0x2000;
    private const ulong NullDevice = (1 << 8) | 3;

    internal static void MakeFifo(string path) => Assert.Equal(0, MakeFifoNative(path, ReadWrite));

    /// <summary>Only root may; without it the path stays empty, which is refused likewise.</summary>
    internal static void TryMakeNullDevice(string path) => _ = MakeNodeNative(path, CharacterDevice | ReadWrite, NullDevice);

    internal static void MakeSocket(string path)
    {
        using Socket socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.Bind(new UnixDomainSocketEndPoint(path));
    }

    [LibraryImport("libc", EntryPoint = "mkfifo", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int MakeFifoNative(string path, uint mode);

    [LibraryImport("libc", EntryPoint = "mknod", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int MakeNodeNative(string path, uint mode, ulong device);
}
