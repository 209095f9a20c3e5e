namespace Ioxide;

/// <summary>The kind of an operation. Its target receives it with every completion.</summary>
internal enum OperationKind : byte
{
    /// <summary>Never used, so that a zeroed entry is noticed.</summary>
    None = 0,
    Receive,
    Send,
    CancelReceive,
    CancelSend,
    Close,
    Accept,
    CancelAccept,
    Connect,
    CancelConnect,
    Wake,
    CancelWake,
    Read,
    CancelRead,
    Nop,
}

/// <summary>
/// The 64 bits of <c>user_data</c>: kind (bits 56 to 63), slot of the target (32 to 55), generation of the slot (0 to 31).
/// </summary>
/// <remarks>Descriptors are reused by the kernel at once; a slot with its generation is never mistaken for another.</remarks>
internal readonly struct OperationId
{
    internal const int MaxSlots = 1 << 24;

    private const int KindShift = 56;
    private const int SlotShift = 32;

    internal OperationId(ulong userData) => UserData = userData;

    internal OperationId(OperationKind kind, int slotIndex, uint generation)
        => UserData = ((ulong)kind << KindShift) | ((ulong)(uint)slotIndex << SlotShift) | generation;

    internal ulong UserData { get; }

    internal OperationKind Kind => (OperationKind)(UserData >> KindShift);

    internal int SlotIndex => (int)(UserData >> SlotShift) & (MaxSlots - 1);

    internal uint Generation => (uint)UserData;

    public override string ToString() => $"{Kind} of slot {SlotIndex}, generation {Generation}";
}

/// <summary>Something that has operations in flight: a connection, a listener, a connect, a file read.</summary>
internal interface ICompletionTarget
{
    /// <summary>An operation completed. Threads: the reactor's.</summary>
    /// <param name="kind">Which operation.</param>
    /// <param name="result">A count or a descriptor, or <c>-errno</c>.</param>
    /// <param name="flags">Flags of the completion; without <see cref="CqeFlags.More"/> it was the operation's last.</param>
    void Complete(OperationKind kind, int result, uint flags);

    /// <summary>The reactor ends: the target closes its descriptor and fails its waiters.</summary>
    void ReactorEnded(Exception reason);

    /// <summary>What it is and its state, in one line. Threads: the reactor's.</summary>
    string Describe() => GetType().Name;

    /// <summary>
    /// The ring can no longer be driven, so no further completion arrives: the target fails its waiters. Memory that the kernel may still use stays.
    /// </summary>
    void EndWithoutRing(Exception reason)
    {
    }
}
