namespace Ioxide;

/// <summary>One provided buffer: <c>struct io_uring_buf</c>, 16 bytes. Entry 0's last two bytes are the ring's tail.</summary>
/// <remarks>Source: io_uring_register_buf_ring(3), Linux 5.19.</remarks>
[StructLayout(LayoutKind.Explicit, Size = SizeInBytes)]
internal struct BufferRingEntry
{
    internal const int SizeInBytes = 16;
    internal const int TailOffset = 14;

    [FieldOffset(0)] internal ulong Address;
    [FieldOffset(8)] internal uint Length;
    [FieldOffset(12)] internal ushort BufferId;
}

/// <summary>Describes a buffer ring to the kernel: <c>struct io_uring_buf_reg</c>, 40 bytes.</summary>
[StructLayout(LayoutKind.Explicit, Size = 40)]
internal struct BufferRingRegistration
{
    [FieldOffset(0)] internal ulong RingAddress;
    [FieldOffset(8)] internal uint RingEntries;
    [FieldOffset(12)] internal ushort BufferGroup;
    [FieldOffset(14)] internal ushort Flags;
}

/// <summary>The extended argument of enter: <c>struct io_uring_getevents_arg</c>, 24 bytes.</summary>
/// <remarks>Source: io_uring_enter(2), Linux 5.11; <see cref="MinimumWaitUs"/> since Linux 6.12, padding before.</remarks>
[StructLayout(LayoutKind.Explicit, Size = SizeInBytes)]
internal struct GetEventsArgument
{
    internal const int SizeInBytes = 24;

    [FieldOffset(0)] internal ulong SignalMask;
    [FieldOffset(8)] internal uint SignalMaskSize;
    [FieldOffset(12)] internal uint MinimumWaitUs;
    [FieldOffset(16)] internal ulong Timeout;
}

/// <summary>One allowed operation, flag or register call: <c>struct io_uring_restriction</c>, 16 bytes.</summary>
/// <remarks>Source: io_uring_register(2), IORING_REGISTER_RESTRICTIONS, Linux 5.10.</remarks>
[StructLayout(LayoutKind.Explicit, Size = 16)]
internal struct RingRestriction
{
    internal const ushort AllowRegister = 0;
    internal const ushort AllowOperation = 1;
    internal const ushort AllowFlags = 2;

    [FieldOffset(0)] internal ushort Opcode;
    [FieldOffset(2)] internal byte Value;
}

/// <summary>A descriptor to register: <c>struct io_uring_rsrc_update</c>, 16 bytes.</summary>
[StructLayout(LayoutKind.Explicit, Size = 16)]
internal struct ResourceUpdate
{
    [FieldOffset(0)] internal uint Offset;
    [FieldOffset(8)] internal ulong Data;
}

/// <summary>Busy polling of the device: <c>struct io_uring_napi</c>, 16 bytes. Linux 6.9.</summary>
[StructLayout(LayoutKind.Explicit, Size = 16)]
internal struct NapiRegistration
{
    [FieldOffset(0)] internal uint BusyPollUs;
    [FieldOffset(4)] internal byte PreferBusyPoll;
}

/// <summary>The operations that the kernel supports: <c>struct io_uring_probe</c> with 64 of <c>io_uring_probe_op</c>.</summary>
[StructLayout(LayoutKind.Explicit, Size = 16 + (8 * MaxOperations))]
internal unsafe struct OperationProbe
{
    internal const int MaxOperations = 64;

    [FieldOffset(0)] internal byte LastOperation;
    [FieldOffset(1)] internal byte OperationCount;

    /// <summary>Eight bytes per operation: its opcode, a reserved byte, 16 bits of flags (1 = supported), padding.</summary>
    [FieldOffset(16)] internal fixed byte Operations[8 * MaxOperations];

    internal readonly bool Supports(Opcode opcode)
    {
        const int FlagsOffset = 2;
        return (byte)opcode < OperationCount && (Operations[((byte)opcode * 8) + FlagsOffset] & 1) != 0;
    }
}

/// <summary><c>struct __kernel_timespec</c>, 16 bytes.</summary>
[StructLayout(LayoutKind.Explicit, Size = 16)]
internal struct KernelTimespec
{
    [FieldOffset(0)] internal long Seconds;
    [FieldOffset(8)] internal long Nanoseconds;
}

/// <summary>One piece of memory of a vectored operation: <c>struct iovec</c>, 16 bytes.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeInBytes)]
internal struct IoVector
{
    internal const int SizeInBytes = 16;

    [FieldOffset(0)] internal ulong Base;
    [FieldOffset(8)] internal ulong Length;
}

/// <summary><c>struct msghdr</c>, 56 bytes.</summary>
/// <remarks>Source: sendmsg(2).</remarks>
[StructLayout(LayoutKind.Explicit, Size = SizeInBytes)]
internal struct MessageHeader
{
    internal const int SizeInBytes = 56;

    [FieldOffset(0)] internal ulong Name;
    [FieldOffset(8)] internal uint NameLength;
    [FieldOffset(16)] internal ulong Vectors;
    [FieldOffset(24)] internal ulong VectorCount;
    [FieldOffset(32)] internal ulong Control;
    [FieldOffset(40)] internal ulong ControlLength;
    [FieldOffset(48)] internal int Flags;
}

/// <summary><c>struct cmsghdr</c>, 16 bytes; its data follow, padded to 8 bytes.</summary>
/// <remarks>Source: cmsg(3).</remarks>
[StructLayout(LayoutKind.Explicit, Size = SizeInBytes)]
internal struct ControlHeader
{
    internal const int SizeInBytes = 16;

    [FieldOffset(0)] internal ulong Length;
    [FieldOffset(8)] internal int Level;
    [FieldOffset(12)] internal int Type;
}

/// <summary><c>struct rlimit</c>, 16 bytes.</summary>
[StructLayout(LayoutKind.Explicit, Size = 16)]
internal struct ResourceLimit
{
    [FieldOffset(0)] internal ulong Current;
    [FieldOffset(8)] internal ulong Maximum;
}
