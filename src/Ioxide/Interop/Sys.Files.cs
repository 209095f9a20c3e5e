using System.Runtime.InteropServices;

namespace Ioxide;

/// <summary>Calls that open, describe and watch files.</summary>
internal static unsafe partial class Sys
{
    // The same number on every architecture (asm-generic/unistd.h).
    private const int OpenNumber = 437;

    /// <summary>Opens a path below a folder, or below none with <see cref="FileConstants.CurrentDirectory"/>.</summary>
    /// <param name="folder">A descriptor.</param>
    /// <param name="path">UTF-8, ended by a zero.</param>
    /// <param name="how">Flags, and what the kernel refuses to follow on the way.</param>
    /// <remarks>Source: openat2(2), Linux 5.6. EINTR and EAGAIN (a rename raced with it) are retried.</remarks>
    internal static int Open(int folder, byte* path, OpenHow* how)
    {
        const int Attempts = 128;
        int result;
        int attempt = 0;
        do
        {
            result = Result(SyscallNative(OpenNumber, folder, (nint)path, (nint)how, OpenHow.SizeInBytes, 0, 0));
        }
        while (result is -Errno.EINTR or -Errno.EAGAIN && ++attempt < Attempts);
        return result;
    }

    /// <summary>Changes what may be done with mapped memory. Source: mprotect(2).</summary>
    internal static int Protect(void* address, nuint length, int protection) => Result(ProtectNative((nint)address, length, protection));

    /// <summary>Tells the kernel how mapped memory is used. Source: madvise(2).</summary>
    internal static int Advise(void* address, nuint length, int advice) => Result(AdviseNative((nint)address, length, advice));

    /// <summary>Describes an open file. Source: statx(2).</summary>
    internal static int Status(int fd, FileStatus* status)
    {
        byte empty = 0;
        return Result(StatusNative(fd, &empty, FileConstants.StatusEmptyPath, FileConstants.StatusBasic, status));
    }

    /// <summary>How many descriptors the process has open. Source: proc_pid_fd(5); the length of the folder is told from Linux 6.2 on.</summary>
    internal static int CountDescriptors()
    {
        FileStatus status = default;
        int result;
        fixed (byte* path = "/proc/self/fd\0"u8)
        {
            result = Result(StatusNative(FileConstants.CurrentDirectory, path, 0, FileConstants.StatusBasic, &status));
        }

        return result < 0 ? result : status.Length == 0 ? -Errno.ENOSYS : (int)status.Length;
    }

    /// <summary>A queue of changes to watched files, close-on-exec, whose reads wait. Source: inotify_init1(2).</summary>
    internal static int NotifyQueue() => Result(NotifyQueueNative(FileConstants.NotifyCloseOnExec));

    /// <summary>Watches one folder, or goes on watching it. Source: inotify_add_watch(2).</summary>
    internal static int NotifyAdd(int queue, byte* path, uint events) => Result(NotifyAddNative(queue, path, events));

    [LibraryImport("libc", EntryPoint = "mprotect", SetLastError = true)]
    private static partial int ProtectNative(nint address, nuint length, int protection);

    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    private static partial int AdviseNative(nint address, nuint length, int advice);

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true)]
    private static partial int StatusNative(int folder, byte* path, int flags, uint mask, FileStatus* status);

    [LibraryImport("libc", EntryPoint = "inotify_init1", SetLastError = true)]
    private static partial int NotifyQueueNative(int flags);

    [LibraryImport("libc", EntryPoint = "inotify_add_watch", SetLastError = true)]
    private static partial int NotifyAddNative(int queue, byte* path, uint events);
}
