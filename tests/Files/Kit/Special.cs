using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Text;

namespace Ioxide.Files.Tests;

/// <summary>Makes what lies in folders and is no file.</summary>
internal static partial class Special
{
    private const uint ReadWrite = 0x1B6;
    private const uint CharacterDevice = 0x2000;
    private const int CurrentDirectory = -100;
    private const ulong NullDevice = (1 << 8) | 3;

    internal static void MakeFifo(string path) => Assert.Equal(0, MakeFifoNative(path, ReadWrite));

    /// <summary>Only root may; without it the path stays empty, which is refused likewise.</summary>
    internal static void TryMakeNullDevice(string path) => _ = MakeNodeNative(path, CharacterDevice | ReadWrite, NullDevice);

    internal static void MakeSocket(string path)
    {
        using Socket socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.Bind(new UnixDomainSocketEndPoint(path));
    }

    /// <summary>Renames as rename(2) does: what has the new name, be it a link to a folder, is replaced in one step.</summary>
    internal static void Rename(string path, string target) => Rename(path, Encoding.UTF8.GetBytes(target));

    /// <param name="path">What has the old name.</param>
    /// <param name="target">The new name in any bytes but zero.</param>
    internal static unsafe void Rename(string path, ReadOnlySpan<byte> target)
    {
        fixed (byte* from = Encoding.UTF8.GetBytes(path + '\0'))
        fixed (byte* to = (byte[])[.. target, 0])
        {
            Assert.Equal(0, RenameNative(CurrentDirectory, from, CurrentDirectory, to, 0));
        }
    }

    /// <summary>Two folders change places in one step. Source: RENAME_EXCHANGE in rename(2), Linux 3.15.</summary>
    internal static unsafe void Exchange(string one, string other)
    {
        fixed (byte* from = Encoding.UTF8.GetBytes(one + '\0'))
        fixed (byte* to = Encoding.UTF8.GetBytes(other + '\0'))
        {
            Assert.Equal(0, RenameNative(CurrentDirectory, from, CurrentDirectory, to, 2));
        }
    }

    [LibraryImport("libc", EntryPoint = "renameat2")]
    private static unsafe partial int RenameNative(int folder, byte* path, int targetFolder, byte* target, uint flags);

    [LibraryImport("libc", EntryPoint = "mkfifo", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int MakeFifoNative(string path, uint mode);

    [LibraryImport("libc", EntryPoint = "mknod", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int MakeNodeNative(string path, uint mode, ulong device);
}
