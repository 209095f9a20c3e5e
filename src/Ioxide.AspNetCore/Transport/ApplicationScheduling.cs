namespace Ioxide.AspNetCore;

/// <summary>Which thread runs application code after a connection operation completes.</summary>
public enum ApplicationScheduling
{
    /// <summary>The connection's reactor. A handler that computes or sleeps delays every connection of that reactor.</summary>
    Inline,

    /// <summary>The thread pool. Use it for applications whose handlers block.</summary>
    ThreadPool,

    /// <summary>
    /// Each endpoint starts on the thread pool. It moves to the reactor after a number of runs have shown that it does not block, and back
    /// to the thread pool when it stalls its reactor.
    /// </summary>
    Adaptive,
}
