namespace Ioxide;

/// <summary>One submission queue entry: <c>struct io_uring_sqe</c>, 64 bytes.</summary>
/// <remarks>Source: include/uapi/linux/io_uring.h, Linux 6.1. Ioxide writes it; the kernel has copied it when enter returns.</remarks>
[StructLayout(LayoutKind.Explicit, Size = SizeInBytes)]
internal struct Sqe
{
    internal const int SizeInBytes = 64;

    [FieldOffset(0)] internal Opcode Opcode;
    [FieldOffset(1)] internal SqeFlags Flags;

    /// <summary><c>ioprio</c>: the operation's own flags, such as multishot.</summary>
    [FieldOffset(2)] internal ushort IoPriority;
    [FieldOffset(4)] internal int Descriptor;

    /// <summary><c>off</c>, <c>addr2</c>: a file offset, an address length, or a message ring's user data.</summary>
    [FieldOffset(8)] internal ulong Offset;

    /// <summary><c>addr</c>: the memory of the operation, or the user data to cancel.</summary>
    [FieldOffset(16)] internal ulong Address;

    /// <summary><c>len</c>: bytes, 1 for a message header.</summary>
    [FieldOffset(24)] internal uint Length;

    /// <summary><c>msg_flags</c>, <c>accept_flags</c>, <c>poll32_events</c>, <c>cancel_flags</c>.</summary>
    [FieldOffset(28)] internal uint OperationFlags;
    [FieldOffset(32)] internal ulong UserData;
    [FieldOffset(40)] internal ushort BufferGroup;
    [FieldOffset(42)] internal ushort Personality;
    [FieldOffset(44)] internal uint FileIndex;
    [FieldOffset(48)] internal ulong Address3;
    [FieldOffset(56)] internal ulong Padding;
}
