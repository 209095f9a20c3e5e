namespace Ioxide.Pg;

/// <summary>The role that a server must have to be chosen.</summary>
public enum PgTargetSession
{
    /// <summary>Any server: the first that answers.</summary>
    Any,

    /// <summary>A server that accepts writes by default.</summary>
    ReadWrite,

    /// <summary>A server that does not accept writes by default.</summary>
    ReadOnly,

    /// <summary>A server that is not in hot standby.</summary>
    Primary,

    /// <summary>A server that is in hot standby.</summary>
    Standby,

    /// <summary>A server in hot standby if there is one, else any server.</summary>
    PreferStandby,

    /// <summary>A server that is not in hot standby if there is one, else any server.</summary>
    PreferPrimary,
}
