namespace Ioxide;

/// <summary>Calls that send bytes by their pages.</summary>
/// <remarks>Source of the constants: include/uapi/linux/fcntl.h, linux/splice.h, asm-generic/fcntl.h.</remarks>
internal static unsafe partial class Sys
{
    internal const int PipeNonBlocking = 0x800;
    internal const int PipeCloseOnExec = 0x80000;
    internal const int PipeSetSize = 1031;
    internal const uint SpliceNonBlocking = 2;

    /// <summary>Creates a pipe, close-on-exec and non-blocking; the read end comes first. Source: pipe2(2).</summary>
    internal static int Pipe(int* ends) => Call(CallNumber.Pipe, (nint)ends, PipeCloseOnExec | PipeNonBlocking);

    /// <summary>Resizes a pipe and returns its length in bytes, or <c>-errno</c>. Source: F_SETPIPE_SZ in fcntl(2).</summary>
    internal static int SetPipeSize(int fd, int lengthBytes) => Call(CallNumber.FileControl, fd, PipeSetSize, lengthBytes);

    /// <summary>Puts the pages of memory into a pipe, as many as fit. Source: vmsplice(2).</summary>
    internal static int SplicePages(int pipe, IoVector* memory)
        => CallUninterrupted(CallNumber.SplicePages, pipe, (nint)memory, 1, (nint)SpliceNonBlocking);

    /// <summary>Moves a pipe's content to another file, as much as fits. Source: splice(2).</summary>
    internal static int Splice(int pipe, int target, nuint length)
        => CallUninterrupted(CallNumber.Splice, pipe, 0, target, 0, (nint)length, (nint)SpliceNonBlocking);
}
