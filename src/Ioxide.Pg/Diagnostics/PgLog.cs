using Microsoft.Extensions.Logging;

namespace Ioxide.Pg;

/// <summary>Log messages of the driver, ids 2000 to 2999. No SQL text and no value is part of any.</summary>
internal sealed partial class PgLog(ILogger logger)
{
    private readonly ILogger _logger = logger;

    internal void Opened(ServerEndpoint endpoint, int processId)
        => Reactor.CallOut(static e => Opened(e.Logger, e.Endpoint, e.ProcessId), (Logger: _logger, Endpoint: endpoint, ProcessId: processId));

    internal void Lost(ServerEndpoint endpoint, Exception cause)
        => Reactor.CallOut(static e => Lost(e.Logger, e.Endpoint, e.Cause.Message), (Logger: _logger, Endpoint: endpoint, Cause: cause));

    internal void ConnectFailed(Exception failure)
        => Reactor.CallOut(static e => ConnectFailed(e.Logger, e.Failure.Message), (Logger: _logger, Failure: failure));

    internal void CancelFailed(ServerEndpoint endpoint, Exception failure)
        => Reactor.CallOut(static e => CancelFailed(e.Logger, e.Endpoint, e.Failure.Message), (Logger: _logger, Endpoint: endpoint, Failure: failure));

    internal void Noticed(PgServerMessage notice)
        => Reactor.CallOut(static e => Noticed(e.Logger, e.Notice), (Logger: _logger, Notice: notice));

    internal void HandlerThrew(Exception exception)
        => Reactor.CallOut(static e => HandlerThrew(e.Logger, e.Exception), (Logger: _logger, Exception: exception));

    [LoggerMessage(2001, LogLevel.Debug, "Connected to {Endpoint}; the server's process is {ProcessId}.", EventName = "Opened")]
    private static partial void Opened(ILogger logger, ServerEndpoint endpoint, int processId);

    [LoggerMessage(2002, LogLevel.Debug, "The connection to {Endpoint} has ended: {Cause}", EventName = "Lost")]
    private static partial void Lost(ILogger logger, ServerEndpoint endpoint, string cause);

    [LoggerMessage(2003, LogLevel.Warning, "No connection could be made; the next attempt follows by itself. {Cause}", EventName = "ConnectFailed")]
    private static partial void ConnectFailed(ILogger logger, string cause);

    [LoggerMessage(2004, LogLevel.Warning, "{Endpoint} could not be asked to cancel a command: {Cause}", EventName = "CancelFailed")]
    private static partial void CancelFailed(ILogger logger, ServerEndpoint endpoint, string cause);

    [LoggerMessage(2005, LogLevel.Debug, "The server says: {Notice}", EventName = "Noticed")]
    private static partial void Noticed(ILogger logger, PgServerMessage notice);

    [LoggerMessage(2006, LogLevel.Error, "A handler of Notice threw.", EventName = "HandlerThrew")]
    private static partial void HandlerThrew(ILogger logger, Exception exception);
}
