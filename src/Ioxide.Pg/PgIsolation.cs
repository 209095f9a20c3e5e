namespace Ioxide.Pg;

/// <summary>The isolation level of a transaction. Source: PostgreSQL manual, 13.2 Transaction Isolation.</summary>
public enum PgIsolation
{
    /// <summary>The server's default, normally read committed.</summary>
    Default,

    /// <summary>Each command sees what was committed before it began.</summary>
    ReadCommitted,

    /// <summary>All commands see what was committed before the first of them.</summary>
    RepeatableRead,

    /// <summary>As if the transactions had run one after the other; one may fail with 40001 and be repeated.</summary>
    Serializable,
}
