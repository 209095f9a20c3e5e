namespace Ioxide;

/// <summary>Which reactor gets a new connection.</summary>
public enum AcceptBalancing
{
    /// <summary>The kernel distributes connections over one listener per reactor (SO_REUSEPORT). Best for many connections.</summary>
    Kernel,

    /// <summary>
    /// The accepting reactor hands each connection to the reactor with the fewest. For few, long-lived connections. Unix sockets and
    /// handed-in sockets are always distributed this way, because only one reactor can accept from them.
    /// </summary>
    LeastLoaded,
}
