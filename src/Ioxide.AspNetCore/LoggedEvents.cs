using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Ioxide.AspNetCore;

/// <summary>Turns what the reactors tell into log lines.</summary>
internal sealed class LoggedEvents(ILogger logger) : ReactorEvents
{
    public override void ReactorStalled(int reactorId, TimeSpan stalledFor, object? activity)
        => TransportLog.ReactorStalled(logger, reactorId, stalledFor.TotalMilliseconds, Describe(activity));

    public override void AcceptPaused(int reactorId, string endPoint, string errorName, TimeSpan retryAfter)
        => TransportLog.AcceptPaused(logger, reactorId, endPoint, errorName, retryAfter.TotalMilliseconds);

    public override void UnhandledException(int reactorId, Exception exception)
        => TransportLog.UnhandledException(logger, reactorId, exception);

    public override void ReactorFaulted(int reactorId, Exception exception)
        => TransportLog.ReactorFaulted(logger, reactorId, exception);

    private static string Describe(object? activity)
    {
        if (activity is not HttpContext context)
        {
            return activity?.ToString() ?? "code that did not say what it is";
        }

        try
        {
            return $"{context.Request.Method} {context.Request.Path}";
        }
        catch (Exception exception) when (exception is ObjectDisposedException or NullReferenceException)
        {
            // The request may end while it is read from here: it is another thread's.
            return "a request that has just ended";
        }
    }
}
