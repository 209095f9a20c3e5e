using Microsoft.Extensions.Logging;

namespace Ioxide.AspNetCore;

/// <summary>Turns what the reactors tell into log lines.</summary>
internal sealed class LoggedEvents(ILogger logger) : ReactorEvents
{
    public override void ReactorStalled(int reactorId, TimeSpan stalledFor, object? activity)
        => TransportLog.ReactorStalled(
            logger, reactorId, stalledFor.TotalMilliseconds, activity?.ToString() ?? "code that did not say what it is");

    public override void AcceptPaused(int reactorId, string endPoint, string errorName, TimeSpan retryAfter)
        => TransportLog.AcceptPaused(logger, reactorId, endPoint, errorName, retryAfter.TotalMilliseconds);

    public override void UnhandledException(int reactorId, Exception exception)
        => TransportLog.UnhandledException(logger, reactorId, exception);

    public override void ReactorFaulted(int reactorId, Exception exception)
        => TransportLog.ReactorFaulted(logger, reactorId, exception);
}
