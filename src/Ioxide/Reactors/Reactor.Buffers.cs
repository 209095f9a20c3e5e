namespace Ioxide;

/// <summary>A reactor's receive buffers: two groups, and the connections that wait for a buffer.</summary>
public sealed unsafe partial class Reactor
{
    // Each kind has two numbers: one for its group, one for the retiring group.
    private const ushort SmallGroup = 0;
    private const ushort BulkGroup = 1;
    private const ushort OtherOfKind = 2;
    private const int InitialBulkBuffers = 8;
    private const int BulkRetryMs = 1000;

    private readonly Queue<IReactorConnection> _starvedSmall = new();
    private readonly Queue<IReactorConnection> _starvedBulk = new();
    private long _bulkRetryTick = long.MinValue;
    private ushort _nextBulkGroup = BulkGroup;

    /// <summary>Buffers for requests.</summary>
    internal BufferRing SmallBuffers { get; private set; } = null!;

    /// <summary>Buffers for large bodies; made when first needed.</summary>
    internal BufferRing? BulkBuffers { get; private set; }

    internal bool IsBulkUnavailable { get; private set; }

    internal long BufferExhaustions { get; private set; }

    internal long BytesCopied { get; set; }

    internal long Rearms { get; set; }

    /// <summary>
    /// The group that receives large bodies, or null where the kernel refuses a second group. The refusal is final, or due to
    /// low memory; then the kernel is asked again a second later.
    /// </summary>
    internal BufferRing? GetOrMakeBulkBuffers()
    {
        if (BulkBuffers is null && !IsBulkUnavailable && NowTick() >= _bulkRetryTick)
        {
            int most = Options.MaxBulkReceiveBufferCount;
            try
            {
                BulkBuffers = MakeBulkBuffers(Math.Min(InitialBulkBuffers, most));
                Trimmer.Ask();
            }
            catch (RingUnavailableException exception) when (exception.Support == RingSupport.OutOfLockedMemory)
            {
                // The small buffers continue to serve; only large bodies are slower.
                _bulkRetryTick = NowTick() + BulkRetryMs;
            }
            catch (RingUnavailableException exception)
            {
                IsBulkUnavailable = true;
                ReportUnhandled(exception);
            }
        }

        return BulkBuffers;
    }

    /// <summary>No buffer was left for the connection: it waits in a FIFO.</summary>
    internal void Starve(IReactorConnection connection, BufferRing ring)
    {
        BufferExhaustions++;
        (ring == BulkBuffers ? _starvedBulk : _starvedSmall).Enqueue(connection);
    }

    /// <summary>Doubles a group's buffers, up to its cap. False at the cap.</summary>
    internal bool TryGrow(BufferRing ring)
    {
        if (!ring.TryGrow())
        {
            return false;
        }

        Trimmer.Ask();
        return true;
    }

    private BufferRing MakeBulkBuffers(int count)
    {
        var made = new BufferRing(Ring, _nextBulkGroup, Options.BulkReceiveBufferSize, count, Options.MaxBulkReceiveBufferCount);
        _nextBulkGroup ^= OtherOfKind;
        return made;
    }

    private void SetUpBuffers()
    {
        SmallBuffers = MakeSmallBuffers(SmallGroup, Options.ReceiveBufferCount);
    }

    private BufferRing MakeSmallBuffers(ushort group, int count)
    {
        const int SmallestMaxCount = 64;
        for (int most = Options.MaxReceiveBufferCount; ; most /= 2)
        {
            try
            {
                return new BufferRing(Ring, group, Options.ReceiveBufferSize, Math.Min(count, most), most);
            }
            catch (RingUnavailableException exception) when (
                exception.Support == RingSupport.OutOfLockedMemory && most > SmallestMaxCount)
            {
                // The buffer ring is charged to the same limit as the ring: a smaller one may fit.
            }
        }
    }

    /// <summary>
    /// Arms as many starved connections as there are buffers. Arming all at once makes 60 times the completions, because
    /// each of the others fails again.
    /// </summary>
    private void RearmStarved()
    {
        Rearm(_starvedSmall, SmallBuffers);
        if (BulkBuffers is not null)
        {
            Rearm(_starvedBulk, BulkBuffers);
        }
    }

    /// <summary>Whether connections wait for a buffer although some are left unused by the connections that were armed.</summary>
    internal bool CanArmStarved
        => (_starvedSmall.Count > 0 && SmallBuffers.LentCount > 0) || (_starvedBulk.Count > 0 && BulkBuffers is { LentCount: > 0 });

    private void Rearm(Queue<IReactorConnection> starved, BufferRing ring)
    {
        if (starved.Count == 0)
        {
            return;
        }

        if (ring.LentCount < starved.Count)
        {
            TryGrow(ring);
        }

        for (int buffers = ring.LentCount; buffers > 0 && starved.TryDequeue(out IReactorConnection? connection);)
        {
            if (connection.EndStarvation())
            {
                buffers--;
            }
        }
    }

    private void PublishBuffers()
    {
        SmallBuffers.Publish();
        BulkBuffers?.Publish();
    }

    private void EnableBusyPoll()
    {
        if (Options.BusyPollMicroseconds == 0)
        {
            return;
        }

        NapiRegistration registration = new() { BusyPollUs = (uint)Options.BusyPollMicroseconds, PreferBusyPoll = 1 };
        int result = Kernel.RingRegister(Ring.Descriptor, RegisterOpcode.Napi, &registration, 1);
        IsBusyPolling = result >= 0;
        if (result < 0)
        {
            ReportUnhandled(Errno.ToIOException(-result, "turn on busy polling (it needs Linux 6.9)"));
        }
    }

    /// <summary>Whether the kernel polls the network device before it sleeps.</summary>
    internal bool IsBusyPolling { get; private set; }
}
