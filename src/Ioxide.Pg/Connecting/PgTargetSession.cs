namespace Ioxide.Pg;

/// <summary>Which servers of several are taken.</summary>
public enum PgTargetSession
{
    /// <summary>Whichever answers first.</summary>
    Any,

    /// <summary>One that accepts writes by default.</summary>
    ReadWrite,

    /// <summary>One that does not accept writes by default.</summary>
    ReadOnly,

    /// <summary>One that is not in hot standby.</summary>
    Primary,

    /// <summary>One that is in hot standby.</summary>
    Standby,

    /// <summary>One in hot standby if there is any, else whichever answers.</summary>
    PreferStandby,
}
