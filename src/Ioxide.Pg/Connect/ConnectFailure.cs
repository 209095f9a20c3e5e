namespace Ioxide.Pg;

/// <summary>The cause of a failed attempt to connect, which many callers get.</summary>
internal static class ConnectFailure
{
    /// <summary>An exception of its own for each caller: one that is thrown again and again grows by every stack that it passes.</summary>
    internal static Exception Again(Exception cause) => cause switch
    {
        PgException error when error.GetType() == typeof(PgException)
            => new PgException(error.Fields, error.InnerException) { Advice = error.Advice },
        PgAuthenticationException => new PgAuthenticationException(cause.Message, cause.InnerException),
        PgProtocolException => new PgProtocolException(cause.Message, cause.InnerException),
        PgConnectionException error when error.GetType() == typeof(PgConnectionException)
            => new PgConnectionException(error.Message, error.InnerException),
        PgTimeoutException timeout => new PgTimeoutException(timeout.Kind, timeout.Limit, timeout.Message, timeout.InnerException),
        _ => cause,
    };

    /// <summary>
    /// The caller may mend it between two calls: a program that finds no database makes it and opens the next connection. The next attempt is
    /// made at once, one at a time.
    /// </summary>
    internal static bool IsMendedByCaller(Exception cause) => cause is PgException { SqlState: PgSqlState.InvalidCatalogName };

    /// <summary>What to do about it, for the log.</summary>
    internal static string RemedyOf(Exception cause) => cause switch
    {
        PgException { SqlState: PgSqlState.InvalidPassword }
            => "Check the password and where it comes from: Password, PGPASSWORD, the password file.",
        PgException { SqlState: PgSqlState.InvalidAuthorizationSpecification } => "Check the user, and the rules in the server's pg_hba.conf.",
        PgException { SqlState: PgSqlState.InvalidCatalogName } => "Create the database, or correct Database in the connection string.",
        PgException { SqlState: PgSqlState.TooManyConnections } => "Raise the server's max_connections, or lower Maximum Pool Size.",
        PgException { SqlState: PgSqlState.CannotConnectNow } => "The server is starting or stopping.",
        PgTimeoutException => "Check host and port, and whether a firewall drops the connection.",
        PgAuthenticationException or PgProtocolException or PgException => "See the server's log.",
        _ => "Check host and port, and start the server.",
    };
}
