using System.Buffers;

namespace Ioxide;

/// <summary>A range of pinned bytes in a send queue: a pool's block, or outside memory.</summary>
/// <remarks>
/// Bytes from <see cref="Start"/> to <see cref="End"/> are to be sent. A block has one owner at a time: the writer until
/// the flush, then the send queue, until the completion of the send that took its last byte.
/// </remarks>
internal sealed unsafe class MemoryBlock
{
    private readonly byte[]? _slab;
    private readonly int _slabStart;
    private MemoryHandle _handle;
    private ReadOnlyMemory<byte> _outside;
    private IDisposable? _owner;

    /// <summary>A block of a pool, in pinned memory.</summary>
    internal MemoryBlock(BlockPool? pool, byte[] slab, int slabStart, int capacity, bool isShared)
    {
        Pool = pool;
        IsShared = isShared;
        _slab = slab;
        _slabStart = slabStart;
        Capacity = capacity;
        Pointer = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetReference(slab.AsSpan(slabStart, 1)));
    }

    /// <summary>A reference to outside memory, which <see cref="Refer"/> names.</summary>
    internal MemoryBlock()
    {
    }

    /// <summary>The pool that it returns to; null without one.</summary>
    internal BlockPool? Pool { get; }

    /// <summary>Whether it belongs to the pool's stack for threads other than the reactor's.</summary>
    internal bool IsShared { get; }

    internal int Capacity { get; private set; }

    internal byte* Pointer { get; private set; }

    internal int Start { get; set; }

    internal int End { get; set; }

    internal MemoryBlock? Next { get; set; }

    /// <summary>If not 0, a record of that type for the kernel's TLS, sent alone. 0 is data.</summary>
    internal byte RecordType { get; init; }

    /// <summary>The bytes are never written again, even after their release, as long as their pages may be read.</summary>
    internal bool IsImmutable { get; private set; }

    internal int Length => End - Start;

    /// <summary>Room behind the data; none in outside memory.</summary>
    internal int FreeLength => _slab is null ? 0 : Capacity - End;

    internal bool IsReference => _slab is null;

    /// <summary>Whether the release of outside memory notifies an owner.</summary>
    internal bool HasOwner => _owner is not null;

    /// <summary>The block as a range of received bytes that were copied into it; created once per block.</summary>
    internal ReceiveSegment AsCopy => field ??= new ReceiveSegment(null, -1, _slab!, _slabStart, Capacity, this);

    internal Memory<byte> FreeMemory => new(_slab, _slabStart + End, Capacity - End);

    internal Span<byte> FreeSpan => new(Pointer + End, Capacity - End);

    internal ReadOnlySpan<byte> Data => new(Pointer + Start, Length);

    /// <summary>References outside memory until its bytes are sent.</summary>
    internal void Refer(ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable)
    {
        Debug.Assert(IsReference);
        Debug.Assert(_outside.IsEmpty);
        _handle = memory.Pin();
        _outside = memory;
        _owner = owner;
        Pointer = (byte*)_handle.Pointer;
        Capacity = memory.Length;
        End = memory.Length;
        IsImmutable = isImmutable;
    }

    internal void Reset()
    {
        Start = 0;
        End = 0;
        Next = null;
    }

    /// <summary>Releases outside memory. Called once, when no operation references it any more.</summary>
    internal void ReleaseReference()
    {
        Debug.Assert(IsReference);
        _handle.Dispose();
        _handle = default;
        _outside = default;
        IDisposable? owner = _owner;
        _owner = null;
        owner?.Dispose();
    }
}
