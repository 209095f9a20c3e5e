namespace Ioxide.Simulation;

/// <summary>One ring of the simulated kernel: its queues, which its reactor reads and writes, and what the kernel keeps for it.</summary>
internal sealed unsafe class RingState(int number)
{
    internal RingParams Params;

    /// <summary>From 0, in the order in which rings are made.</summary>
    internal int Number => number;

    /// <summary>Its own number, far from those of files.</summary>
    internal int Descriptor => SimulatedKernel.RingDescriptor + number;

    internal bool IsMade => Params.SqEntries != 0;

    /// <summary>The memory of both queues but for the entries.</summary>
    internal byte* Queues { get; set; }

    internal Sqe* Entries { get; set; }

    internal int QueuesBytes { get; set; }

    internal int EntriesBytes { get; set; }

    internal bool IsInEnter { get; set; }

    internal bool IsClosed { get; set; }

    /// <summary>A receive of it has named a group of large buffers.</summary>
    internal bool HasHadBulk { get; set; }

    /// <summary>When the last wait of the ring is over without a completion.</summary>
    internal long WaitsUntilNs { get; set; } = long.MaxValue;

    /// <summary>Completions that found the queue full.</summary>
    internal Queue<Completion> Overflow { get; } = new();

    internal Dictionary<ushort, BufferGroup> Groups { get; } = [];

    internal List<Operation> InFlight { get; } = [];

    /// <summary>Operations that can go on when the ring is entered.</summary>
    internal Queue<Operation> Works { get; } = new();

    /// <summary>Sockets whose receive found no buffer, in the order in which that was posted.</summary>
    internal List<StreamSocket> Starved { get; } = [];

    internal HashSet<ulong> CancelledNames { get; } = [];

    /// <summary>Completions that the reactor has not read.</summary>
    internal uint Ready => Tail - Head;

    internal uint Head => Queues is null ? 0 : *(uint*)(Queues + Params.CqOffsets.Head);

    internal uint Tail => Queues is null ? 0 : *(uint*)(Queues + Params.CqOffsets.Tail);

    internal bool IsFull => Ready == Params.CqEntries || Overflow.Count > 0;

    /// <summary>An enter would bring something, or the time that the last one was to wait is over.</summary>
    internal bool HasSomething(long nowNs) => Works.Count > 0 || Ready > 0 || Overflow.Count > 0 || nowNs >= WaitsUntilNs;
}
