namespace Ioxide.Simulation;

/// <summary>A reactor of the group, as the world that plays its thread sees it.</summary>
internal sealed class Member(Reactor reactor)
{
    internal Reactor Reactor => reactor;

    internal int Id => reactor.Id;

    /// <summary>Its ring; rings are made in the order of the reactors.</summary>
    internal required RingState Ring { get; init; }

    /// <summary>It turns, or waits in its ring, further down the stack.</summary>
    internal bool IsOnStack { get; set; }

    /// <summary>Its last wait was interrupted, and nothing had come.</summary>
    internal bool IsIdle { get; set; }

    /// <summary>Its turn lasts: it does nothing until it is let go.</summary>
    internal bool IsHeld { get; set; }

    internal bool HasEnded { get; set; }

    /// <summary>A turn of it would do something.</summary>
    internal bool IsReady(long nowNs)
        => !HasEnded && !IsOnStack && !IsHeld && (!IsIdle || Ring.HasSomething(nowNs) || Reactor.QueuedWork > 0);

    /// <summary>It is further down, and would go on if those above let it.</summary>
    internal bool WouldGoOn(long nowNs) => IsOnStack && (!Ring.IsInEnter || Ring.HasSomething(nowNs));
}
