namespace Ioxide;

/// <summary>The requested and the resulting parameters of a ring: <c>struct io_uring_params</c>, 120 bytes.</summary>
/// <remarks>Source: io_uring_setup(2).</remarks>
[StructLayout(LayoutKind.Explicit, Size = SizeInBytes)]
internal struct RingParams
{
    internal const int SizeInBytes = 120;

    [FieldOffset(0)] internal uint SqEntries;
    [FieldOffset(4)] internal uint CqEntries;
    [FieldOffset(8)] internal SetupFlags Flags;
    [FieldOffset(12)] internal uint SqThreadCpu;
    [FieldOffset(16)] internal uint SqThreadIdleMs;
    [FieldOffset(20)] internal RingFeatureFlags Features;
    [FieldOffset(24)] internal uint WorkQueueDescriptor;
    [FieldOffset(40)] internal SqRingOffsets SqOffsets;
    [FieldOffset(80)] internal CqRingOffsets CqOffsets;
}

/// <summary>Offsets of the submission queue's parts in its mapping: <c>struct io_sqring_offsets</c>, 40 bytes.</summary>
[StructLayout(LayoutKind.Explicit, Size = 40)]
internal struct SqRingOffsets
{
    [FieldOffset(0)] internal uint Head;
    [FieldOffset(4)] internal uint Tail;
    [FieldOffset(8)] internal uint RingMask;
    [FieldOffset(12)] internal uint RingEntries;
    [FieldOffset(16)] internal uint Flags;
    [FieldOffset(20)] internal uint Dropped;
    [FieldOffset(24)] internal uint Array;
}

/// <summary>Offsets of the completion queue's parts in its mapping: <c>struct io_cqring_offsets</c>, 40 bytes.</summary>
[StructLayout(LayoutKind.Explicit, Size = 40)]
internal struct CqRingOffsets
{
    [FieldOffset(0)] internal uint Head;
    [FieldOffset(4)] internal uint Tail;
    [FieldOffset(8)] internal uint RingMask;
    [FieldOffset(12)] internal uint RingEntries;
    [FieldOffset(16)] internal uint Overflow;
    [FieldOffset(20)] internal uint Cqes;
    [FieldOffset(24)] internal uint Flags;
}
