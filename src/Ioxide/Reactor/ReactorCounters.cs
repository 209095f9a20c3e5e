namespace Ioxide;

/// <summary>What a reactor has counted since it began. Plain fields: the reactor writes them, and other threads read snapshots.</summary>
internal sealed class ReactorCounters
{
    private long _rescued;

    internal long Completions { get; set; }

    internal long BytesReceived { get; set; }

    internal long BytesSent { get; set; }

    /// <summary>Bytes of <see cref="BytesSent"/> that went by their pages (vmsplice and splice).</summary>
    internal long PageBytesSent { get; set; }

    /// <summary>Bytes that were copied out of receive buffers because an application was slow.</summary>
    internal long BytesCopied { get; set; }

    internal long BufferExhaustions { get; set; }

    internal long Rearms { get; set; }

    internal long Accepted { get; set; }

    internal long AcceptPauses { get; set; }

    /// <summary>Acceptors of the reactor that are paused now.</summary>
    internal int PausedListeners { get; set; }

    /// <summary>Times that a connection waited before it sent again, because the kernel had no memory.</summary>
    internal long SendPauses { get; set; }

    /// <summary>Connections that another thread accepted from the reactor's listeners and handed over.</summary>
    internal long Rescued => Volatile.Read(ref _rescued);

    /// <summary>Threads: any.</summary>
    internal void CountRescued() => Interlocked.Increment(ref _rescued);
}
