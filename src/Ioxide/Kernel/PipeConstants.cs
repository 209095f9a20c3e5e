namespace Ioxide;

/// <summary>Flags and commands of the calls that move pages through pipes.</summary>
/// <remarks>Source: include/uapi/linux/fcntl.h, linux/splice.h, asm-generic/fcntl.h.</remarks>
internal static class PipeConstants
{
    internal const int NonBlocking = 0x800;
    internal const int CloseOnExec = 0x80000;
    internal const int SetSize = 1031;
    internal const uint SpliceNonBlocking = 2;
}
