using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ioxide.AspNetCore;

/// <summary>Reports whether every reactor is responsive.</summary>
/// <remarks>
/// Unhealthy: a reactor has ended or is stuck. Degraded: one is stalled or blocked, or cannot accept. A reactor without a processor is healthy: a
/// restart would not give it one. Where the sockets transport serves
/// instead, nothing of Ioxide can fail: healthy, and the description gives the reason. Reads counters and waits for nothing. Threads: any.
/// </remarks>
internal sealed class IoxideHealthCheck(ReactorFleet? fleet) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        TransportInUse transport = TransportInUse.Of(fleet);
        return Task.FromResult(transport.Group is { } group
            ? Judge(group, context.Registration.FailureStatus)
            : HealthCheckResult.Healthy(
                $"The sockets transport serves. {transport.Reason}", new Dictionary<string, object> { ["transport"] = "sockets" }));
    }

    private static HealthCheckResult Judge(ReactorGroup group, HealthStatus failureStatus)
    {
        ReactorSnapshot[] reactors = [.. group.Reactors.Select(static reactor => reactor.Snapshot())];
        ILookup<ReactorCondition, int> byCondition = reactors.ToLookup(
            reactor => reactor.Condition(group.Options.StallThreshold), static reactor => reactor.ReactorId);
        int[] ended = [.. byCondition[ReactorCondition.Ended]];
        int[] stuck = [.. byCondition[ReactorCondition.Stuck]];
        int[] stalled = [.. byCondition[ReactorCondition.Stalled]];
        int[] blocked = [.. byCondition[ReactorCondition.Blocked]];
        int[] starved = [.. byCondition[ReactorCondition.ShortOfProcessor]];
        int[] paused = [.. byCondition[ReactorCondition.AcceptPaused]];
        var data = new Dictionary<string, object>
        {
            ["transport"] = "io_uring",
            ["reactors"] = reactors.Length,
            ["ended"] = ended.Length,
            ["stuck"] = stuck.Length,
            ["stalled"] = stalled.Length,
            ["blocked"] = blocked.Length,
            ["shortOfProcessor"] = starved.Length,
            ["acceptPaused"] = paused.Length,
            ["connections"] = reactors.Sum(static reactor => (long)reactor.Connections),
            ["stalls"] = reactors.Sum(static reactor => reactor.Stalls),
            ["blockedWaits"] = reactors.Sum(static reactor => reactor.BlockedWaits),
            ["acceptPauses"] = reactors.Sum(static reactor => reactor.AcceptPauses),
            ["bufferExhaustions"] = reactors.Sum(static reactor => reactor.BufferExhaustions),
            ["completionOverflows"] = reactors.Sum(static reactor => reactor.CompletionOverflows),
        };

        List<string> faults = [];
        Add(faults, ended, "ended; their connections are closed. Restart the process.");
        Add(faults, stuck, "stuck in a handler; their connections wait. Await instead of blocking, or restart the process.");
        Add(faults, stalled, "stalled by a handler; their connections wait. Await instead of blocking.");
        Add(faults, blocked, "blocked by a wait in a handler; the thread pool serves their connections. Await instead of blocking.");
        Add(faults, paused, "not accepting connections, because descriptors or memory are used up. Raise the limit of open files.");
        string description = string.Join(' ', faults);
        return ended.Length > 0 || stuck.Length > 0 ? new HealthCheckResult(failureStatus, description, data: data)
            : faults.Count > 0 ? HealthCheckResult.Degraded(description, data: data)
            : starved.Length > 0 ? HealthCheckResult.Healthy(Describe(starved, "waiting for a processor (CPU quota or load)."), data)
            : HealthCheckResult.Healthy("Every reactor is responsive.", data);
    }

    private static void Add(List<string> faults, int[] reactors, string what)
    {
        if (reactors.Length > 0)
        {
            faults.Add(Describe(reactors, what));
        }
    }

    private static string Describe(int[] reactors, string what)
        => $"Reactors {string.Join(", ", reactors.Select(static id => id.ToString(CultureInfo.InvariantCulture)))}: {what}";
}
