namespace Ioxide;

/// <summary><c>IORING_SETUP_*</c>: how a ring is created.</summary>
[Flags]
internal enum SetupFlags : uint
{
    None = 0,
    CompletionQueueSize = 1 << 3,
    Clamp = 1 << 4,
    Disabled = 1 << 6,

    /// <summary>Linux 5.18. A bad entry does not stop the batch behind it.</summary>
    SubmitAll = 1 << 7,

    /// <summary>Linux 6.0. One thread submits; it is the one that enables the ring.</summary>
    SingleIssuer = 1 << 12,

    /// <summary>Linux 6.1. Completions are made only while the reactor is inside enter.</summary>
    DeferTaskRun = 1 << 13,

    /// <summary>Linux 6.6. Entries are taken in order, without the index array.</summary>
    NoSubmissionArray = 1 << 16,
}

/// <summary><c>IORING_ENTER_*</c>.</summary>
[Flags]
internal enum EnterFlags : uint
{
    None = 0,
    GetEvents = 1 << 0,
    ExtendedArgument = 1 << 3,

    /// <summary>Linux 5.18. The descriptor is an index given by <see cref="RegisterOpcode.RingDescriptors"/>.</summary>
    RegisteredRing = 1 << 4,

    /// <summary>Linux 6.15. A waiting reactor is not counted as waiting for a disk.</summary>
    NoIoWait = 1 << 7,
}

/// <summary><c>IORING_REGISTER_*</c>.</summary>
internal enum RegisterOpcode : uint
{
    Probe = 8,
    Restrictions = 11,
    EnableRings = 12,
    RingDescriptors = 20,
    UnregisterRingDescriptors = 21,
    BufferRing = 22,
    UnregisterBufferRing = 23,

    /// <summary>Linux 6.9. Busy polling of the network device while waiting.</summary>
    Napi = 27,
}

/// <summary><c>IORING_FEAT_*</c>: the features that the kernel reports when a ring is created.</summary>
[Flags]
internal enum RingFeatureFlags : uint
{
    SingleMapping = 1 << 0,
    NoDrop = 1 << 1,
    ExtendedArgument = 1 << 8,

    /// <summary>Linux 6.12.</summary>
    MinimumTimeout = 1 << 15,

    /// <summary>Linux 6.15.</summary>
    NoIoWait = 1 << 17,
}

/// <summary><c>IOSQE_*</c>: how one entry is run.</summary>
[Flags]
internal enum SqeFlags : byte
{
    None = 0,

    /// <summary>The next entry starts when this one has ended, whatever its result.</summary>
    HardLink = 1 << 3,

    /// <summary>The kernel picks a buffer of the group when data is there.</summary>
    BufferSelect = 1 << 5,
}

/// <summary><c>IORING_CQE_F_*</c>: a completion's information beside its result. The upper 16 bits are a buffer id.</summary>
internal static class CqeFlags
{
    internal const uint Buffer = 1 << 0;
    internal const uint More = 1 << 1;
    internal const int BufferShift = 16;
}

/// <summary>Flags that the kernel raises in the submission queue (<c>IORING_SQ_*</c>).</summary>
internal static class SubmissionQueueFlags
{
    internal const uint CompletionOverflow = 1 << 1;
}

/// <summary>Flags of single operations, in operation-specific fields of the entry.</summary>
internal static class OperationFlags
{
    /// <summary>Linux 5.19, in <c>ioprio</c> of accept.</summary>
    internal const ushort AcceptMultishot = 1 << 0;

    /// <summary>Linux 5.19, in <c>ioprio</c> of send and receive: the socket is asked first.</summary>
    internal const ushort PollFirst = 1 << 0;

    /// <summary>Linux 6.0, in <c>ioprio</c> of receive.</summary>
    internal const ushort ReceiveMultishot = 1 << 1;

    /// <summary>Linux 5.13, in <c>len</c> of poll.</summary>
    internal const uint PollMultishot = 1 << 0;
}
