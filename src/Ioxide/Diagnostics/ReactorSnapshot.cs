namespace Ioxide;

/// <summary>One reading of a reactor's counters. They may be a turn apart from each other.</summary>
public sealed record ReactorSnapshot
{
    /// <summary>The reactor's number, from 0.</summary>
    public required int ReactorId { get; init; }

    /// <summary>Turns of the loop.</summary>
    public required long Turns { get; init; }

    /// <summary>Calls of io_uring_enter.</summary>
    public required long Enters { get; init; }

    /// <summary>Submission queue entries that the kernel took.</summary>
    public required long Submissions { get; init; }

    /// <summary>Completion queue entries handled.</summary>
    public required long Completions { get; init; }

    /// <summary>Times that the completion queue had overflowed.</summary>
    public required long CompletionOverflows { get; init; }

    /// <summary>Times that the submission queue was full in the middle of a turn.</summary>
    public required long FullSubmissionQueues { get; init; }

    /// <summary>Receives that ended because no buffer was left (ENOBUFS).</summary>
    public required long BufferExhaustions { get; init; }

    /// <summary>Multishot operations that were armed again.</summary>
    public required long Rearms { get; init; }

    /// <summary>Receive buffers that exist, small and large.</summary>
    public required int BufferCount { get; init; }

    /// <summary>Receive buffers that the application holds.</summary>
    public required int BuffersTaken { get; init; }

    /// <summary>
    /// Bytes of memory for receive buffers and send blocks, in use or not. Memory that a burst took is released in steps, most of it within a
    /// minute of the burst's end.
    /// </summary>
    public required long PooledBytes { get; init; }

    /// <summary>Bytes that were copied out of receive buffers because an application was slow.</summary>
    public required long BytesCopied { get; init; }

    /// <summary>Open connections.</summary>
    public required int Connections { get; init; }

    /// <summary>
    /// Open connections that are over for the application and wait for their peer's FIN, for <see cref="RingConnectionOptions.LingerTimeout"/> at
    /// most.
    /// </summary>
    public required int LingeringConnections { get; init; }

    /// <summary>
    /// Connections that stopped waiting for their peer's FIN early: too many waited while new ones came, or descriptors were short.
    /// </summary>
    public required long LingersDropped { get; init; }

    /// <summary>Times that a connection paused sending because the kernel had no memory (ENOBUFS, ENOMEM).</summary>
    public required long SendPauses { get; init; }

    /// <summary>Connections accepted so far.</summary>
    public required long Accepted { get; init; }

    /// <summary>Times that accepting paused because descriptors or memory ran out.</summary>
    public required long AcceptPauses { get; init; }

    /// <summary>Listeners that do not accept now, because descriptors or memory ran out.</summary>
    public required int PausedListeners { get; init; }

    /// <summary>Connections that other reactors took from this reactor's listeners while it was stuck.</summary>
    public required long Rescued { get; init; }

    /// <summary>Bytes received.</summary>
    public required long BytesReceived { get; init; }

    /// <summary>Bytes sent.</summary>
    public required long BytesSent { get; init; }

    /// <summary>Posted work that has not run yet.</summary>
    public required int QueuedWork { get; init; }

    /// <summary>Operations in flight.</summary>
    public required int OperationsInFlight { get; init; }

    /// <summary>Times that the reactor stalled.</summary>
    public required long Stalls { get; init; }

    /// <summary>Waits of application code that blocked the reactor's thread. The ring turned inside each.</summary>
    public required long BlockedWaits { get; init; }

    /// <summary>How long application code has blocked the reactor's thread in its current wait; zero without one.</summary>
    public required TimeSpan BlockedTime { get; init; }

    /// <summary>Time spent outside the wait.</summary>
    public required TimeSpan BusyTime { get; init; }

    /// <summary>How long the current turn has lasted; zero while the reactor waits and after its end.</summary>
    public required TimeSpan TurnTime { get; init; }

    /// <summary>
    /// How much of <see cref="TurnTime"/> the code in the turn was on a processor or blocked in a call, without compilation and collections.
    /// </summary>
    public required TimeSpan HeldTime { get; init; }

    /// <summary>How much of <see cref="TurnTime"/> the reactor's thread was ready to run and had no processor.</summary>
    public required TimeSpan ProcessorWait { get; init; }

    /// <summary>How long the reactor's thread has had no processor while it was ready to run, since its start. Updated every 100 ms.</summary>
    public required TimeSpan TotalProcessorWait { get; init; }

    /// <summary>The reactor was stopped, or ended with an error.</summary>
    public required bool HasEnded { get; init; }

    /// <summary>Reads the counters. Threads: any.</summary>
    internal static ReactorSnapshot Of(Reactor reactor) => Of(reactor, reactor.HasEnded ? default : reactor.Clock.Read());

    private static ReactorSnapshot Of(Reactor reactor, in TurnTimes turn) => new()
    {
        ReactorId = reactor.Id,
        Turns = reactor.Turns,
        Enters = reactor.Ring.Enters,
        Submissions = reactor.Ring.Submissions,
        Completions = reactor.Counters.Completions,
        CompletionOverflows = reactor.Ring.Overflows,
        FullSubmissionQueues = reactor.Ring.FullSubmissionQueues,
        BufferExhaustions = reactor.Counters.BufferExhaustions,
        Rearms = reactor.Counters.Rearms,
        BufferCount = (int)reactor.Buffers.Sum(static ring => Math.Max(ring.Count, ring.TakenCount)),
        BuffersTaken = (int)reactor.Buffers.Sum(static ring => ring.TakenCount),
        PooledBytes = reactor.Buffers.Sum(static ring => ring.SizeBytes) + reactor.Memory.SizeBytes,
        BytesCopied = reactor.Counters.BytesCopied,
        Connections = reactor.Load.Open,
        LingeringConnections = reactor.Load.Lingering.Count,
        LingersDropped = reactor.Load.Lingering.Dropped,
        SendPauses = reactor.Counters.SendPauses,
        Accepted = reactor.Counters.Accepted,
        AcceptPauses = reactor.Counters.AcceptPauses,
        PausedListeners = reactor.Counters.PausedListeners,
        Rescued = reactor.Counters.Rescued,
        BytesReceived = reactor.Counters.BytesReceived,
        BytesSent = reactor.Counters.BytesSent,
        QueuedWork = reactor.QueuedWork,
        OperationsInFlight = reactor.Operations.InFlight,
        Stalls = reactor.Stalls,
        BlockedWaits = reactor.Blocked.Count,
        BlockedTime = reactor.HasEnded ? TimeSpan.Zero : reactor.Clock.Since(reactor.Blocked.Since),
        BusyTime = reactor.Clock.Busy,
        TurnTime = turn.Lasted,
        HeldTime = turn.Held,
        ProcessorWait = turn.Waiting,
        TotalProcessorWait = reactor.Clock.WaitedForProcessor,
        HasEnded = reactor.HasEnded,
    };
}
