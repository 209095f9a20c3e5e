namespace Ioxide.AspNetCore;

/// <summary>Where the application runs when something it awaited on a connection is there.</summary>
public enum ApplicationScheduling
{
    /// <summary>
    /// All of it on the reactor of the connection. A handler that computes or sleeps holds up every connection of its reactor.
    /// </summary>
    Inline,

    /// <summary>All of it on the thread pool. For applications whose handlers block.</summary>
    ThreadPool,

    /// <summary>
    /// As <see cref="Inline"/>, but an end point has to earn the reactor: it runs on the thread pool until a number of runs have shown that it
    /// does not block, and goes back there when it stalls its reactor.
    /// </summary>
    Adaptive,
}
