namespace Ioxide.AspNetCore;

/// <summary>Where an endpoint runs, and why. The more an operator wants to know about it, the higher.</summary>
internal enum PlacementState
{
    /// <summary>On its connections' reactors.</summary>
    Inline,

    /// <summary>On the thread pool: it has not shown yet that it does not block.</summary>
    Proving,

    /// <summary>On the thread pool permanently, by its metadata.</summary>
    Pinned,

    /// <summary>On the thread pool again: it stalled a reactor, or may have.</summary>
    Demoted,
}
