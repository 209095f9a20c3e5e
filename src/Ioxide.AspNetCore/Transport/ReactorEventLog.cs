using System.Collections.Concurrent;

namespace Ioxide.AspNetCore;

/// <summary>Logs the events of the reactors.</summary>
internal sealed class ReactorEventLog(ILogger logger) : ReactorEvents
{
    private readonly ConcurrentDictionary<string, string> _refused = new();

    public override void ReactorStalled(int reactorId, TimeSpan stalledFor, object? activity)
        => TransportLog.ReactorStalled(logger, reactorId, stalledFor.TotalMilliseconds, Name(activity));

    public override void ReactorStuck(int reactorId, TimeSpan stalledFor, object? activity, bool isRelieved)
        => TransportLog.ReactorStuck(
            logger,
            reactorId,
            stalledFor.TotalSeconds,
            Name(activity),
            isRelieved ? "The other reactors accept its new connections." : "No other reactor is responsive, so new connections wait too.");

    public override void ReactorRecovered(int reactorId, TimeSpan stalledFor)
        => TransportLog.ReactorRecovered(logger, reactorId, stalledFor.TotalSeconds);

    public override void ReactorShortOfProcessor(int reactorId, TimeSpan turnTime, TimeSpan processorTime, TimeSpan throttledTime)
        => TransportLog.ReactorShortOfProcessor(
            logger,
            reactorId,
            processorTime.TotalSeconds,
            turnTime.TotalSeconds,
            throttledTime > TimeSpan.Zero
                ? $"The CPU quota has throttled the process for {throttledTime.TotalSeconds:F1} s since the start: raise the limit."
                : "The processors are busy with other work: give the process a larger share, or move other work away.");

    public override void ReactorAbandoned(int reactorId, TimeSpan stalledFor, object? activity)
        => TransportLog.ReactorAbandoned(logger, reactorId, Name(activity), stalledFor.TotalSeconds);

    public override void ReactorBlocked(int reactorId, TimeSpan blockedFor, object? activity)
        => TransportLog.ReactorBlocked(logger, reactorId, blockedFor.TotalSeconds, Name(activity));

    public override void StoppedUnderHandler(int reactorId, TimeSpan blockedFor, object? activity)
        => TransportLog.StoppedUnderHandler(logger, reactorId, Name(activity), blockedFor.TotalSeconds);

    public override void AcceptPaused(int reactorId, string endPoint, string errorName, TimeSpan retryAfter)
        => TransportLog.AcceptPaused(
            logger, reactorId, endPoint, errorName, retryAfter.TotalMilliseconds, Refusal.RemedyOfAccept(errorName));

    public override void FeatureRefused(int reactorId, string feature, string callName, string errorName, string substitute)
    {
        // Each reactor reports it; one line per feature is enough.
        if (_refused.TryAdd(feature, callName))
        {
            TransportLog.FeatureRefused(logger, feature, callName, errorName, substitute, Refusal.RemedyOfFeature(callName, errorName));
        }
    }

    public override void UnhandledException(int reactorId, Exception exception)
        => TransportLog.UnhandledException(logger, reactorId, exception);

    public override void ReactorFaulted(int reactorId, Exception exception) => TransportLog.ReactorFaulted(logger, reactorId, exception);

    private static string Name(object? activity) => activity?.ToString() ?? "unnamed code";
}
