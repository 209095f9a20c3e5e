namespace Ioxide;

/// <summary>Blocks of one size in pinned memory: a stack of the reactor's own, and a locked one for other threads.</summary>
/// <remarks>
/// A last-in-first-out stack keeps the same few blocks warm, and a block goes back to the stack that it was made for.
/// Blocks made in slabs stay for the life of the reactor, so
/// the memory is that of the busiest moment; see docs/options.md. Threads: <see cref="Rent"/> any; the rest the reactor's.
/// </remarks>
internal sealed class BlockPool
{
    private const int SlabBytes = 256 * 1024;

    private readonly Reactor _reactor;
    private readonly Stack<MemoryBlock> _local = new();
    private readonly Stack<MemoryBlock> _shared = new();
    private readonly Lock _sharedLock = new();
    private int _created;

    internal BlockPool(Reactor reactor, int blockSizeBytes)
    {
        _reactor = reactor;
        BlockSizeBytes = blockSizeBytes;
    }

    internal int BlockSizeBytes { get; }

    /// <summary>Blocks that exist.</summary>
    internal int CreatedCount => Volatile.Read(ref _created);

    /// <summary>Memory of all blocks, in bytes.</summary>
    internal long SizeBytes => (long)CreatedCount * BlockSizeBytes;

    /// <summary>Blocks that are at home. Only meaningful on the reactor, at rest.</summary>
    internal int HomeCount
    {
        get
        {
            lock (_sharedLock)
            {
                return _local.Count + _shared.Count;
            }
        }
    }

    /// <summary>An empty block. The caller owns it until it gives it to a send queue or back.</summary>
    internal MemoryBlock Rent()
    {
        if (!_reactor.IsCurrent)
        {
            return RentShared();
        }

        if (!_local.TryPop(out MemoryBlock? block))
        {
            AddSlab(_local, isShared: false);
            block = _local.Pop();
        }

        return block;
    }

    /// <summary>Takes a block home. No operation may name it.</summary>
    internal void Return(MemoryBlock block)
    {
        block.Reset();
        if (!block.IsShared)
        {
            _local.Push(block);
            return;
        }

        lock (_sharedLock)
        {
            _shared.Push(block);
        }
    }

    private MemoryBlock RentShared()
    {
        lock (_sharedLock)
        {
            if (!_shared.TryPop(out MemoryBlock? block))
            {
                AddSlab(_shared, isShared: true);
                block = _shared.Pop();
            }

            return block;
        }
    }

    private void AddSlab(Stack<MemoryBlock> target, bool isShared)
    {
        byte[] slab = GC.AllocateUninitializedArray<byte>(SlabBytes, pinned: true);
        for (int start = SlabBytes - BlockSizeBytes; start >= 0; start -= BlockSizeBytes)
        {
            target.Push(new MemoryBlock(this, slab, start, BlockSizeBytes, isShared));
        }

        Interlocked.Add(ref _created, SlabBytes / BlockSizeBytes);
    }
}
