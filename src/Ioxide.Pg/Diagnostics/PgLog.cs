using Microsoft.Extensions.Logging;

namespace Ioxide.Pg;

/// <summary>Log messages of the driver, ids 2000 to 2999. No SQL text and no value is part of any.</summary>
internal sealed partial class PgLog(ILogger logger)
{
    private readonly ILogger _logger = logger;

    internal void Opened(ServerEndpoint endpoint, int processId) => Opened(_logger, endpoint, processId);

    internal void Lost(ServerEndpoint endpoint, Exception cause) => Lost(_logger, endpoint, cause.Message);

    internal void ConnectFailed(Exception failure) => ConnectFailed(_logger, failure.Message);

    internal void CancelFailed(ServerEndpoint endpoint, Exception failure) => CancelFailed(_logger, endpoint, failure.Message);

    internal void Noticed(PgServerMessage notice) => Noticed(_logger, notice);

    internal void HandlerThrew(Exception exception) => HandlerThrew(_logger, exception);

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
