namespace Ioxide.Pg;

/// <summary>What a text of SQL may do to the session that runs it, beyond its transaction.</summary>
[Flags]
internal enum SessionEffect : byte
{
    /// <summary>Nothing: it reads, or it belongs to its transaction.</summary>
    None = 0,

    /// <summary>It may wait for a lock or for time. Commands of others are not sent behind it where another connection can be had.</summary>
    Waits = 1,

    /// <summary>It may leave something that other commands do not see but a new session does not have: a sequence's last value.</summary>
    Touches = 2,

    /// <summary>It may leave something that the next command sees: a setting, a lock, a temporary table.</summary>
    Changes = 4,

    /// <summary>What it leaves is its whole purpose: alone on a shared connection it would be without effect.</summary>
    Belongs = 8,

    /// <summary>It drops every prepared statement of the session.</summary>
    ForgetsStatements = 16,

    /// <summary>All that a text may do which is not understood.</summary>
    Unknown = Waits | Touches | Changes,

    /// <summary>A command that is for the session alone, such as SET or LISTEN.</summary>
    ForSession = Touches | Changes | Belongs,
}
