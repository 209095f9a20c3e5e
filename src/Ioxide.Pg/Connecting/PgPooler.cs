namespace Ioxide.Pg;

/// <summary>What stands between this process and the server.</summary>
public enum PgPooler
{
    /// <summary>Nothing: a connection is one session of the server.</summary>
    None,

    /// <summary>A pooler that keeps a session for each connection.</summary>
    Session,

    /// <summary>A pooler that may serve each transaction by another session, as PgBouncer in transaction mode.</summary>
    Transaction,
}
