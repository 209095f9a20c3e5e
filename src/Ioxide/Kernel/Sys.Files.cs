namespace Ioxide;

/// <summary>Calls that open, describe and watch files, and that send bytes by their pages.</summary>
/// <remarks>Source of the constants: include/uapi/linux/fcntl.h, linux/splice.h, asm-generic/fcntl.h.</remarks>
internal static unsafe partial class Sys
{
    internal const int PipeSetSize = 1031;
    internal const uint SpliceNonBlocking = 2;

    /// <summary>Opens a path below a folder, or below none with <see cref="FileConstants.CurrentDirectory"/>.</summary>
    /// <param name="folder">A descriptor.</param>
    /// <param name="path">UTF-8, ended by a zero.</param>
    /// <param name="how">Flags, and the path elements that the kernel refuses to follow.</param>
    /// <remarks>Source: openat2(2), Linux 5.6. EINTR and EAGAIN (a rename raced with it) are retried.</remarks>
    internal static int Open(int folder, byte* path, OpenHow* how)
    {
        const int Attempts = 128;
        int result;
        int attempt = 0;
        do
        {
            result = Call(CallNumber.Open, folder, (nint)path, (nint)how, OpenHow.SizeInBytes);
        }
        while (result is -Errno.EINTR or -Errno.EAGAIN && ++attempt < Attempts);
        return result;
    }

    /// <summary>Opens a path without restrictions, below a folder or below none. Source: openat(2).</summary>
    /// <param name="folder">A descriptor, or <see cref="FileConstants.CurrentDirectory"/>.</param>
    /// <param name="path">UTF-8, ended by a zero.</param>
    /// <param name="flags">Flags that create no file.</param>
    internal static int OpenAt(int folder, byte* path, ulong flags)
        => CallUninterrupted(CallNumber.OpenAt, folder, (nint)path, (nint)flags);

    /// <summary>Reads the target of an open symbolic link. Source: readlinkat(2), Linux 2.6.39 for an empty path.</summary>
    /// <returns>Bytes written, without a zero at the end, or <c>-errno</c>.</returns>
    internal static int ReadLink(int link, byte* target, nuint length)
    {
        byte empty = 0;
        return Call(CallNumber.ReadLink, link, (nint)(&empty), (nint)target, (nint)length);
    }

    /// <summary>Changes the allowed access to mapped memory. Source: mprotect(2).</summary>
    internal static int Protect(void* address, nuint length, int protection)
        => Call(CallNumber.Protect, (nint)address, (nint)length, protection);

    /// <summary>Tells the kernel how mapped memory is used. Source: madvise(2).</summary>
    internal static int Advise(void* address, nuint length, int advice) => Call(CallNumber.Advise, (nint)address, (nint)length, advice);

    /// <summary>Describes an open file. Source: statx(2); fstat(2) where the host refuses that.</summary>
    internal static int Status(int fd, FileStatus* status)
    {
        byte empty = 0;
        int result = StatusAt(fd, &empty, FileConstants.StatusEmptyPath, status);
        return result is -Errno.EPERM or -Errno.EACCES or -Errno.ENOSYS or -Errno.EINVAL ? PlainStatus(fd, status) : result;
    }

    /// <summary>Describes an open file on every kernel. Source: fstat(2), Linux 3.6 for descriptors of O_PATH.</summary>
    internal static int PlainStatus(int fd, FileStatus* status)
    {
        byte* plain = stackalloc byte[PlainFileStatus.MaxBytes];
        int result = Call(CallNumber.PlainStatus, fd, (nint)plain);
        if (result >= 0)
        {
            *status = PlainFileStatus.Read(plain, isArm: !CallNumber.IsX64);
        }

        return result;
    }

    /// <summary>Reads the magic number of an open file's file system; 0 where the host refuses it. Source: fstatfs(2).</summary>
    internal static long FileSystemOf(int fd)
    {
        // f_type is the first field of struct statfs, which has 120 bytes where words have 64 bits.
        const int StatusWords = 15;
        long* status = stackalloc long[StatusWords];
        return CallUninterrupted(CallNumber.FileSystem, fd, (nint)status) < 0 ? 0 : *status;
    }

    /// <summary>A queue of changes to watched files, close-on-exec, whose reads wait. Source: inotify_init1(2).</summary>
    internal static int NotifyQueue() => Call(CallNumber.NotifyQueue, FileConstants.NotifyCloseOnExec);

    /// <summary>Watches one folder, or continues to watch it. Source: inotify_add_watch(2).</summary>
    /// <returns>The watch's number in this queue, one per inode, or <c>-errno</c>.</returns>
    internal static int NotifyAdd(int queue, byte* path, uint events) => Call(CallNumber.NotifyAdd, queue, (nint)path, (nint)events);

    /// <summary>Ends a watch; its queued changes stay queued. Source: inotify_rm_watch(2).</summary>
    internal static int NotifyRemove(int queue, int watch) => Call(CallNumber.NotifyRemove, queue, watch);

    /// <summary>Reads the next names of an open folder, as <c>struct linux_dirent64</c>. Source: getdents64(2).</summary>
    /// <returns>Bytes written, 0 behind the last name, or <c>-errno</c>.</returns>
    internal static int ReadFolder(int folder, byte* buffer, int length) => Call(CallNumber.ReadFolder, folder, (nint)buffer, length);

    /// <summary>Describes the file of a path, or with an empty path the open file itself. Source: statx(2).</summary>
    internal static int StatusAt(int folder, byte* path, int flags, FileStatus* status)
        => Call(CallNumber.Status, folder, (nint)path, flags, (nint)FileConstants.StatusBasic, (nint)status);

    /// <summary>Creates a pipe, close-on-exec and non-blocking; the read end comes first. Source: pipe2(2).</summary>
    internal static int Pipe(int* ends)
        => Call(CallNumber.Pipe, (nint)ends, (nint)(FileConstants.OpenCloseOnExec | FileConstants.OpenNonBlocking));

    /// <summary>Resizes a pipe and returns its length in bytes, or <c>-errno</c>. Source: F_SETPIPE_SZ in fcntl(2).</summary>
    internal static int SetPipeSize(int fd, int lengthBytes) => Call(CallNumber.FileControl, fd, PipeSetSize, lengthBytes);

    /// <summary>Puts the pages of memory into a pipe, as many as fit. Source: vmsplice(2).</summary>
    internal static int SplicePages(int pipe, IoVector* memory)
        => CallUninterrupted(CallNumber.SplicePages, pipe, (nint)memory, 1, (nint)SpliceNonBlocking);

    /// <summary>Moves a pipe's content to another file, as much as fits. Source: splice(2).</summary>
    internal static int Splice(int pipe, int target, nuint length)
        => CallUninterrupted(CallNumber.Splice, pipe, 0, target, 0, (nint)length, (nint)SpliceNonBlocking);
}
