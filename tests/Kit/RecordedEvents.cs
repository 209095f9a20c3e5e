using System.Collections.Concurrent;

namespace Ioxide.TestKit;

/// <summary>Everything that a group told its host, in order, and a way to wait for it.</summary>
internal sealed class RecordedEvents : ReactorEvents
{
    private readonly ConcurrentQueue<Event> _events = new();

    internal enum Kind
    {
        Stalled,
        Stuck,
        Recovered,
        ShortOfProcessor,
        Abandoned,
        Blocked,
        LeftBehind,
        AcceptPaused,
        Unhandled,
        Faulted,
    }

    /// <summary>What came so far.</summary>
    internal IReadOnlyCollection<Event> All => _events;

    internal IReadOnlyList<Event> Of(Kind kind) => [.. _events.Where(recorded => recorded.Kind == kind)];

    /// <summary>The reports of one reactor's stalls so far.</summary>
    internal IReadOnlyList<Event> StallsOf(int reactorId) => [.. Of(Kind.Stalled).Where(stall => stall.ReactorId == reactorId)];

    /// <summary>The first event of a kind, once there is one.</summary>
    internal async Task<Event> FirstAsync(Kind kind, TimeSpan limit)
    {
        await Waits.Eventually(() => Of(kind).Count > 0, limit, $"an event of kind {kind}").ConfigureAwait(false);
        return Of(kind)[0];
    }

    /// <summary>The first stall of one reactor's, once there is one. On a busy host another may have stalled before.</summary>
    /// <param name="reactorId">Whose.</param>
    /// <param name="limit">How long to wait.</param>
    /// <param name="activity">What it must have been running, or null for anything.</param>
    internal async Task<Event> FirstStallAsync(int reactorId, TimeSpan limit, string? activity = null)
    {
        Event? first = null;
        await Waits.Eventually(
            () => (first = StallsOf(reactorId).FirstOrDefault(stall => activity is null || stall.Activity == activity)) is not null,
            limit, $"a stall of reactor {reactorId}").ConfigureAwait(false);
        return first!;
    }

    public override void ReactorStalled(int reactorId, TimeSpan stalledFor, object? activity)
        => _events.Enqueue(new Event(Kind.Stalled, reactorId, StalledFor: stalledFor, Activity: activity?.ToString()));

    public override void ReactorStuck(int reactorId, TimeSpan stalledFor, object? activity, bool isRelieved)
        => _events.Enqueue(new Event(Kind.Stuck, reactorId, StalledFor: stalledFor, Activity: activity?.ToString(), IsRelieved: isRelieved));

    public override void ReactorRecovered(int reactorId, TimeSpan stalledFor)
        => _events.Enqueue(new Event(Kind.Recovered, reactorId, StalledFor: stalledFor));

    public override void ReactorShortOfProcessor(int reactorId, TimeSpan turnTime, TimeSpan processorTime, TimeSpan throttledTime)
        => _events.Enqueue(new Event(Kind.ShortOfProcessor, reactorId, StalledFor: turnTime, ProcessorTime: processorTime, Throttled: throttledTime));

    public override void ReactorAbandoned(int reactorId, TimeSpan stalledFor, object? activity)
        => _events.Enqueue(new Event(Kind.Abandoned, reactorId, StalledFor: stalledFor, Activity: activity?.ToString()));

    public override void ReactorBlocked(int reactorId, TimeSpan blockedFor, object? activity)
        => _events.Enqueue(new Event(Kind.Blocked, reactorId, StalledFor: blockedFor, Activity: activity?.ToString()));

    public override void StoppedUnderHandler(int reactorId, TimeSpan blockedFor, object? activity)
        => _events.Enqueue(new Event(Kind.LeftBehind, reactorId, StalledFor: blockedFor, Activity: activity?.ToString()));

    public override void AcceptPaused(int reactorId, string endPoint, string errorName, TimeSpan retryAfter)
        => _events.Enqueue(new Event(Kind.AcceptPaused, reactorId, ErrorName: errorName, RetryAfter: retryAfter));

    public override void UnhandledException(int reactorId, Exception exception) => _events.Enqueue(new Event(Kind.Unhandled, reactorId, exception));

    public override void ReactorFaulted(int reactorId, Exception exception) => _events.Enqueue(new Event(Kind.Faulted, reactorId, exception));

    /// <summary>One event; what does not belong to its kind is null.</summary>
    internal sealed record Event(
        Kind Kind,
        int ReactorId,
        Exception? Exception = null,
        TimeSpan StalledFor = default,
        string? Activity = null,
        string? ErrorName = null,
        TimeSpan RetryAfter = default,
        bool IsRelieved = false,
        TimeSpan ProcessorTime = default,
        TimeSpan Throttled = default);
}
