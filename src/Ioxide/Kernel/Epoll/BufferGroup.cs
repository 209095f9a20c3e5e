namespace Ioxide;

/// <summary>The kernel's side of a ring of provided buffers: where they lie, and how many were taken.</summary>
internal unsafe struct BufferGroup(BufferRingEntry* entries, uint count)
{
    private ushort _head;

    internal readonly bool IsRegistered => entries is not null;

    /// <summary>The next buffer, or null where none is lent. It is taken by <see cref="Take"/>.</summary>
    internal readonly BufferRingEntry* Next
    {
        get
        {
            ushort tail = Volatile.Read(ref *(ushort*)((byte*)entries + BufferRingEntry.TailOffset));
            Debug.Assert((ushort)(tail - _head) <= count);
            return tail == _head ? null : entries + (_head & (count - 1));
        }
    }

    internal void Take() => _head++;
}
