namespace Ioxide;

/// <summary>Calls that send bytes by the pages that they lie in.</summary>
internal static unsafe partial class Sys
{
    /// <summary>A pipe, close-on-exec and non-blocking: first the end to read from. Source: pipe2(2).</summary>
    internal static int Pipe(int* ends) => Call(CallNumber.Pipe, (nint)ends, PipeConstants.CloseOnExec | PipeConstants.NonBlocking);

    /// <summary>Makes a pipe longer or shorter; its length in bytes, or <c>-errno</c>. Source: F_SETPIPE_SZ in fcntl(2).</summary>
    internal static int SetPipeSize(int fd, int lengthBytes) => Call(CallNumber.FileControl, fd, PipeConstants.SetSize, lengthBytes);

    /// <summary>Puts the pages of memory into a pipe, as many as there is room for. Source: vmsplice(2).</summary>
    internal static int SplicePages(int pipe, IoVector* memory)
        => CallUninterrupted(CallNumber.SplicePages, pipe, (nint)memory, 1, (nint)PipeConstants.SpliceNonBlocking);

    /// <summary>Moves what a pipe holds to another file, as much as that takes. Source: splice(2).</summary>
    internal static int Splice(int pipe, int target, nuint length)
        => CallUninterrupted(CallNumber.Splice, pipe, 0, target, 0, (nint)length, (nint)PipeConstants.SpliceNonBlocking);
}
