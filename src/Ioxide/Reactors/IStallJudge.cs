namespace Ioxide;

/// <summary>Implemented by the host: learns from slow turns which application code must not run on a reactor.</summary>
/// <remarks>Threads: the reactor's, between two turns or in one. An implementation must not wait.</remarks>
internal interface IStallJudge
{
    /// <summary>A turn took longer than <see cref="Reactor.SlowTurn"/>.</summary>
    /// <param name="reactor">The reactor of the turn.</param>
    /// <param name="duration">The turn's duration, without pauses of the collector and waits for a processor.</param>
    /// <param name="suspects">
    /// The code that began to run in the turn, at most <see cref="Reactor.MaxSuspects"/> pieces. Valid during the call.
    /// </param>
    /// <param name="request">The outermost suspect that ran in the turn, or null where no request ran.</param>
    void TurnStalled(Reactor reactor, TimeSpan duration, ReadOnlySpan<Suspect> suspects, object? request);

    /// <summary>Application code blocked the reactor in a wait that the runtime saw.</summary>
    /// <param name="reactor">The blocked reactor.</param>
    /// <param name="duration">How long it was blocked.</param>
    /// <param name="running">The suspect whose synchronous part blocked, or null for code behind an await.</param>
    void Blocked(Reactor reactor, TimeSpan duration, object? running);
}

/// <summary>One piece of application code that ran in a turn. A struct, so that noting it checks no element type.</summary>
internal readonly record struct Suspect(object Code);
