namespace Ioxide;

/// <summary>The completion queue (CQ): returns the kernel's completions.</summary>
/// <remarks>
/// Threads: the reactor's. The tail is read with acquire and pairs with the kernel's release. The head is written with
/// release every <see cref="PublishInterval"/> entries, so that a long batch frees room while it runs.
/// </remarks>
internal sealed unsafe class CompletionQueue
{
    private const uint PublishInterval = 64;

    private readonly uint* _head;
    private readonly uint* _tail;
    private readonly Cqe* _entries;
    private readonly uint _mask;
    private uint _localHead;

    internal CompletionQueue(byte* mapping, in RingParams parameters)
    {
        Debug.Assert(sizeof(Cqe) == Cqe.SizeInBytes);
        _head = (uint*)(mapping + parameters.CqOffsets.Head);
        _tail = (uint*)(mapping + parameters.CqOffsets.Tail);
        _entries = (Cqe*)(mapping + parameters.CqOffsets.Cqes);
        Capacity = parameters.CqEntries;
        _mask = Capacity - 1;
        _localHead = *_head;
    }

    /// <summary>Entries that fit; a power of two. The kernel keeps further entries and delivers them later, in order.</summary>
    internal uint Capacity { get; }

    /// <summary>Entries that wait to be read.</summary>
    internal uint Ready => Volatile.Read(ref *_tail) - _localHead;

    /// <summary>Where the entries that wait now end.</summary>
    internal uint Tail => Volatile.Read(ref *_tail);

    /// <summary>Whether the next entry lies before that end.</summary>
    internal bool IsBefore(uint end) => (int)(end - _localHead) > 0;

    /// <summary>Copies the next entry, so that its slot may be overwritten while it is handled.</summary>
    internal Cqe Read()
    {
        Debug.Assert(Ready > 0);
        Cqe entry = _entries[_localHead & _mask];
        _localHead++;
        if ((_localHead & (PublishInterval - 1)) == 0)
        {
            Publish();
        }

        return entry;
    }

    /// <summary>Returns the slots of all entries read so far to the kernel.</summary>
    internal void Publish() => Volatile.Write(ref *_head, _localHead);
}
