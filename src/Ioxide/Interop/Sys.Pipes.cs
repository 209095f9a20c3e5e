using System.Runtime.InteropServices;

namespace Ioxide;

/// <summary>Calls that send bytes without a ring: plainly, and by the pages that they lie in.</summary>
internal static unsafe partial class Sys
{
    /// <summary>Sends what there is room for. Source: send(2).</summary>
    internal static int Send(int fd, void* buffer, nuint length, uint flags)
    {
        int result;
        do
        {
            result = Result(SendNative(fd, buffer, length, flags));
        }
        while (result == -Errno.EINTR);
        return result;
    }

    /// <summary>A pipe, close-on-exec and non-blocking: first the end to read from. Source: pipe2(2).</summary>
    internal static int Pipe(int* ends) => Result(PipeNative(ends, PipeConstants.CloseOnExec | PipeConstants.NonBlocking));

    /// <summary>Makes a pipe longer or shorter; its length in bytes, or <c>-errno</c>. Source: F_SETPIPE_SZ in fcntl(2).</summary>
    internal static int SetPipeSize(int fd, int lengthBytes) => Result(FileControlNative(fd, PipeConstants.SetSize, lengthBytes));

    /// <summary>Puts the pages of memory into a pipe, as many as there is room for. Source: vmsplice(2).</summary>
    internal static int SplicePages(int pipe, IoVector* memory)
    {
        int result;
        do
        {
            result = Result(SplicePagesNative(pipe, memory, 1, PipeConstants.SpliceNonBlocking));
        }
        while (result == -Errno.EINTR);
        return result;
    }

    /// <summary>Moves what a pipe holds to another file, as much as that takes. Source: splice(2).</summary>
    internal static int Splice(int pipe, int target, nuint length)
    {
        int result;
        do
        {
            result = Result(SpliceNative(pipe, 0, target, 0, length, PipeConstants.SpliceNonBlocking));
        }
        while (result == -Errno.EINTR);
        return result;
    }

    [LibraryImport("libc", EntryPoint = "send", SetLastError = true)]
    private static partial nint SendNative(int fd, void* buffer, nuint length, uint flags);

    [LibraryImport("libc", EntryPoint = "pipe2", SetLastError = true)]
    private static partial int PipeNative(int* ends, int flags);

    [LibraryImport("libc", EntryPoint = "vmsplice", SetLastError = true)]
    private static partial nint SplicePagesNative(int pipe, IoVector* memory, nuint count, uint flags);

    [LibraryImport("libc", EntryPoint = "splice", SetLastError = true)]
    private static partial nint SpliceNative(int source, nint sourceOffset, int target, nint targetOffset, nuint length, uint flags);
}
