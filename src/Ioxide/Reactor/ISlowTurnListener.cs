namespace Ioxide;

/// <summary>Implemented by the host: learns from slow turns which application code must not run on a reactor.</summary>
/// <remarks>Threads: the reactor's, between two turns or in one, and the watchdog's. An implementation must not wait.</remarks>
internal interface ISlowTurnListener
{
    /// <summary>The code of a turn held the reactor up for <see cref="TurnRecord.SlowTurn"/> or longer.</summary>
    /// <param name="reactor">The reactor of the turn.</param>
    /// <param name="duration">For how long, without waits for a processor, collections and compilation.</param>
    /// <param name="ran">
    /// The code that began to run in the turn, at most <see cref="TurnRecord.MaxPieces"/> pieces.
    /// </param>
    /// <param name="pipeline">The outermost code that ran in the turn, or null where no request ran.</param>
    void TurnWasSlow(Reactor reactor, TimeSpan duration, object[] ran, object? pipeline);

    /// <summary>Application code blocked the reactor in a wait that the runtime saw, or holds it up still.</summary>
    /// <param name="reactor">The blocked reactor.</param>
    /// <param name="duration">How long it was blocked, without waits for a processor and collections.</param>
    /// <param name="running">The code whose synchronous part blocked, or null for code behind an await.</param>
    void Blocked(Reactor reactor, TimeSpan duration, object? running);
}
