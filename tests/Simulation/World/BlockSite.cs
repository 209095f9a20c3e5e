namespace Ioxide.Simulation;

/// <summary>Where the application blocks the reactor.</summary>
internal enum BlockSite
{
    InRead,
    AfterRead,
    BeforeFlush,
    InFlush,
    AfterFlush,
    InAccept,
    AfterConnect,
    AfterDelay,
    InPost,
    InToken,
    InOwner,

    /// <summary>When a handler is through, or failed: also where the reactor has ended.</summary>
    AtEnd,
}

/// <summary>What it waits for there.</summary>
internal enum BlockCause
{
    /// <summary>A delay of the very reactor.</summary>
    Delay,

    /// <summary>Another thread, which takes its time.</summary>
    OtherThread,

    /// <summary>Bytes of a file, read by the ring.</summary>
    File,

    /// <summary>Another connection, which gets on or not: with a limit.</summary>
    OtherConnection,

    /// <summary>Nothing, until the limit is over.</summary>
    Limit,

    /// <summary>Another thread and a delay, both.</summary>
    Both,

    /// <summary>Another thread or a delay.</summary>
    Either,

    /// <summary>What comes when the reactor was told to stop, or never.</summary>
    Stop,
}
