namespace Ioxide.Pg;

/// <summary>The five characters that identify an error of the server: class (2) and condition (3).</summary>
public static partial class PgSqlState
{
    /// <summary>
    /// Whether the cause may be temporary, so that the same command may succeed later: lost connections (class 08),
    /// serialization failures and deadlocks, locks not available, exhausted resources (class 53), a server that stops or
    /// starts, and errors of the system below the server.
    /// </summary>
    /// <param name="sqlState">Five characters; anything else is not transient.</param>
    /// <remarks>A protocol violation (08P01) and a missing or duplicate file (58P01, 58P02) are not transient.</remarks>
    public static bool IsTransient(string? sqlState) => sqlState switch
    {
        null or { Length: not 5 } or ProtocolViolation or UndefinedFile or DuplicateFile => false,
        SerializationFailure or DeadlockDetected or LockNotAvailable or ObjectInUse => true,
        AdminShutdown or CrashShutdown or CannotConnectNow => true,
        _ => sqlState.StartsWith("08", StringComparison.Ordinal)
            || sqlState.StartsWith("53", StringComparison.Ordinal)
            || sqlState.StartsWith("58", StringComparison.Ordinal),
    };
}
