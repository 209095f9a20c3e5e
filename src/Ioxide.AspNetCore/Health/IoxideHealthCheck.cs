using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ioxide.AspNetCore;

/// <summary>Reports whether every reactor is responsive.</summary>
/// <remarks>
/// Unhealthy: a reactor has ended or is stuck. Degraded: one is stalled or blocked, or cannot accept. A reactor without a processor is healthy: a
/// restart would not give it one. Where the sockets transport serves
/// instead, nothing of Ioxide can fail: healthy, and the description gives the reason. Reads counters and waits for nothing. Threads: any.
/// </remarks>
/// <param name="fleet">The host's reactors, or null where it has none.</param>
/// <param name="stop">For readiness: whether a load balancer may send new requests, which it may not once a stop has begun.</param>
internal sealed class IoxideHealthCheck(ReactorFleet? fleet, StopDelay? stop = null) : IHealthCheck
{
    private static readonly (ReactorCondition Condition, string Key, string What)[] s_conditions =
    [
        (ReactorCondition.Ended, "ended", "ended; their connections are closed. Restart the process."),
        (ReactorCondition.Stuck, "stuck", "stuck in a handler; their connections wait. Await instead of blocking, or restart the process."),
        (ReactorCondition.Stalled, "stalled", "stalled by a handler; their connections wait. Await instead of blocking."),
        (ReactorCondition.Blocked, "blocked",
            "blocked by a wait in a handler; the thread pool serves their connections. Await instead of blocking."),
        (ReactorCondition.ShortOfProcessor, "shortOfProcessor", "waiting for a processor (CPU quota or load)."),
        (ReactorCondition.AcceptPaused, "acceptPaused",
            "not accepting connections, because descriptors or memory are used up. Log event 1004 says which limit to raise."),
    ];

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        if (stop is { HasBegun: true })
        {
            return Task.FromResult(new HealthCheckResult(context.Registration.FailureStatus, "The host is stopping. Send no new requests."));
        }

        TransportInUse transport = TransportInUse.Of(fleet);
        return Task.FromResult(transport.Group is { } group
            ? Judge(transport, group, context.Registration.FailureStatus)
            : HealthCheckResult.Healthy(
                transport.Name == "sockets" ? $"The sockets transport serves. {transport.Reason}" : transport.Reason,
                new Dictionary<string, object> { ["transport"] = transport.Name }));
    }

    private static HealthCheckResult Judge(TransportInUse transport, ReactorGroup group, HealthStatus failureStatus)
    {
        ReactorSnapshot[] reactors = [.. group.Reactors.Select(static reactor => reactor.Snapshot())];
        ILookup<ReactorCondition, int> byCondition = reactors.ToLookup(
            reactor => reactor.Condition(group.Options.StallThreshold), static reactor => reactor.ReactorId);
        var data = new Dictionary<string, object> { ["transport"] = transport.Name, ["reactors"] = reactors.Length };
        List<string> faults = [];
        string health = "Every reactor is responsive.";
        foreach ((ReactorCondition condition, string key, string what) in s_conditions)
        {
            string[] ids = [.. byCondition[condition].Select(static id => id.ToString(CultureInfo.InvariantCulture))];
            data[key] = ids.Length;
            string found = $"Reactors {string.Join(", ", ids)}: {what}";
            if (ids.Length > 0 && condition == ReactorCondition.ShortOfProcessor)
            {
                health = found;
            }
            else if (ids.Length > 0)
            {
                faults.Add(found);
            }
        }

        data["connections"] = reactors.Sum(static reactor => (long)reactor.Connections);
        data["stalls"] = reactors.Sum(static reactor => reactor.Stalls);
        data["blockedWaits"] = reactors.Sum(static reactor => reactor.BlockedWaits);
        data["acceptPauses"] = reactors.Sum(static reactor => reactor.AcceptPauses);
        data["bufferExhaustions"] = reactors.Sum(static reactor => reactor.BufferExhaustions);
        data["completionOverflows"] = reactors.Sum(static reactor => reactor.CompletionOverflows);
        bool hasFailed = byCondition.Contains(ReactorCondition.Ended) || byCondition.Contains(ReactorCondition.Stuck);
        return faults.Count == 0 ? HealthCheckResult.Healthy(health, data)
            : new HealthCheckResult(hasFailed ? failureStatus : HealthStatus.Degraded, string.Join(' ', faults), data: data);
    }
}
