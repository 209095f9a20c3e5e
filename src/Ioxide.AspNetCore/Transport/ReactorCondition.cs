namespace Ioxide.AspNetCore;

/// <summary>The condition of a reactor, worst last.</summary>
internal enum ReactorCondition
{
    /// <summary>It turns or waits.</summary>
    Turning,

    /// <summary>Its thread got no processor for most of a turn that is longer than the stall threshold. No code is to blame.</summary>
    ShortOfProcessor,

    /// <summary>A handler blocks its thread in a wait for longer than the stall threshold. The thread pool serves its connections.</summary>
    Blocked,

    /// <summary>A listener on it waits for descriptors or memory. Open connections are served.</summary>
    AcceptPaused,

    /// <summary>A handler has blocked it for longer than the stall threshold.</summary>
    Stalled,

    /// <summary>A handler has blocked it for five times the stall threshold. Other reactors accept its new connections.</summary>
    Stuck,

    /// <summary>It was stopped, or ended by an error. Its connections are closed.</summary>
    Ended,
}

/// <summary>Derives the condition from a reading. The dashboard and the health check share it.</summary>
internal static class ReactorConditions
{
    internal static ReactorCondition Condition(this ReactorSnapshot snapshot, TimeSpan stallThreshold)
        => snapshot.HasEnded ? ReactorCondition.Ended
            : snapshot.HeldTime / Reactor.StuckFactor >= stallThreshold ? ReactorCondition.Stuck
            : snapshot.HeldTime >= stallThreshold ? ReactorCondition.Stalled
            : snapshot.PausedListeners > 0 ? ReactorCondition.AcceptPaused
            : snapshot.BlockedTime >= stallThreshold ? ReactorCondition.Blocked
            : snapshot.TurnTime >= stallThreshold && snapshot.ProcessorWait >= snapshot.TurnTime / 2 ? ReactorCondition.ShortOfProcessor
            : ReactorCondition.Turning;
}
