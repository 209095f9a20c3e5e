namespace Ioxide.Pg;

/// <summary>The cause of a failed attempt to connect, which many callers get.</summary>
internal static class ConnectFailure
{
    /// <summary>An exception of its own for each caller: one that is thrown again and again grows by every stack that it passes.</summary>
    internal static Exception Again(Exception cause) => cause switch
    {
        PgException error when error.GetType() == typeof(PgException) => new PgException(error.Fields, error.InnerException) { Advice = error.Advice },
        PgAuthenticationException => new PgAuthenticationException(cause.Message, cause.InnerException),
        PgProtocolException => new PgProtocolException(cause.Message, cause.InnerException),
        PgConnectionException error when error.GetType() == typeof(PgConnectionException)
            => new PgConnectionException(error.Message, error.InnerException),
        PgTimeoutException timeout => new PgTimeoutException(timeout.Kind, timeout.Limit, timeout.Message, timeout.InnerException),
        _ => cause,
    };
}
