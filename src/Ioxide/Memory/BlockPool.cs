namespace Ioxide;

/// <summary>Pinned memory blocks of one size: an unlocked stack for the reactor, and a locked one for other threads.</summary>
/// <remarks>
/// <para>A last-in-first-out stack keeps the same few blocks warm. A block returns to the stack it was made for.</para>
/// <para>Each block has its own array, so a block in use keeps no other alive. Only an idle block can be dropped; nothing references its memory
/// then, and the collector frees it. Blocks that stayed idle for a whole interval are dropped by halves.</para>
/// <para>Threads: <see cref="RentShared"/> any, and <see cref="Return"/> of a block that was rented so; the rest the reactor's.</para>
/// </remarks>
/// <param name="blockSizeBytes">Bytes per block.</param>
/// <param name="keptCount">Idle blocks that are never dropped.</param>
/// <param name="grew">Called when there are more blocks than that. Threads: any.</param>
internal sealed class BlockPool(int blockSizeBytes, int keptCount, Action grew)
{
    private readonly IdleStack<MemoryBlock> _local = new();
    private readonly IdleStack<MemoryBlock> _shared = new();
    private readonly int _keptCount = keptCount;
    private RuntimeLock _sharedLock;
    private int _created;

    internal int BlockSizeBytes { get; } = blockSizeBytes;

    /// <summary>Blocks that exist.</summary>
    internal int CreatedCount => Volatile.Read(ref _created);

    /// <summary>Memory of all blocks, in bytes.</summary>
    internal long SizeBytes => (long)CreatedCount * BlockSizeBytes;

    /// <summary>Blocks that are idle. Only meaningful on the reactor, at rest.</summary>
    internal int HomeCount
    {
        get
        {
            using HeldLock held = _sharedLock.Hold();
            return _local.Count + _shared.Count;
        }
    }

    /// <summary>Whether there are more blocks than the pool always keeps.</summary>
    internal bool IsAboveKept => CreatedCount > _keptCount;

    /// <summary>An empty block. The caller owns it until it passes it to a send queue or returns it.</summary>
    internal MemoryBlock Rent() => _local.TryPop(out MemoryBlock? block) ? block : Make(isShared: false);

    /// <summary>The same for another thread. Threads: any.</summary>
    internal MemoryBlock RentShared()
    {
        _sharedLock.Enter();
        bool isThere = _shared.TryPop(out MemoryBlock? block);
        _sharedLock.Exit();
        return isThere ? block! : Make(isShared: true);
    }

    internal void Return(MemoryBlock block)
    {
        block.Reset();
        if (!block.IsShared)
        {
            _local.Push(block);
            return;
        }

        using HeldLock held = _sharedLock.Hold();
        _shared.Push(block);
    }

    /// <summary>Drops half of the blocks that stayed idle since the last call, above the kept minimum.</summary>
    internal void Trim()
    {
        int dropped = _local.Trim(Math.Max(0, CreatedCount - _keptCount));
        using (_sharedLock.Hold())
        {
            dropped += _shared.Trim(Math.Max(0, CreatedCount - dropped - _keptCount));
        }

        Interlocked.Add(ref _created, -dropped);
    }

    private MemoryBlock Make(bool isShared)
    {
        byte[] memory = GC.AllocateUninitializedArray<byte>(BlockSizeBytes, pinned: true);
        var block = new MemoryBlock(this, memory, 0, BlockSizeBytes, isShared);
        if (Interlocked.Increment(ref _created) > _keptCount)
        {
            grew();
        }

        return block;
    }
}
