namespace Ioxide.Soak;

/// <summary>Where a handler goes on before it answers.</summary>
internal enum ResumePlace
{
    /// <summary>At once, in the turn that read the request.</summary>
    Here,

    /// <summary>On the reactor, in a later turn.</summary>
    Yield,

    /// <summary>After a timer.</summary>
    Timer,

    /// <summary>On the thread pool.</summary>
    ThreadPool,

    /// <summary>On the reactor, which it blocks until a timer is over.</summary>
    Blocked,

    /// <summary>How many there are.</summary>
    Count,
}
