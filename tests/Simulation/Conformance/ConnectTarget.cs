namespace Ioxide.Simulation;

/// <summary>Where a script connects to.</summary>
internal enum ConnectTarget
{
    Accepting,

    /// <summary>Nobody listens there.</summary>
    Refusing,

    /// <summary>Somebody listens there, and the queue is full: no answer comes.</summary>
    Silent,
}
