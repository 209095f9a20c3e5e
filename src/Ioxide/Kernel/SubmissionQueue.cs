namespace Ioxide;

/// <summary>The submission queue (SQ): takes entries and publishes them to the kernel.</summary>
/// <remarks>
/// Threads: the reactor's. The tail is written with release after the entries behind it; the kernel reads it with acquire.
/// The head is read with acquire. The kernel advances it once it has copied an entry, so the entry may then be written again.
/// </remarks>
internal sealed unsafe class SubmissionQueue
{
    private readonly uint* _head;
    private readonly uint* _tail;
    private readonly uint* _flags;
    private readonly Sqe* _entries;
    private readonly uint _mask;
    private uint _localTail;

    internal SubmissionQueue(byte* mapping, Sqe* entries, in RingParams parameters)
    {
        Debug.Assert(sizeof(Sqe) == Sqe.SizeInBytes);
        _head = (uint*)(mapping + parameters.SqOffsets.Head);
        _tail = (uint*)(mapping + parameters.SqOffsets.Tail);
        _flags = (uint*)(mapping + parameters.SqOffsets.Flags);
        _entries = entries;
        Capacity = parameters.SqEntries;
        _mask = Capacity - 1;
        _localTail = *_tail;
        if ((parameters.Flags & SetupFlags.NoSubmissionArray) == 0)
        {
            uint* array = (uint*)(mapping + parameters.SqOffsets.Array);
            for (uint index = 0; index < Capacity; index++)
            {
                array[index] = index;
            }
        }
    }

    /// <summary>Entries that fit; a power of two.</summary>
    internal uint Capacity { get; }

    /// <summary>Entries that the kernel has not taken yet.</summary>
    internal uint Pending => _localTail - Volatile.Read(ref *_head);

    internal uint Free => Capacity - Pending;

    internal uint Flags => Volatile.Read(ref *_flags);

    /// <summary>The next entry, zeroed. The caller has ensured that one is free.</summary>
    internal Sqe* Take()
    {
        Debug.Assert(Free > 0);
        Sqe* entry = _entries + (_localTail & _mask);
        _localTail++;
        *entry = default;
        return entry;
    }

    /// <summary>Shows the kernel all entries taken so far. With submission polling it may start on them at once.</summary>
    internal void Publish() => Volatile.Write(ref *_tail, _localTail);
}
