namespace Ioxide;

/// <summary>A reactor's receive buffers: a group for requests, one for large bodies, and the connections that wait for a buffer.</summary>
/// <remarks>
/// A group that is too large is replaced. New receives use the new group, and the old one retires: receives that wait on it
/// are cancelled, and their connections arm them again on the new one. Nothing of the old group is freed before the last of them has
/// completed. Threads: the reactor's, where a member says nothing else.
/// </remarks>
internal sealed class ReceiveBuffers : IDisposable
{
    // Each kind has two numbers: one for its group, one for the retiring group.
    private const ushort SmallGroup = 0;
    private const ushort BulkGroup = 1;
    private const ushort OtherOfKind = 2;
    private const int InitialBulkBuffers = 8;
    private const int BulkRetryMs = 1000;

    // Connections moved to another group between two turns.
    private const int MovedPerTurn = 256;

    // The limit of retiring groups whose buffers an application still holds. Above it, no group is replaced.
    private const int MaxRetired = 8;

    private readonly Reactor _reactor;
    private readonly ReactorOptions _options;
    private readonly Queue<RingConnection> _starvedSmall = new();
    private readonly Queue<RingConnection> _starvedBulk = new();
    private long _bulkRetryTick = long.MinValue;
    private ushort _nextBulkGroup = BulkGroup;

    // Replaced as a whole, because other threads take snapshots.
    private BufferRing[] _retired = [];

    internal ReceiveBuffers(Reactor reactor)
    {
        _reactor = reactor;
        _options = reactor.Options;
        Small = MakeSmall(SmallGroup, _options.ReceiveBufferCount);
    }

    /// <summary>Buffers for requests.</summary>
    internal BufferRing Small { get; private set; }

    /// <summary>Buffers for large bodies; made when first needed.</summary>
    internal BufferRing? Bulk { get; private set; }

    /// <summary>Groups that wait for their last receive or their last buffer. A reading from another thread is a snapshot.</summary>
    internal IReadOnlyList<BufferRing> Retired => Volatile.Read(ref _retired);

    /// <summary>Whether connections wait for a buffer although some are left unused by the connections that were armed.</summary>
    internal bool CanArmStarved
        => (_starvedSmall.Count > 0 && Small.LentCount > 0) || (_starvedBulk.Count > 0 && Bulk is { LentCount: > 0 });

    private bool IsBulkUnavailable { get; set; }

    /// <summary>
    /// The group that receives large bodies, or null where the kernel refuses a second group. The refusal is final, or due to
    /// low memory; then the kernel is asked again a second later.
    /// </summary>
    internal BufferRing? GetOrMakeBulk()
    {
        if (Bulk is null && !IsBulkUnavailable && _reactor.NowTick() >= _bulkRetryTick)
        {
            int most = _options.MaxBulkReceiveBufferCount;
            try
            {
                Bulk = MakeBulk(Math.Min(InitialBulkBuffers, most));
                _reactor.Trimmer.Ask();
            }
            catch (RingUnavailableException exception) when (exception.Support == RingSupport.OutOfLockedMemory)
            {
                // The small buffers continue to serve; only large bodies are slower.
                _bulkRetryTick = _reactor.NowTick() + BulkRetryMs;
            }
            catch (RingUnavailableException exception)
            {
                IsBulkUnavailable = true;
                _reactor.ReportUnhandled(exception);
            }
        }

        return Bulk;
    }

    /// <summary>No buffer was left for the connection: it waits in a FIFO.</summary>
    internal void Starve(RingConnection connection, BufferRing ring)
    {
        _reactor.Counters.BufferExhaustions++;
        (ring == Bulk ? _starvedBulk : _starvedSmall).Enqueue(connection);
    }

    /// <summary>Doubles a group's buffers, up to its cap. False at the cap.</summary>
    internal bool TryGrow(BufferRing ring)
    {
        if (!ring.TryGrow())
        {
            return false;
        }

        _reactor.Trimmer.Ask();
        return true;
    }

    /// <summary>
    /// Arms as many starved connections as there are buffers. Arming all at once makes 60 times the completions, because
    /// each of the others fails again.
    /// </summary>
    internal void RearmStarved()
    {
        Rearm(_starvedSmall, Small);
        if (Bulk is not null)
        {
            Rearm(_starvedBulk, Bulk);
        }
    }

    /// <summary>Gives the buffers that came home to the kernel.</summary>
    internal void Publish()
    {
        Small.Publish();
        Bulk?.Publish();
    }

    /// <summary>Total over both groups and the retiring ones. Threads: any.</summary>
    internal long Sum(Func<BufferRing, long> read)
    {
        long sum = read(Small) + (Bulk is { } bulk ? read(bulk) : 0);
        foreach (BufferRing retired in Retired)
        {
            sum += read(retired);
        }

        return sum;
    }

    /// <summary>Replaces groups that are too large. Returns whether something is still above its start size.</summary>
    internal bool Trim()
    {
        Trimmer.Shrink(_starvedSmall);
        Trimmer.Shrink(_starvedBulk);
        if (Array.Exists(_retired, static ring => ring.IsReleased && ring.TakenCount == 0))
        {
            Volatile.Write(ref _retired, Array.FindAll(_retired, static ring => !ring.IsReleased || ring.TakenCount > 0));
        }

        int enoughSmall = Math.Max(Small.EnoughCount(), _options.ReceiveBufferCount);
        if (enoughSmall < Small.Count && CanRetire(Small, _starvedSmall)
            && TryMake(() => MakeSmall((ushort)(Small.Group ^ OtherOfKind), enoughSmall)) is { } small)
        {
            BufferRing old = Small;
            Small = small;
            Retire(old);
        }

        if (Bulk is { } bulk)
        {
            TrimBulk(bulk);
        }

        return Small.Count > _options.ReceiveBufferCount || Bulk is not null || _retired.Length > 0;
    }

    /// <summary>Frees native memory. The ring is closed, and nothing is in flight.</summary>
    public void Dispose()
    {
        Small.Dispose();
        Bulk?.Dispose();
        foreach (BufferRing retired in _retired)
        {
            retired.Dispose();
        }
    }

    private void TrimBulk(BufferRing bulk)
    {
        int enoughBulk = bulk.EnoughCount();
        if (enoughBulk == 0 && CanRetire(bulk, _starvedBulk))
        {
            Bulk = null;
            Retire(bulk);
        }
        else if (Math.Max(enoughBulk, InitialBulkBuffers) is int count && count < bulk.Count && CanRetire(bulk, _starvedBulk)
            && TryMake(() => MakeBulk(count)) is { } smaller)
        {
            Bulk = smaller;
            Retire(bulk);
        }
    }

    /// <summary>Each kind of buffers has two numbers; a starved connection waits for the current group.</summary>
    private bool CanRetire(BufferRing ring, Queue<RingConnection> starved)
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
        int end = Math.Min(from + MovedPerTurn, _reactor.Operations.UsedSlots);
        for (int slotIndex = from; slotIndex < end; slotIndex++)
        {
            (_reactor.Operations.TargetOf(slotIndex) as RingConnection)?.Receiver.LeaveRetiredBuffers();
        }

        if (end < _reactor.Operations.UsedSlots)
        {
            _reactor.Enqueue(WorkItem.Of(this, end, static (buffers, from) => buffers.MoveReceives((int)from)));
        }
    }

    private BufferRing MakeBulk(int count)
    {
        var made = new BufferRing(_reactor.Ring, _nextBulkGroup, _options.BulkReceiveBufferSize, count, _options.MaxBulkReceiveBufferCount);
        _nextBulkGroup ^= OtherOfKind;
        return made;
    }

    private BufferRing MakeSmall(ushort group, int count)
    {
        const int SmallestMaxCount = 64;
        for (int most = _options.MaxReceiveBufferCount; ; most /= 2)
        {
            try
            {
                return new BufferRing(_reactor.Ring, group, _options.ReceiveBufferSize, Math.Min(count, most), most);
            }
            catch (RingUnavailableException exception) when (
                exception.Support == RingSupport.OutOfLockedMemory && most > SmallestMaxCount)
            {
                // The buffer ring is charged to the same limit as the ring: a smaller one may fit.
            }
        }
    }

    private void Rearm(Queue<RingConnection> starved, BufferRing ring)
    {
        if (starved.Count == 0)
        {
            return;
        }

        if (ring.LentCount < starved.Count)
        {
            TryGrow(ring);
        }

        for (int buffers = ring.LentCount; buffers > 0 && starved.TryDequeue(out RingConnection? connection);)
        {
            if (connection.Receiver.EndStarvation())
            {
                buffers--;
            }
        }
    }
}
