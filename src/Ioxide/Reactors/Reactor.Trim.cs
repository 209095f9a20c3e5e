namespace Ioxide;

/// <summary>Releases memory after a burst: pools shrink to what the last looks needed. See <see cref="Trimmer"/>.</summary>
/// <remarks>
/// A group of receive buffers that is too large is replaced. New receives use the new group, and the old one retires: receives that wait on it
/// are cancelled, and their connections arm them again on the new one. Nothing of the old group is freed before the last of them has
/// completed.
/// </remarks>
public sealed partial class Reactor
{
    // Connections moved to another group between two turns.
    private const int MovedPerTurn = 256;

    // The limit of retiring groups whose buffers an application still holds. Above it, no group is replaced.
    private const int MaxRetired = 8;

    // Below this length, shrinking a queue gains nothing.
    private const int LeastQueueCapacity = 1024;

    private static readonly Action<object?, object?, long, long> s_moveReceives =
        static (reactor, _, from, _) => ((Reactor)reactor!).MoveReceives((int)from);

    // Replaced as a whole, because other threads take snapshots.
    private BufferRing[] _retired = [];

    /// <summary>Groups that wait for their last receive or their last buffer. A reading from another thread is a snapshot.</summary>
    internal IReadOnlyList<BufferRing> RetiredBuffers => Volatile.Read(ref _retired);

    /// <summary>Number of looks at the pools so far. A reading from another thread is a snapshot.</summary>
    internal long TrimLooks { get; private set; }

    /// <summary>Releases memory that was not needed for a while.</summary>
    /// <returns>Whether something is still above its start size.</returns>
    internal bool Trim()
    {
        TrimLooks++;
        SmallBlocks.Trim();
        LargeBlocks.Trim();
        int surplus = _vectorsMade - KeptVectors;
        _vectorsMade -= surplus <= 0 ? 0 : _vectors.Trim(surplus, static vectors => vectors.Dispose());
        TrimQueues();
        TrimBuffers();
        return SmallBlocks.IsAboveKept || LargeBlocks.IsAboveKept || _vectorsMade > KeptVectors
            || SmallBuffers.Count > Options.ReceiveBufferCount || BulkBuffers is not null || _retired.Length > 0;
    }

    private void TrimQueues()
    {
        _work.Trim(LeastQueueCapacity);
        TrimQueue(_starvedSmall);
        TrimQueue(_starvedBulk);
        if (_dirty.Count == 0 && _dirty.Capacity > LeastQueueCapacity)
        {
            _dirty.Capacity = 0;
        }
    }

    private static void TrimQueue(Queue<IReactorConnection> queue)
    {
        if (queue.Count == 0 && queue.Capacity > LeastQueueCapacity)
        {
            queue.TrimExcess();
        }
    }

    private void TrimBuffers()
    {
        if (Array.Exists(_retired, static ring => ring.IsReleased && ring.TakenCount == 0))
        {
            Volatile.Write(ref _retired, Array.FindAll(_retired, static ring => !ring.IsReleased || ring.TakenCount > 0));
        }

        int enoughSmall = Math.Max(SmallBuffers.EnoughCount(), Options.ReceiveBufferCount);
        if (enoughSmall < SmallBuffers.Count && CanRetire(SmallBuffers, _starvedSmall)
            && TryMake(() => MakeSmallBuffers((ushort)(SmallBuffers.Group ^ OtherOfKind), enoughSmall)) is { } small)
        {
            BufferRing old = SmallBuffers;
            SmallBuffers = small;
            Retire(old);
        }

        if (BulkBuffers is not { } bulk)
        {
            return;
        }

        int enoughBulk = bulk.EnoughCount();
        if (enoughBulk == 0 && CanRetire(bulk, _starvedBulk))
        {
            BulkBuffers = null;
            Retire(bulk);
        }
        else if (Math.Max(enoughBulk, InitialBulkBuffers) is int count && count < bulk.Count && CanRetire(bulk, _starvedBulk)
            && TryMake(() => MakeBulkBuffers(count)) is { } smaller)
        {
            BulkBuffers = smaller;
            Retire(bulk);
        }
    }

    /// <summary>Each kind of buffers has two numbers; a starved connection waits for the current group.</summary>
    private bool CanRetire(BufferRing ring, Queue<IReactorConnection> starved)
        => starved.Count == 0 && _retired.Length < MaxRetired
            && !Array.Exists(_retired, retired => !retired.IsReleased && ((retired.Group ^ ring.Group) & 1) == 0);

    /// <summary>For a moment there are two groups. If the kernel has no memory for both, the large one stays.</summary>
    private static BufferRing? TryMake(Func<BufferRing> make)
    {
        try
        {
            return make();
        }
        catch (RingUnavailableException)
        {
            // The next look tries again.
            return null;
        }
    }

    private void Retire(BufferRing ring)
    {
        Volatile.Write(ref _retired, [.. _retired, ring]);
        ring.Retire();
        MoveReceives(0);
    }

    /// <summary>Cancels the receives that wait on a retired group. Receives armed meanwhile use the new one.</summary>
    private void MoveReceives(int from)
    {
        int end = Math.Min(from + MovedPerTurn, Operations.UsedSlots);
        for (int slotIndex = from; slotIndex < end; slotIndex++)
        {
            (Operations.TargetOf(slotIndex) as IReactorConnection)?.LeaveRetiredBuffers();
        }

        if (end < Operations.UsedSlots)
        {
            Enqueue(new WorkItem(s_moveReceives, this, First: end));
        }
    }
}
