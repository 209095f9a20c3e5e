using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>Where statx(2) is refused, fstat(2) tells the same of every kind of file.</summary>
public class FileStatusTests
{
    [Theory, Each("/proc/self/exe", "/dev/null", "/tmp", "/")]
    public void BothCallsDescribeAFileAlike(string path)
    {
        int descriptor = Open(path);
        Assert.True(descriptor >= 0);
        AssertAlike(descriptor);
        _ = Kernel.Linux.Close(descriptor);
    }

    [Fact]
    public void BothCallsDescribeASocketAlike()
    {
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

        AssertAlike((int)socket.Handle);
    }

    private static unsafe int Open(string path)
    {
        fixed (byte* pointer = System.Text.Encoding.UTF8.GetBytes(path + '\0'))
        {
            return Sys.OpenAt(FileConstants.CurrentDirectory, pointer, FileConstants.OpenPath | FileConstants.OpenCloseOnExec);
        }
    }

    private static unsafe void AssertAlike(int descriptor)
    {
        FileStatus full;
        FileStatus plain;
        Assert.Equal((0, 0), (Sys.Status(descriptor, &full), Sys.PlainStatus(descriptor, &plain)));
        Assert.Equal(Text(full), Text(plain));
    }

    private static string Text(in FileStatus status)
        => $"{status.Mode} {status.Inode} {status.Length} {status.DeviceMajor}:{status.DeviceMinor} "
            + $"{status.Modified.Seconds}.{status.Modified.Nanoseconds} {status.Changed.Seconds}.{status.Changed.Nanoseconds}";
}
