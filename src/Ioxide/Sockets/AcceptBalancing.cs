namespace Ioxide;

/// <summary>Which reactor gets a new connection.</summary>
public enum AcceptBalancing
{
    /// <summary>The kernel spreads connections over one listener a reactor (SO_REUSEPORT). Best for many connections.</summary>
    Kernel,

    /// <summary>
    /// Who accepts hands over to the reactor with the fewest connections. For few, long-lived connections. Unix sockets and
    /// handed-in sockets are always spread so, because only one reactor can accept from them.
    /// </summary>
    LeastLoaded,
}
