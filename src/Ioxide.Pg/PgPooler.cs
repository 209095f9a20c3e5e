namespace Ioxide.Pg;

/// <summary>The kind of pooler between this process and the server.</summary>
public enum PgPooler
{
    /// <summary>No pooler: a connection is one session of the server.</summary>
    None,

    /// <summary>A pooler that keeps a session for each connection.</summary>
    Session,

    /// <summary>A pooler that may run each transaction in another session, such as PgBouncer in transaction mode.</summary>
    Transaction,
}
