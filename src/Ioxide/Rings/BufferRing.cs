using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Ioxide;

/// <summary>A group of receive buffers: lends them to the kernel, takes them back, counts them, grows by steps.</summary>
/// <remarks>
/// <para>A buffer is with the kernel (lent) or with the application (taken by a completion). Either move is checked in
/// Release builds too: a buffer that is lent twice would let the kernel write into bytes that somebody reads.</para>
/// <para>Lent buffers become visible at the end of a turn, by one release store of the tail. The kernel takes them in
/// the order in which they were lent, so a small ring is a warm ring: it grows only when it ran dry.</para>
/// <para>The memory is pinned and belongs to the garbage collector; it lives as long as this object, and this object as
/// long as the ring. Threads: the reactor's. Source: io_uring_register_buf_ring(3), Linux 5.19.</para>
/// </remarks>
internal sealed unsafe class BufferRing : IDisposable
{
    private readonly Ring _ring;
    private readonly ushort _group;
    private readonly uint _mask;
    private readonly nuint _mappingBytes;
    private readonly ReceiveSegment?[] _segments;
    private readonly bool[] _isLent;
    private BufferRingEntry* _entries;
    private ushort _tail;
    private bool _isDirty;

    /// <summary>Registers the group and lends the first buffers.</summary>
    /// <param name="ring">An enabled ring; the calling thread is its owner.</param>
    /// <param name="group">The group's number in submission entries.</param>
    /// <param name="bufferSizeBytes">Bytes of one buffer.</param>
    /// <param name="initialCount">Buffers at the start, at least 1.</param>
    /// <param name="maxCount">Buffers at most: a power of two, at most 32768.</param>
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
        _entries = (BufferRingEntry*)ring.Kernel.Map(
            _mappingBytes, Sys.ProtectRead | Sys.ProtectWrite, Sys.MapPrivate | Sys.MapAnonymous, -1, 0, out int errno);
        if (_entries is null)
        {
            throw new RingUnavailableException(RingUnavailableException.Classify(errno), errno, "map a buffer ring");
        }

        BufferRingRegistration registration = new()
        {
            RingAddress = (ulong)_entries,
            RingEntries = (uint)maxCount,
            BufferGroup = group,
        };
        int result = ring.Kernel.RingRegister(ring.Descriptor, RegisterOpcode.BufferRing, &registration, 1);
        if (result < 0)
        {
            _ = _ring.Kernel.Unmap(_entries, _mappingBytes);
            _entries = null;
            throw new RingUnavailableException(RingUnavailableException.Classify(-result), -result, "register a buffer ring");
        }

        Add(initialCount);
        Publish();
    }

    internal ushort Group => _group;

    internal int BufferSizeBytes { get; }

    /// <summary>Memory of all buffers, in bytes.</summary>
    internal long SizeBytes => (long)Count * BufferSizeBytes;

    /// <summary>Buffers that exist.</summary>
    internal int Count { get; private set; }

    internal int MaxCount { get; }

    /// <summary>Buffers that are with the kernel and can take data.</summary>
    internal int LentCount { get; private set; }

    /// <summary>Buffers that the application holds.</summary>
    internal int TakenCount => Count - LentCount;

    /// <summary>Whether so few buffers are left, with no room to grow, that nobody should hold one for long.</summary>
    internal bool IsLow => LentCount * 4 < Count && Count == MaxCount;

    /// <summary>Takes the buffer that a completion names. It holds <paramref name="lengthBytes"/> bytes of data.</summary>
    internal ReceiveSegment Take(int bufferId, int lengthBytes)
    {
        if ((uint)bufferId >= (uint)Count || !_isLent[bufferId] || lengthBytes > BufferSizeBytes)
        {
            _ring.Kernel.Fail($"completion names buffer {bufferId} of group {_group} with {lengthBytes} bytes, which is not lent");
        }

        _isLent[bufferId] = false;
        LentCount--;
        ReceiveSegment segment = _segments[bufferId]!;
        segment.SetData(lengthBytes);
        return segment;
    }

    /// <summary>Lends a taken buffer to the kernel again. It may take data from the next <see cref="Publish"/> on.</summary>
    internal void Return(ReceiveSegment segment)
    {
        int bufferId = segment.BufferId;
        if (segment.Home != this || _isLent[bufferId])
        {
            _ring.Kernel.Fail($"buffer {bufferId} of group {_group} was returned twice or to another ring");
        }

        _isLent[bufferId] = true;
        LentCount++;
        Lend(segment);
    }

    /// <summary>Doubles the buffers, up to the cap. False where the cap is reached.</summary>
    internal bool TryGrow()
    {
        int added = Math.Min(Count, MaxCount - Count);
        if (added == 0)
        {
            return false;
        }

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
            Volatile.Write(ref *(ushort*)((byte*)_entries + BufferRingEntry.TailOffset), _tail);
        }
    }

    /// <summary>Takes the group from the kernel. No receive may be in flight.</summary>
    public void Dispose()
    {
        if (_entries is null)
        {
            return;
        }

        if (!_ring.IsDisposed)
        {
            BufferRingRegistration registration = new() { BufferGroup = _group };
            _ = _ring.Kernel.RingRegister(_ring.Descriptor, RegisterOpcode.UnregisterBufferRing, &registration, 1);
        }

        _ = _ring.Kernel.Unmap(_entries, _mappingBytes);
        _entries = null;
    }

    private void Add(int count)
    {
        byte[] slab = GC.AllocateUninitializedArray<byte>(count * BufferSizeBytes, pinned: true);
        for (int index = 0; index < count; index++)
        {
            int bufferId = Count + index;
            var segment = new ReceiveSegment(this, bufferId, slab, index * BufferSizeBytes, BufferSizeBytes);
            _segments[bufferId] = segment;
            _isLent[bufferId] = true;
            Lend(segment);
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
