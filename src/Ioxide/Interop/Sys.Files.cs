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

    /// <summary>Opens a path as it is, below a folder or below none. Source: openat(2).</summary>
    /// <param name="folder">A descriptor, or <see cref="FileConstants.CurrentDirectory"/>.</param>
    /// <param name="path">UTF-8, ended by a zero.</param>
    /// <param name="flags">Flags that make no file.</param>
    internal static int OpenAt(int folder, byte* path, ulong flags)
    {
        int result;
        do
        {
            result = Result(OpenAtNative(folder, path, (int)flags, 0));
        }
        while (result == -Errno.EINTR);
        return result;
    }

    /// <summary>Reads where an open symbolic link leads to. Source: readlinkat(2), Linux 2.6.39 for an empty path.</summary>
    /// <returns>Bytes written, without a zero at the end, or <c>-errno</c>.</returns>
    internal static int ReadLink(int link, byte* target, nuint length)
    {
        byte empty = 0;
        return Result(ReadLinkNative(link, &empty, target, length));
    }

    /// <summary>Changes what may be done with mapped memory. Source: mprotect(2).</summary>
    internal static int Protect(void* address, nuint length, int protection) => Result(ProtectNative((nint)address, length, protection));

    /// <summary>Tells the kernel how mapped memory is used. Source: madvise(2).</summary>
    internal static int Advise(void* address, nuint length, int advice) => Result(AdviseNative((nint)address, length, advice));

    /// <summary>Describes an open file. Source: statx(2); fstat(2) where the host refuses that.</summary>
    internal static int Status(int fd, FileStatus* status)
    {
        byte empty = 0;
        int result = Result(StatusNative(fd, &empty, FileConstants.StatusEmptyPath, FileConstants.StatusBasic, status));
        return result is -Errno.EPERM or -Errno.EACCES or -Errno.ENOSYS or -Errno.EINVAL ? PlainStatus(fd, status) : result;
    }

    /// <summary>Describes an open file as every kernel can. Source: fstat(2), Linux 3.6 for descriptors of O_PATH.</summary>
    internal static int PlainStatus(int fd, FileStatus* status)
    {
        const int Number = 5;
        const int NumberOnArm = 80;
        bool isArm = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;
        byte* plain = stackalloc byte[PlainFileStatus.MaxBytes];
        int result = Result(SyscallNative(isArm ? NumberOnArm : Number, fd, (nint)plain, 0, 0, 0, 0));
        if (result >= 0)
        {
            *status = PlainFileStatus.Read(plain, isArm);
        }

        return result;
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

    /// <summary>Watches one folder, or continues to watch it. Source: inotify_add_watch(2).</summary>
    /// <returns>The watch's number in this queue, one per inode, or <c>-errno</c>.</returns>
    internal static int NotifyAdd(int queue, byte* path, uint events) => Result(NotifyAddNative(queue, path, events));

    /// <summary>Ends a watch; what it has queued stays queued. Source: inotify_rm_watch(2).</summary>
    internal static int NotifyRemove(int queue, int watch) => Result(NotifyRemoveNative(queue, watch));

    /// <summary>Reads the next names of an open folder, as <c>struct linux_dirent64</c>. Source: getdents64(2).</summary>
    /// <returns>Bytes written, 0 behind the last name, or <c>-errno</c>.</returns>
    internal static int ReadFolder(int folder, byte* buffer, int length)
    {
        const int Number = 217;
        const int NumberOnArm = 61;
        bool isArm = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;
        return Result(SyscallNative(isArm ? NumberOnArm : Number, folder, (nint)buffer, length, 0, 0, 0));
    }

    [LibraryImport("libc", EntryPoint = "openat", SetLastError = true)]
    private static partial int OpenAtNative(int folder, byte* path, int flags, uint mode);

    [LibraryImport("libc", EntryPoint = "readlinkat", SetLastError = true)]
    private static partial nint ReadLinkNative(int folder, byte* path, byte* target, nuint length);

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

    [LibraryImport("libc", EntryPoint = "inotify_rm_watch", SetLastError = true)]
    private static partial int NotifyRemoveNative(int queue, int watch);
}
