namespace Ioxide;

/// <summary>One completion queue entry: <c>struct io_uring_cqe</c>, 16 bytes.</summary>
/// <remarks>Source: include/uapi/linux/io_uring.h, Linux 6.1. The kernel writes it; Ioxide only reads.</remarks>
[StructLayout(LayoutKind.Explicit, Size = SizeInBytes)]
internal readonly struct Cqe
{
    internal const int SizeInBytes = 16;

    /// <summary>Kind, slot and generation, as <see cref="OperationId"/> packs them.</summary>
    [FieldOffset(0)] internal readonly ulong UserData;

    /// <summary>The operation's result: a count or a descriptor, or <c>-errno</c>.</summary>
    [FieldOffset(8)] internal readonly int Result;
    [FieldOffset(12)] internal readonly uint Flags;
}
