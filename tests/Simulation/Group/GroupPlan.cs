namespace Ioxide.Simulation;

/// <summary>What one run of a group is like. Kernel and reactors are drawn as for a run of one reactor.</summary>
internal sealed class GroupPlan
{
    private const int NoLimit = 1 << 17;

    internal GroupPlan(Dice dice)
    {
        Base = new Plan(dice);
        Reactors = dice.Of<int>([2, 3, 4, 8, 16, 64, dice.Between(2, 64)]);
        Base.Reactor.ReactorCount = Reactors;

        // A shortage of descriptors is the process's, as in a run of one reactor; below the lower limit connections are accepted one by one.
        Base.Faults.DescriptorLimit = dice.Chance(300) ? Plan.ManyDescriptors : NoLimit;
        Base.Connection.SendTimeout = null;
        Peers = dice.Between(1, 40);
        IsEven = dice.Chance(150);
        Preempts = dice.Chance(500) ? 0 : dice.Between(1, 30);
        MostDepth = dice.Of<int>([1, 2, 4, 16]);
        Unwinds = dice.Of<int>([50, 300, 700]);
        Holds = IsEven || dice.Chance(500) ? 0 : dice.Between(1, 4);
        Moves = dice.Of<int>([0, 100, 500]);
        StopsAfterUs = !IsEven && dice.Chance(250) ? dice.Between(1, 4000) : null;
        UnbindsAfterUs = !IsEven && dice.Chance(150) ? dice.Between(1, 2000) : null;
        DrainMs = dice.Of<int>([0, 1, 20, 5000]);
    }

    internal Plan Base { get; }

    internal int Reactors { get; }

    internal int Peers { get; }

    /// <summary>Nothing disturbs the balance: no connection ends before all are there, and no reactor is held.</summary>
    internal bool IsEven { get; }

    /// <summary>Thousandths of the clock readings at which another reactor turns in between.</summary>
    internal int Preempts { get; }

    /// <summary>Reactors of which one waits in the turn of the other.</summary>
    internal int MostDepth { get; }

    /// <summary>Thousandths of the waits that end with EINTR although others could turn meanwhile.</summary>
    internal int Unwinds { get; }

    /// <summary>Reactors that do not turn for a while.</summary>
    internal int Holds { get; }

    /// <summary>Thousandths of the pieces that a handler answers on another reactor, or of the posts that it leaves there.</summary>
    internal int Moves { get; }

    internal int? StopsAfterUs { get; }

    internal int? UnbindsAfterUs { get; }

    /// <summary>How long a stop waits for open connections.</summary>
    internal int DrainMs { get; }
}
