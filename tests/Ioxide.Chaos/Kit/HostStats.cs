using System.Text.Json;

namespace Ioxide.Chaos;

/// <summary>One reading of a server's reactors, summed, and of its memory.</summary>
internal sealed record HostStats
{
    /// <summary>Open connections, the asking one among them.</summary>
    public long Connections { get; init; }

    /// <summary>Operations in flight: a wake-up a reactor, an accept a listener and reactor, a receive a connection.</summary>
    public long Operations { get; init; }

    public long BuffersTaken { get; init; }

    public long BufferCount { get; init; }

    public long BufferExhaustions { get; init; }

    public long Completions { get; init; }

    public long CompletionOverflows { get; init; }

    public long Rearms { get; init; }

    public long Accepted { get; init; }

    public long AcceptPauses { get; init; }

    public long Stalls { get; init; }

    public long BytesReceived { get; init; }

    public long BytesSent { get; init; }

    /// <summary>Bytes that live on the managed heap, pinned buffers among them.</summary>
    public long ManagedBytes { get; init; }

    /// <summary>Resident memory of the process.</summary>
    public long ResidentBytes { get; init; }

    /// <summary>Reads this process's own.</summary>
    /// <param name="group">Whose reactors.</param>
    /// <param name="collects">Collects garbage before, and gives free memory back to the system.</param>
    internal static HostStats Read(ReactorGroup group, bool collects)
    {
        if (collects)
        {
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            GC.WaitForPendingFinalizers();
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        }

        ReactorSnapshot[] snapshots = [.. group.Reactors.Select(reactor => reactor.Snapshot())];
        return new HostStats
        {
            Connections = snapshots.Sum(snapshot => snapshot.Connections),
            Operations = snapshots.Sum(snapshot => snapshot.OperationsInFlight),
            BuffersTaken = snapshots.Sum(snapshot => snapshot.BuffersTaken),
            BufferCount = snapshots.Sum(snapshot => snapshot.BufferCount),
            BufferExhaustions = snapshots.Sum(snapshot => snapshot.BufferExhaustions),
            Completions = snapshots.Sum(snapshot => snapshot.Completions),
            CompletionOverflows = snapshots.Sum(snapshot => snapshot.CompletionOverflows),
            Rearms = snapshots.Sum(snapshot => snapshot.Rearms),
            Accepted = snapshots.Sum(snapshot => snapshot.Accepted),
            AcceptPauses = snapshots.Sum(snapshot => snapshot.AcceptPauses),
            Stalls = snapshots.Sum(snapshot => snapshot.Stalls),
            BytesReceived = snapshots.Sum(snapshot => snapshot.BytesReceived),
            BytesSent = snapshots.Sum(snapshot => snapshot.BytesSent),
            ManagedBytes = GC.GetTotalMemory(forceFullCollection: false),
            ResidentBytes = Environment.WorkingSet,
        };
    }

    internal static HostStats FromJson(string json) => JsonSerializer.Deserialize<HostStats>(json)!;

    internal string ToJson() => JsonSerializer.Serialize(this);
}
