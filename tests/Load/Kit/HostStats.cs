using System.Text.Json;

namespace Ioxide.LoadKit;

/// <summary>One reading of a server's reactors, summed, and of its memory.</summary>
internal sealed record HostStats
{
    /// <summary>Open connections.</summary>
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

    public long BytesSent { get; init; }

    /// <summary>Bytes that live on the managed heap, pinned buffers among them.</summary>
    public long ManagedBytes { get; init; }

    /// <summary>Resident memory of the process.</summary>
    public long ResidentBytes { get; init; }

    /// <summary>Posted work that waits.</summary>
    public long QueuedWork { get; init; }

    /// <summary>What the reactors keep for receive buffers and blocks to send; part of the managed heap.</summary>
    public long PooledBytes { get; init; }

    /// <summary>What the collector has of the kernel, as of its last collection.</summary>
    public long CommittedBytes { get; init; }

    /// <summary>Collections of each generation and above.</summary>
    public int[] Collections { get; init; } = [];

    /// <summary>Exceptions of tasks that nobody awaited, and of code on reactors without ASP.NET, since the start.</summary>
    public long Unhandled { get; init; }

    /// <summary>Sockets, rings and wake-up counters that the process has open, as its parent counts them.</summary>
    public int Sockets { get; init; }

    /// <summary>What must be the same whenever nobody is connected.</summary>
    internal string Held => $"{Connections} connections, {Operations} operations, {BuffersTaken} buffers, {QueuedWork} queued";

    /// <summary>Reads this process's own.</summary>
    internal static HostStats Read(params IEnumerable<ReactorGroup> groups)
    {
        ReactorSnapshot[] snapshots = [.. groups.SelectMany(static group => group.Reactors).Select(static reactor => reactor.Snapshot())];
        return new HostStats
        {
            Connections = Sum(static snapshot => snapshot.Connections),
            Operations = Sum(static snapshot => snapshot.OperationsInFlight),
            BuffersTaken = Sum(static snapshot => snapshot.BuffersTaken),
            BufferCount = Sum(static snapshot => snapshot.BufferCount),
            BufferExhaustions = Sum(static snapshot => snapshot.BufferExhaustions),
            Completions = Sum(static snapshot => snapshot.Completions),
            CompletionOverflows = Sum(static snapshot => snapshot.CompletionOverflows),
            Rearms = Sum(static snapshot => snapshot.Rearms),
            Accepted = Sum(static snapshot => snapshot.Accepted),
            AcceptPauses = Sum(static snapshot => snapshot.AcceptPauses),
            Stalls = Sum(static snapshot => snapshot.Stalls),
            BytesSent = Sum(static snapshot => snapshot.BytesSent),
            QueuedWork = Sum(static snapshot => snapshot.QueuedWork),
            PooledBytes = Sum(static snapshot => snapshot.PooledBytes),
            ManagedBytes = GC.GetTotalMemory(forceFullCollection: false),
            CommittedBytes = GC.GetGCMemoryInfo(GCKind.Any).TotalCommittedBytes,
            ResidentBytes = Environment.WorkingSet,
            Collections = [.. Enumerable.Range(0, GC.MaxGeneration + 1).Select(GC.CollectionCount)],
        };

        long Sum(Func<ReactorSnapshot, long> value) => snapshots.Sum(value);
    }

    internal static HostStats FromJson(string json) => JsonSerializer.Deserialize<HostStats>(json)!; // Never the text null.

    internal string ToJson() => JsonSerializer.Serialize(this);
}
