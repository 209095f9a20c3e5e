namespace Ioxide;

/// <summary>A group of receive buffers: lends them to the kernel, takes them back, counts them, grows in steps.</summary>
/// <remarks>
/// <para>A buffer is with the kernel (lent) or with the application (taken by a completion). Each move is checked in
/// Release builds too: a buffer lent twice would let the kernel overwrite bytes that are being read.</para>
/// <para>Lent buffers become visible at the end of a turn, by one release store of the tail. The kernel takes them in
/// the order in which they were lent, so a small ring is a warm ring: it grows only when it ran dry.</para>
/// <para>A lent buffer cannot be taken back, so a group never shrinks: another one replaces it, and it retires (<see cref="Retire"/>).
/// Invariants: (1) the kernel writes into a group's buffers only for a receive that names the group; (2) every such receive is counted
/// from its submission to its last completion (<see cref="ArmedCount"/>), and none is started once the group is retired; (3) a retired group is
/// unregistered when that count is 0, and its memory is released only after that. A buffer that the application holds then keeps its own slab
/// until it is returned; it is never lent again.</para>
/// <para>The memory is pinned and belongs to the garbage collector. Until it is released it lives as long as this object, and this object as
/// long as the ring. Threads: the reactor's. Source: io_uring_register_buf_ring(3), io_uring_unregister_buf_ring(3), Linux 5.19.</para>
/// <para>It has 21 fields: the invariants above hold over all of them.</para>
/// </remarks>
internal sealed unsafe class BufferRing : IDisposable
{
    /// <summary>Consecutive looks with at most a quarter of the buffers in use, by which a smaller group is chosen.</summary>
    internal const int QuietLooks = 3;

    // A buffer held for long keeps no more than this alive of a retired group.
    private const int MaxSlabBytes = 64 * 1024;

    private readonly Ring _ring;
    private readonly ushort _group;
    private readonly uint _mask;
    private readonly nuint _mappingBytes;
    private readonly bool[] _isLent;
    private ReceiveSegment?[] _segments;
    private BufferRingEntry* _entries;
    private ushort _tail;
    private bool _isDirty;

    // Buffers that, by the completions so far, the kernel can still take in this turn, and their minimum since the last look.
    private int _visibleCount;
    private int _leastVisible;
    private int _mostUsed;
    private int _quietLooks;

    /// <summary>Registers the group and lends the first buffers.</summary>
    /// <param name="ring">An enabled ring; the calling thread is its owner.</param>
    /// <param name="group">The group's number in submission entries.</param>
    /// <param name="bufferSizeBytes">Bytes per buffer.</param>
    /// <param name="initialCount">Buffers at the start, at least 1.</param>
    /// <param name="maxCount">Maximum number of buffers, a power of two up to 32768.</param>
    /// <exception cref="RingUnavailableException">The kernel refuses the group.</exception>
    internal BufferRing(Ring ring, ushort group, int bufferSizeBytes, int initialCount, int maxCount)
    {
        Debug.Assert(System.Numerics.BitOperations.IsPow2(maxCount));
        Debug.Assert(initialCount > 0 && initialCount <= maxCount);
        _ring = ring;
        _group = group;
        BufferSizeBytes = bufferSizeBytes;
        MaxCount = maxCount;
        _mask = (uint)maxCount - 1;
        _segments = new ReceiveSegment?[maxCount];
        _isLent = new bool[maxCount];
        _mappingBytes = (nuint)maxCount * BufferRingEntry.SizeInBytes;
        _entries = (BufferRingEntry*)Ring.MapOrThrow(ring.Kernel, _mappingBytes, Sys.MapPrivate | Sys.MapAnonymous, -1, offset: 0);
        BufferRingRegistration registration = new()
        {
            RingAddress = (ulong)_entries,
            RingEntries = (uint)maxCount,
            BufferGroup = group,
        };
        int result = ring.Kernel.RingRegister(ring.Descriptor, RegisterOpcode.BufferRing, &registration, 1);
        if (result < 0)
        {
            Unmap();
            throw new RingUnavailableException(-result, "io_uring_register(PBUF_RING)");
        }

        Add(initialCount);
        Publish();
        _leastVisible = _visibleCount;
    }

    /// <summary>The group in one line.</summary>
    internal string Describe() => $"group {_group}{(IsRetired ? ", retired" : "")}: {Count} buffers, {LentCount} with the kernel, "
        + $"{TakenCount} held, {ArmedCount} receives armed";

    internal ushort Group => _group;

    internal int BufferSizeBytes { get; }

    /// <summary>Bytes of memory of all buffers; once the group is released, of those that the application still holds.</summary>
    internal long SizeBytes => (long)Math.Max(Count, TakenCount) * BufferSizeBytes;

    /// <summary>Number of existing buffers.</summary>
    internal int Count { get; private set; }

    internal int MaxCount { get; }

    /// <summary>Buffers that are with the kernel and can take data.</summary>
    internal int LentCount { get; private set; }

    /// <summary>Buffers that the application holds.</summary>
    internal int TakenCount { get; private set; }

    /// <summary>Receives that name the group and have not had their last completion.</summary>
    internal int ArmedCount { get; private set; }

    /// <summary>Another group has replaced this one: no receive may be armed on it any more.</summary>
    internal bool IsRetired { get; private set; }

    /// <summary>Retired and unregistered from the kernel.</summary>
    internal bool IsReleased { get; private set; }

    /// <summary>Whether so few buffers are left, with no room to grow, that none should be held for long.</summary>
    internal bool IsLow => LentCount * 4 < Count && Count == MaxCount;

    /// <summary>Takes the buffer that a completion names. It holds <paramref name="lengthBytes"/> bytes of data.</summary>
    internal ReceiveSegment Take(int bufferId, int lengthBytes)
    {
        if ((uint)bufferId >= (uint)Count || !_isLent[bufferId] || lengthBytes > BufferSizeBytes
            || _segments[bufferId] is not { } segment)
        {
            _ring.Kernel.Fail($"completion names buffer {bufferId} of group {_group} with {lengthBytes} bytes, which is not lent", Describe());
            throw new UnreachableException();
        }

        _isLent[bufferId] = false;
        LentCount--;
        TakenCount++;
        if (--_visibleCount < _leastVisible)
        {
            _leastVisible = _visibleCount;
        }

        segment.SetData(lengthBytes);
        return segment;
    }

    /// <summary>Lends a taken buffer to the kernel again. It may take data from the next <see cref="Publish"/> on.</summary>
    /// <remarks>A buffer of a retired group is not lent.</remarks>
    internal void Return(ReceiveSegment segment)
    {
        int bufferId = segment.BufferId;
        if (segment.Home != this || _isLent[bufferId])
        {
            _ring.Kernel.Fail($"buffer {bufferId} of group {_group} was returned twice or to another ring", Describe());
        }

        _isLent[bufferId] = true;
        TakenCount--;
        if (IsRetired)
        {
            if (!IsReleased)
            {
                _segments[bufferId] = null;
            }

            return;
        }

        LentCount++;
        Lend(segment);
    }

    /// <summary>A receive that names the group is submitted. Each call is paired with one of <see cref="EndReceive"/>.</summary>
    internal void BeginReceive()
    {
        if (IsRetired)
        {
            _ring.Kernel.Fail($"a receive was armed on group {_group}, which is retired", Describe());
        }

        ArmedCount++;
    }

    /// <summary>A receive that names the group has had its last completion, and the buffer that it named is taken.</summary>
    internal void EndReceive()
    {
        ArmedCount--;
        Debug.Assert(ArmedCount >= 0);
        if (IsRetired)
        {
            TryRelease();
        }
    }

    /// <summary>Examines the use since the last look. Called at equal intervals.</summary>
    /// <returns>
    /// Every <see cref="QuietLooks"/> looks, how many buffers were enough for them; <see cref="Count"/> otherwise, and if all are needed.
    /// </returns>
    internal int EnoughCount()
    {
        const int Reserve = 2;
        int used = Count - _leastVisible;
        _leastVisible = _visibleCount;
        if (used > Count / (Reserve * 2))
        {
            _quietLooks = 0;
            _mostUsed = 0;
            return Count;
        }

        _mostUsed = Math.Max(_mostUsed, used);
        if (++_quietLooks < QuietLooks)
        {
            return Count;
        }

        // The next looks count anew: what little was used once does not keep an idle group.
        int enough = _mostUsed * Reserve;
        _quietLooks = 0;
        _mostUsed = 0;
        return enough;
    }

    /// <summary>Another group replaces this one. Receives on it must be cancelled or end; then it is unregistered.</summary>
    internal void Retire()
    {
        Debug.Assert(!IsRetired);
        IsRetired = true;
        TryRelease();
    }

    /// <summary>Doubles the buffers, up to the cap. False at the cap.</summary>
    internal bool TryGrow()
    {
        int added = Math.Min(Count, MaxCount - Count);
        if (added == 0)
        {
            return false;
        }

        Debug.Assert(!IsRetired);
        Add(added);
        Publish();
        return true;
    }

    /// <summary>Shows the kernel every buffer lent since the last call.</summary>
    internal void Publish()
    {
        if (_isDirty)
        {
            _isDirty = false;
            _visibleCount = LentCount;
            Volatile.Write(ref *(ushort*)((byte*)_entries + BufferRingEntry.TailOffset), _tail);
        }
    }

    /// <summary>Unregisters the group from the kernel. No receive may be in flight.</summary>
    public void Dispose()
    {
        if (_entries is null)
        {
            return;
        }

        _ = _ring.IsDisposed ? 0 : Unregister();
        Unmap();
    }

    /// <summary>No receive names the group any more: it is unregistered, and the collector gets the memory that is not held.</summary>
    private void TryRelease()
    {
        if (ArmedCount > 0 || IsReleased || _ring.IsDisposed)
        {
            return;
        }

        int result = Unregister();
        if (result < 0)
        {
            _ring.Kernel.Fail($"group {_group} of receive buffers could not be unregistered: {Errno.Name(-result)}", Describe());
        }

        IsReleased = true;
        Unmap();
        _segments = [];
        Count = 0;
        LentCount = 0;
    }

    private int Unregister()
    {
        BufferRingRegistration registration = new() { BufferGroup = _group };
        return _ring.Kernel.RingRegister(_ring.Descriptor, RegisterOpcode.UnregisterBufferRing, &registration, 1);
    }

    private void Unmap()
    {
        _ = _ring.Kernel.Unmap(_entries, _mappingBytes);
        _entries = null;
    }

    private void Add(int count)
    {
        // All memory first: a step that fails lends nothing to the kernel.
        int slabCount = Math.Max(1, MaxSlabBytes / BufferSizeBytes);
        byte[] slab = [];
        for (int index = 0; index < count; index++)
        {
            int place = index % slabCount;
            if (place == 0)
            {
                slab = GC.AllocateUninitializedArray<byte>(Math.Min(slabCount, count - index) * BufferSizeBytes, pinned: true);
            }

            int bufferId = Count + index;
            _segments[bufferId] = new ReceiveSegment(this, bufferId, slab, place * BufferSizeBytes, BufferSizeBytes);
        }

        for (int bufferId = Count; bufferId < Count + count; bufferId++)
        {
            _isLent[bufferId] = true;
            Lend(_segments[bufferId]!);
        }

        Count += count;
        LentCount += count;
    }

    private void Lend(ReceiveSegment segment)
    {
        BufferRingEntry* entry = _entries + (_tail & _mask);

        // Entry 0 shares its last two bytes with the tail, so the fields are written one by one.
        entry->Address = (ulong)Unsafe.AsPointer(ref segment.First);
        entry->Length = (uint)BufferSizeBytes;
        entry->BufferId = (ushort)segment.BufferId;
        _tail++;
        _isDirty = true;
    }
}
