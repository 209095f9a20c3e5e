namespace Ioxide.AspNetCore;

/// <summary>Log messages of the transport, ids 1000 to 1999.</summary>
internal static partial class TransportLog
{
    [LoggerMessage(1001, LogLevel.Information, "Using {Kernel} with {Reactors}. {Handlers}")]
    internal static partial void Started(ILogger logger, string kernel, string reactors, string handlers);

    [LoggerMessage(EventId = 1031, Message =
        "Using epoll with {Reactors}. {Handlers} io_uring is not available ({Support}): {Cause}. {Remedy}")]
    internal static partial void StartedOnEpoll(
        ILogger logger, LogLevel level, string reactors, string handlers, RingSupport support, string cause, string remedy);

    [LoggerMessage(1032, LogLevel.Information, "Kestrel's sockets transport serves, because Ioxide:Kernel is Sockets.")]
    internal static partial void UsesSockets(ILogger logger);

    [LoggerMessage(1024, LogLevel.Debug,
        "Each reactor: ring {Flags}, {SqEntries} submission and {CqEntries} completion entries; " +
        "{BufferCount} receive buffers of {BufferSize} bytes, up to {MaxBufferCount}; ApplicationScheduling is {Scheduling}.")]
    internal static partial void Resolved(
        ILogger logger, string flags, uint sqEntries, uint cqEntries, int bufferCount, int bufferSize, int maxBufferCount,
        ApplicationScheduling scheduling);

    [LoggerMessage(1030, LogLevel.Information, "Dump, as {Signal} asks:\n{Dump}")]
    internal static partial void Dumped(ILogger logger, DumpSignal signal, string dump);

    [LoggerMessage(1025, LogLevel.Warning, "The configuration key {Key} has no effect: Ioxide has no option of that name. {Remedy}")]
    internal static partial void UnknownKey(ILogger logger, string key, string remedy);

    [LoggerMessage(1033, LogLevel.Warning, "SocketTransportOptions.{Option} has no effect: reactors serve the endpoints. {Remedy}")]
    internal static partial void SocketOptionLost(ILogger logger, string option, string remedy);

    [LoggerMessage(1002, LogLevel.Warning,
        "Reactors are not available ({Support}): {Cause}. Connections use the sockets transport. {Remedy}")]
    internal static partial void FellBack(ILogger logger, RingSupport support, string cause, string remedy);

    [LoggerMessage(1003, LogLevel.Warning,
        "Reactor {ReactorId} has been blocked for {StalledMs:F0} ms by {Activity}; its other connections wait. Await instead of " +
        "blocking (no long computation or synchronous system call in a handler), mark the endpoint with RunOnThreadPool(), or set " +
        "ApplicationScheduling to ThreadPool.")]
    internal static partial void ReactorStalled(ILogger logger, int reactorId, double stalledMs, string activity);

    [LoggerMessage(1004, LogLevel.Warning,
        "Reactor {ReactorId} cannot accept on {EndPoint}: {Error}; next try in {RetryMs} ms. Open connections are still served. " +
        "{Remedy}")]
    internal static partial void AcceptPaused(ILogger logger, int reactorId, string endPoint, string error, double retryMs, string remedy);

    [LoggerMessage(1005, LogLevel.Error, "Code on reactor {ReactorId} threw an exception that was not awaited.")]
    internal static partial void UnhandledException(ILogger logger, int reactorId, Exception exception);

    [LoggerMessage(1006, LogLevel.Critical,
        "Reactor {ReactorId} has ended because of an exception. Its connections are closed; the other reactors continue. Restart the process.")]
    internal static partial void ReactorFaulted(ILogger logger, int reactorId, Exception exception);

    [LoggerMessage(1007, LogLevel.Information, "The reactors have stopped.")]
    internal static partial void Stopped(ILogger logger);

    [LoggerMessage(1008, LogLevel.Warning, "The dashboard could not read an instrument. It omits this sample.")]
    internal static partial void DashboardSkipped(ILogger logger, Exception exception);

    [LoggerMessage(1009, LogLevel.Warning,
        "Refused a connection from {Peer} to {EndPoint}: {Problem} {Unreported} more were refused since the last warning.")]
    internal static partial void ProxyPeerRefused(ILogger logger, EndPoint? peer, EndPoint? endPoint, string problem, int unreported);

    [LoggerMessage(1010, LogLevel.Debug, "Refused connection {ConnectionId} from {Peer}: {Problem}")]
    internal static partial void ProxyPeerRefusedAgain(ILogger logger, string connectionId, EndPoint? peer, string problem);

    [LoggerMessage(1011, LogLevel.Debug, "Connection {ConnectionId} ended before its PROXY protocol header was complete: {Reason}")]
    internal static partial void ProxyPeerGone(ILogger logger, string connectionId, string reason);

    [LoggerMessage(1027, LogLevel.Debug, "Connection {ConnectionId} from {Peer} ended: {Reason}.")]
    internal static partial void ConnectionEnded(ILogger logger, string connectionId, EndPoint? peer, CloseReason reason);

    [LoggerMessage(1020, LogLevel.Warning, "{Feature} is off, because {Call} failed with {Error}; {Substitute}. {Remedy}")]
    internal static partial void FeatureRefused(
        ILogger logger, string feature, string call, string error, string substitute, string remedy);

    [LoggerMessage(1021, LogLevel.Warning,
        "The limit of open files ({Limit}, of which {Open} are open) has room for {ReactorCount} reactors instead of {Wanted}. " +
        "Raise the limit (ulimit -n, LimitNOFILE=).")]
    internal static partial void FewerReactors(ILogger logger, int limit, int open, int reactorCount, int wanted);

    [LoggerMessage(1012, LogLevel.Information,
        "Stopping: readiness checks fail from now on, and requests are served for {DelaySeconds} more seconds, so that load balancers notice.")]
    internal static partial void StopDelayed(ILogger logger, double delaySeconds);

    [LoggerMessage(1013, LogLevel.Error,
        "Reactor {ReactorId} is stuck: it has been blocked for {StalledSeconds:F1} s by {Activity}. Its open connections wait until that " +
        "returns. {Relief} Await instead of blocking, or restart the process.")]
    internal static partial void ReactorStuck(ILogger logger, int reactorId, double stalledSeconds, string activity, string relief);

    [LoggerMessage(1014, LogLevel.Information, "Reactor {ReactorId} is responsive again after {StalledSeconds:F1} s.")]
    internal static partial void ReactorRecovered(ILogger logger, int reactorId, double stalledSeconds);

    [LoggerMessage(1015, LogLevel.Error,
        "Stopping without reactor {ReactorId}: it is still running {Activity} and has not turned for {StalledSeconds:F1} s. " +
        "Let the code return when the request is aborted or the host stops.")]
    internal static partial void ReactorAbandoned(ILogger logger, int reactorId, string activity, double stalledSeconds);

    [LoggerMessage(1016, LogLevel.Warning,
        "{EndPoint} blocked reactor {ReactorId} for {StalledMs:F0} ms; it runs on the thread pool until {NeededRuns} quick runs in a row " +
        "show that it does not block. Await instead of blocking, or mark it with RunOnThreadPool().")]
    internal static partial void EndpointDemoted(ILogger logger, string endPoint, int reactorId, double stalledMs, int neededRuns);

    [LoggerMessage(1017, LogLevel.Debug,
        "{EndPoint} may have blocked reactor {ReactorId} for {StalledMs:F0} ms; it runs on the thread pool until {NeededRuns} quick runs in a " +
        "row show that it does not block.")]
    internal static partial void EndpointSuspected(ILogger logger, string endPoint, int reactorId, double stalledMs, int neededRuns);

    [LoggerMessage(1018, LogLevel.Debug, "{EndPoint} runs on the reactors of its connections: {Runs} runs in a row did not block.")]
    internal static partial void EndpointPromoted(ILogger logger, string endPoint, int runs);

    [LoggerMessage(1019, LogLevel.Warning,
        "Reactor {ReactorId} has been blocked for {BlockedSeconds:F1} s by a wait in {Activity}. The thread pool serves its connections " +
        "meanwhile. Await instead of blocking (no .Result, .Wait() or lock around a wait in a handler).")]
    internal static partial void ReactorBlocked(ILogger logger, int reactorId, double blockedSeconds, string activity);

    [LoggerMessage(1022, LogLevel.Warning,
        "Reactor {ReactorId} has stopped while {Activity} still blocks its thread, for {BlockedSeconds:F1} s so far. " +
        "Let the code return when the request is aborted or the host stops.")]
    internal static partial void StoppedUnderHandler(ILogger logger, int reactorId, string activity, double blockedSeconds);

    [LoggerMessage(1026, LogLevel.Warning,
        "Reactor {ReactorId} had a processor for {ProcessorSeconds:F1} of {TurnSeconds:F1} s (CPU quota or load); its connections wait, and no " +
        "handler is to blame. {Remedy}")]
    internal static partial void ReactorShortOfProcessor(
        ILogger logger, int reactorId, double processorSeconds, double turnSeconds, string remedy);

    [LoggerMessage(1023, LogLevel.Warning,
        "{EndPoint}: PROXY protocol headers are read where UseProxyProtocol is called, not before all other middleware, because this version " +
        "of Kestrel ({Version}) stores its middleware differently. Call it before UseHttps and all other middleware of the endpoint, and " +
        "UseIoxideTls instead of UseIoxideTlsForHttps.")]
    internal static partial void ProxyProtocolNotFirst(ILogger logger, string endPoint, string version, Exception exception);
}
