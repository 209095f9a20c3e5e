namespace Ioxide.Simulation;

/// <summary>Where the handler of a connection runs.</summary>
internal enum GroupStyle
{
    /// <summary>On the connection's reactor.</summary>
    AtHome,

    /// <summary>It goes to another reactor between a read and its answer, and comes back.</summary>
    Wanders,

    /// <summary>On another reactor: each read and flush begins there, ends at home, and is followed back.</summary>
    Abroad,
}
