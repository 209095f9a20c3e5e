namespace Ioxide.Simulation;

/// <summary>The kernel's side of a ring of provided buffers.</summary>
/// <remarks>
/// Linux checks nothing here. This one does: a buffer that is lent while it is lent, a tail that runs past the ring. It
/// also scribbles over each buffer when it is lent, so that whoever still reads it sees bytes that are nobody's.
/// </remarks>
internal sealed unsafe class BufferGroup(SimulatedKernel kernel, BufferRingEntry* entries, uint count)
{
    private const byte Scribble = 0xDD;

    private readonly HashSet<ushort> _lent = [];
    private ushort _head;
    private ushort _seenTail;

    internal bool IsEmpty
    {
        get
        {
            LookAtTail();
            return _head == _seenTail;
        }
    }

    /// <summary>Takes the next buffer; false where none is lent.</summary>
    internal bool TryTake(out BufferRingEntry buffer)
    {
        LookAtTail();
        buffer = default;
        if (_head == _seenTail)
        {
            return false;
        }

        BufferRingEntry* entry = entries + (_head & (count - 1));
        buffer.Address = entry->Address;
        buffer.Length = entry->Length;
        buffer.BufferId = entry->BufferId;
        _head++;
        _lent.Remove(buffer.BufferId);
        return true;
    }

    private void LookAtTail()
    {
        ushort tail = *(ushort*)((byte*)entries + BufferRingEntry.TailOffset);
        if ((ushort)(tail - _head) > count)
        {
            kernel.Violate($"{(ushort)(tail - _head)} buffers are lent in a ring of {count}");
        }

        for (; _seenTail != tail; _seenTail++)
        {
            BufferRingEntry* entry = entries + (_seenTail & (count - 1));
            if (!_lent.Add(entry->BufferId))
            {
                kernel.Violate($"buffer {entry->BufferId} was lent twice");
            }

            new Span<byte>((void*)entry->Address, (int)entry->Length).Fill(Scribble);
        }
    }
}
