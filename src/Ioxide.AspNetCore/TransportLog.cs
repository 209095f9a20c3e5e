using System.Net;
using Microsoft.Extensions.Logging;

namespace Ioxide.AspNetCore;

/// <summary>Log messages of the transport, ids 1000 to 1999.</summary>
internal static partial class TransportLog
{
    [LoggerMessage(1001, LogLevel.Information,
        "io_uring transport: {ReactorCount} reactors; ring {Flags}, {SqEntries} submission and {CqEntries} completion entries; " +
        "{BufferCount} receive buffers of {BufferSize} bytes, up to {MaxBufferCount}; handlers run {Scheduling}.",
        EventName = "Started")]
    internal static partial void Started(
        ILogger logger, int reactorCount, string flags, uint sqEntries, uint cqEntries, int bufferCount, int bufferSize,
        int maxBufferCount, ApplicationScheduling scheduling);

    [LoggerMessage(1002, LogLevel.Warning,
        "io_uring is not available ({Support}); connections use the sockets transport. {Remedy}", EventName = "FellBack")]
    internal static partial void FellBack(ILogger logger, RingSupport support, string remedy);

    [LoggerMessage(1003, LogLevel.Warning,
        "Reactor {ReactorId} has been blocked for {StalledMs:F0} ms by {Activity}; its other connections wait. Await instead of " +
        "blocking (no .Result, .Wait() or long computation in a handler), or set ApplicationScheduling to ThreadPool.",
        EventName = "ReactorStalled")]
    internal static partial void ReactorStalled(ILogger logger, int reactorId, double stalledMs, string activity);

    [LoggerMessage(1004, LogLevel.Warning,
        "Reactor {ReactorId} cannot accept on {EndPoint}: {Error}; next try in {RetryMs} ms. Open connections go on. " +
        "Raise the limit of open files (ulimit -n, LimitNOFILE=).",
        EventName = "AcceptPaused")]
    internal static partial void AcceptPaused(ILogger logger, int reactorId, string endPoint, string error, double retryMs);

    [LoggerMessage(1005, LogLevel.Error, "Code on reactor {ReactorId} threw and nobody awaited it.", EventName = "UnhandledException")]
    internal static partial void UnhandledException(ILogger logger, int reactorId, Exception exception);

    [LoggerMessage(1006, LogLevel.Critical,
        "Reactor {ReactorId} has ended by an error; its connections are closed, the other reactors go on. Restart the process.",
        EventName = "ReactorFaulted")]
    internal static partial void ReactorFaulted(ILogger logger, int reactorId, Exception exception);

    [LoggerMessage(1007, LogLevel.Information, "io_uring transport stopped.", EventName = "Stopped")]
    internal static partial void Stopped(ILogger logger);

    [LoggerMessage(1008, LogLevel.Warning, "The dashboard could not read an instrument; that second is left out.", EventName = "DashboardSkipped")]
    internal static partial void DashboardSkipped(ILogger logger, Exception exception);

    [LoggerMessage(1009, LogLevel.Warning,
        "Refused a connection from {Peer} to {EndPoint}: {Problem} {Unreported} more were refused since the last such line.",
        EventName = "ProxyPeerRefused")]
    internal static partial void ProxyPeerRefused(ILogger logger, EndPoint? peer, EndPoint? endPoint, string problem, int unreported);

    [LoggerMessage(1010, LogLevel.Debug, "Refused connection {ConnectionId} from {Peer}: {Problem}", EventName = "ProxyPeerRefusedAgain")]
    internal static partial void ProxyPeerRefusedAgain(ILogger logger, string connectionId, EndPoint? peer, string problem);

    [LoggerMessage(1011, LogLevel.Debug,
        "Connection {ConnectionId} ended before its PROXY protocol header was whole: {Reason}", EventName = "ProxyPeerGone")]
    internal static partial void ProxyPeerGone(ILogger logger, string connectionId, string reason);

    [LoggerMessage(1012, LogLevel.Information,
        "Stopping: not ready from now on, and serving for {DelaySeconds} more seconds, so that balancers notice.",
        EventName = "StopDelayed")]
    internal static partial void StopDelayed(ILogger logger, double delaySeconds);
}
