namespace Ioxide.Pg;

/// <summary>Which commands leave something behind that belongs to the session: settings, temporary tables, locks, LISTEN.</summary>
/// <remarks>
/// The command's name tells. A function that changes a setting or takes a session lock behind a SELECT is not seen; such a session
/// is marked by <see cref="PgSession.MarkDirty"/>.
/// </remarks>
internal static class SessionState
{
    /// <summary>Undoes all that a session may leave, but for prepared statements, which stay.</summary>
    internal static ReadOnlySpan<byte> Reset =>
        "SET SESSION AUTHORIZATION DEFAULT; RESET ALL; CLOSE ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES"u8;

    internal static bool IsChangedBy(string command) => command switch
    {
        "SELECT" or "INSERT" or "UPDATE" or "DELETE" or "MERGE" or "COPY" or "FETCH" or "MOVE" or "" => false,
        "BEGIN" or "START TRANSACTION" or "COMMIT" or "ROLLBACK" or "SAVEPOINT" or "RELEASE" => false,
        _ => true,
    };
}
