namespace Ioxide.Pg;

/// <summary>The effects that an SQL text may have on its session, beyond its transaction.</summary>
[Flags]
internal enum SessionEffect : byte
{
    /// <summary>No effect beyond its transaction.</summary>
    None = 0,

    /// <summary>It may wait for a lock or for time. Commands of others are not queued behind it if another connection is available.</summary>
    Waits = 1,

    /// <summary>It may leave state that later commands do not see but a new session lacks: a sequence's last value.</summary>
    Touches = 2,

    /// <summary>It may leave state that the next command sees: a setting, a lock, a temporary table.</summary>
    Changes = 4,

    /// <summary>The state that it leaves is its only purpose: alone on a shared connection it would have no effect.</summary>
    Belongs = 8,

    /// <summary>It drops every prepared statement of the session.</summary>
    ForgetsStatements = 16,

    /// <summary>Every effect that an unknown text may have.</summary>
    Unknown = Waits | Touches | Changes,

    /// <summary>A command that is for the session alone, such as SET or LISTEN.</summary>
    ForSession = Touches | Changes | Belongs,
}
