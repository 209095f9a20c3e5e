using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Ioxide.Pg;

/// <summary>Log messages of the driver, ids 2000 to 2999. They contain no SQL text and no values.</summary>
internal sealed partial class PgLog(ILogger logger)
{
    private const long SameFailureMs = 10_000;

    // Hosts times what may be wrong with each. A cause in whose text something counts up is not kept for long.
    private const int MaxFailures = 64;

    private readonly ILogger _logger = logger;
    private readonly ConcurrentDictionary<string, long> _failures = new(StringComparer.Ordinal);

    internal void Opened(ServerEndpoint endpoint, int processId)
        => HostCalls.CallOut(static e => Opened(e.Logger, e.Endpoint, e.ProcessId), (Logger: _logger, Endpoint: endpoint, ProcessId: processId));

    internal void Lost(ServerEndpoint endpoint, Exception cause)
        => HostCalls.CallOut(static e => Lost(e.Logger, e.Endpoint, e.Cause.Message), (Logger: _logger, Endpoint: endpoint, Cause: cause));

    /// <summary>Each cause is told once in ten seconds: attempts follow each other quickly while callers need them.</summary>
    internal void ConnectFailed(PgDataSourceOptions options, Exception failure)
    {
        long now = Environment.TickCount64;
        if (_failures.TryGetValue(failure.Message, out long told) && now - told < SameFailureMs)
        {
            return;
        }

        if (_failures.Count >= MaxFailures)
        {
            _failures.Clear();
        }

        _failures[failure.Message] = now;
        HostCalls.CallOut(
            static e => ConnectFailed(
                e.Logger, e.Options.Database, string.Join(',', e.Options.Hosts), e.Options.Username, e.Failure.Message,
                ConnectFailure.RemedyOf(e.Failure)),
            (Logger: _logger, Options: options, Failure: failure));
    }

    internal void CancelFailed(ServerEndpoint endpoint, Exception failure)
        => HostCalls.CallOut(
            static e => CancelFailed(e.Logger, e.Endpoint, e.Failure.Message), (Logger: _logger, Endpoint: endpoint, Failure: failure));

    internal void Noticed(PgServerMessage notice)
        => HostCalls.CallOut(static e => Noticed(e.Logger, e.Notice), (Logger: _logger, Notice: notice));

    internal void HandlerThrew(Exception exception)
        => HostCalls.CallOut(static e => HandlerThrew(e.Logger, e.Exception), (Logger: _logger, Exception: exception));

    internal void PoolerNoticed(ServerEndpoint endpoint)
        => HostCalls.CallOut(static e => PoolerNoticed(e.Logger, e.Endpoint), (Logger: _logger, Endpoint: endpoint));

    internal void StatementLost(ServerEndpoint endpoint)
        => HostCalls.CallOut(static e => StatementLost(e.Logger, e.Endpoint), (Logger: _logger, Endpoint: endpoint));

    internal void NotificationsDropped(long limitBytes)
        => HostCalls.CallOut(static e => NotificationsDropped(e.Logger, e.LimitBytes), (Logger: _logger, LimitBytes: limitBytes));

    internal void UnknownKey(string key, string nearest)
        => HostCalls.CallOut(static e => UnknownKey(e.Logger, e.Key, e.Nearest), (Logger: _logger, Key: key, Nearest: nearest));

    internal void RowsNotDisposed() => HostCalls.CallOut(static logger => RowsNotDisposed(logger), _logger);

    internal void LeaseNotDisposed(string callSite, double ageSeconds)
        => HostCalls.CallOut(
            static e => LeaseNotDisposed(e.Logger, e.AgeSeconds, e.CallSite), (Logger: _logger, AgeSeconds: ageSeconds, CallSite: callSite));

    internal void PreparedLeft(string name, Exception exception)
        => HostCalls.CallOut(static e => PreparedLeft(e.Logger, e.Name, e.Exception), (Logger: _logger, Name: name, Exception: exception));

    [LoggerMessage(2001, LogLevel.Debug, "Connected to {Endpoint}; the server's process is {ProcessId}.", EventName = "Opened")]
    private static partial void Opened(ILogger logger, ServerEndpoint endpoint, int processId);

    [LoggerMessage(2002, LogLevel.Debug, "The connection to {Endpoint} has ended: {Cause}", EventName = "Lost")]
    private static partial void Lost(ILogger logger, ServerEndpoint endpoint, string cause);

    [LoggerMessage(
        2003, LogLevel.Warning,
        "No connection to database {Database} on {Hosts} as user {User}. {Cause} {Remedy} The pool tries again when a caller needs a connection.",
        EventName = "ConnectFailed")]
    private static partial void ConnectFailed(ILogger logger, string? database, string hosts, string? user, string cause, string remedy);

    [LoggerMessage(2004, LogLevel.Warning, "{Endpoint} could not be asked to cancel a command: {Cause}", EventName = "CancelFailed")]
    private static partial void CancelFailed(ILogger logger, ServerEndpoint endpoint, string cause);

    [LoggerMessage(2005, LogLevel.Debug, "The server says: {Notice}", EventName = "Noticed")]
    private static partial void Noticed(ILogger logger, PgServerMessage notice);

    [LoggerMessage(2006, LogLevel.Error, "A handler of Notice threw.", EventName = "HandlerThrew")]
    private static partial void HandlerThrew(ILogger logger, Exception exception);

    [LoggerMessage(
        2007, LogLevel.Warning,
        "A pooler at {Endpoint} serves each transaction by another session of the server. Statements are no longer prepared under names. "
        + "Say so from the start with Pooler=Transaction, or let PgBouncer 1.21 or later keep them (max_prepared_statements).",
        EventName = "PoolerNoticed")]
    private static partial void PoolerNoticed(ILogger logger, ServerEndpoint endpoint);

    [LoggerMessage(
        2008, LogLevel.Warning,
        "{Endpoint} no longer has a statement that was prepared there; it is prepared again. Something ran DEALLOCATE or DISCARD, or a pooler "
        + "serves each transaction by another session: set Pooler=Transaction then.",
        EventName = "StatementLost")]
    private static partial void StatementLost(ILogger logger, ServerEndpoint endpoint);

    [LoggerMessage(
        2009, LogLevel.Warning,
        "The configuration key {Key} has no effect: Ioxide.Pg has no option of that name. Did you mean {Nearest}?",
        EventName = "UnknownKey")]
    private static partial void UnknownKey(ILogger logger, string key, string nearest);

    [LoggerMessage(
        2030, LogLevel.Warning,
        "Notifications are dropped: {LimitBytes} bytes of them wait for a reader. A gap is reported to it (PgNotification.IsGap). Read faster, or "
        + "do the work elsewhere.",
        EventName = "NotificationsDropped")]
    private static partial void NotificationsDropped(ILogger logger, long limitBytes);

    [LoggerMessage(
        2031, LogLevel.Warning,
        "The rows of a command were collected without being disposed; their connection is taken back. Dispose PgRows with await using.",
        EventName = "RowsNotDisposed")]
    private static partial void RowsNotDisposed(ILogger logger);

    [LoggerMessage(
        2032, LogLevel.Warning,
        "A session or connection was collected without being disposed, and its place in the pool stays taken. It was opened {AgeSeconds:0.0} s ago "
        + "{CallSite}. Dispose it with await using.",
        EventName = "LeaseNotDisposed")]
    private static partial void LeaseNotDisposed(ILogger logger, double ageSeconds, string callSite);

    [LoggerMessage(
        2020, LogLevel.Error,
        "The prepared transaction {Name} of a TransactionScope could not be ended and keeps its locks. End it with COMMIT "
            + "PREPARED or ROLLBACK PREPARED.",
        EventName = "PreparedLeft")]
    private static partial void PreparedLeft(ILogger logger, string name, Exception exception);
}
