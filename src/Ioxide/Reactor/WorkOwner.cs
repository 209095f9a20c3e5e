namespace Ioxide;

/// <summary>Whose code posted work runs. This decides where it runs while a handler blocks the reactor.</summary>
[Experimental("IOX1001")]
public enum WorkOwner : byte
{
    /// <summary>The runtime's: always on the reactor, also inside a blocked wait. It runs no application code.</summary>
    Runtime,

    /// <summary>The application's, free to move: on the reactor, or on the thread pool while the reactor is blocked.</summary>
    Application,

    /// <summary>The application's, promised to the reactor (<see cref="Reactor.Post"/>): it waits until the blocked handler returns.</summary>
    ReactorBound,
}
