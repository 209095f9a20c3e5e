namespace Ioxide.Simulation;

/// <summary>What one run is like. Every seed draws its own: which faults there are at all, and how small everything is.</summary>
/// <remarks>Runs with few faults get far, runs with many get to strange places; a mean of both would do neither.</remarks>
internal sealed class Plan
{
    internal const int FirstInboundPort = 10_000;
    internal const int FirstOutboundPort = 20_000;

    /// <summary>A limit that no run reaches.</summary>
    internal const int ManyDescriptors = 4096;

    internal Plan(Dice dice)
    {
        Faults = new KernelFaults
        {
            Interrupt = Sometimes(dice, 100),
            Busy = Sometimes(dice, 50),
            ShortSubmission = Sometimes(dice, 200),
            EndWithResult = Sometimes(dice, 300),
            ShortReceive = Sometimes(dice, 500),
            ShortSend = Sometimes(dice, 500),
            LateWork = Sometimes(dice, 300),
            AcceptError = Sometimes(dice, 200),
            TransientError = Sometimes(dice, 100),
            DescriptorLimit = dice.Chance(200) ? dice.Between(12, 24) : ManyDescriptors,
            IsOldKernel = dice.Chance(200),
        };
        Reactor = new ReactorOptions
        {
            ReactorCount = 1,
            SqEntries = dice.Of<int>([8, 8, 16, 64]),
            CqEntries = dice.Of<int>([8, 16, 64, 256]),
            ReceiveBufferSize = dice.Of<int>([256, 256, 300, 1024]),
            MaxReceiveBufferCount = dice.Of<int>([2, 4, 16, 64]),
            BulkReceiveBufferSize = 4096,
            MaxBulkReceiveBufferCount = dice.Of<int>([2, 4, 8]),
            RestrictOperations = dice.Chance(500),
        };
        Reactor.TrimInterval = TimeSpan.FromMilliseconds(dice.Of<int>([1, 3, 10_000]));
        Reactor.KeptPoolBytes = dice.Of<int>([0, 256 * 1024]);
        Reactor.CqEntries = Math.Max(Reactor.CqEntries, Reactor.SqEntries);
        Reactor.ReceiveBufferCount = dice.Between(1, Math.Min(8, Reactor.MaxReceiveBufferCount));
        Connection = new RingConnectionOptions
        {
            MaxReadBufferSize = dice.Of<long?>([null, 1, 100, 4096, 1 << 20]),
            MaxWriteBufferSize = dice.Of<long?>([null, 1, 100, 5000, 65536]),
            LingerTimeout = TimeSpan.FromMilliseconds(dice.Of<int>([0, 5, 50, 2000])),
            SendTimeout = dice.Chance(200) ? TimeSpan.FromMilliseconds(dice.Between(2, 50)) : null,
            ShutsDownBothDirections = dice.Chance(300),
            MinPageBytes = dice.Of<int>([1, 50, 1000]),
        };
        SendCapacity = dice.Of<int>([64, 500, 4096, 65536]);
        IsRush = dice.Chance(50);
        InboundPeers = IsRush ? dice.Between(25, 40) : dice.Between(1, 8);
        OutboundPeers = dice.Chance(300) ? dice.Between(1, 3) : 0;
        Interleave = Sometimes(dice, 200);
        PaceUs = IsRush ? 0 : dice.Of<int>([0, 1, 10, 200]);
        StopsEarlyAfterUs = dice.Chance(150) ? dice.Between(1, 3000) : null;
        UnbindsAfterUs = dice.Chance(100) ? dice.Between(1, 1000) : null;
        IsBulky = dice.Chance(100);
        BlockChance = dice.Chance(400) ? dice.Of<int>([20, 100, 400]) : 0;
        MayBlockForEver = dice.Chance(150);
        BreaksRing = BlockChance > 0 && dice.Chance(100);
        WakesBeforeEnd = dice.Chance(500);
        MostPosts = BlockChance > 0 && dice.Chance(50) ? 600 : 1;
        if (BlockChance > 0 && dice.Chance(150))
        {
            StopsEarlyAfterUs ??= dice.Between(1, 3000);
        }

        if (BlockChance > 0 && dice.Chance(200))
        {
            UnbindsAfterUs ??= dice.Between(1, 1000);
        }
    }

    internal KernelFaults Faults { get; }

    internal ReactorOptions Reactor { get; }

    internal RingConnectionOptions Connection { get; }

    internal int SendCapacity { get; }

    /// <summary>Many peers do the same at the same time.</summary>
    internal bool IsRush { get; }

    internal int InboundPeers { get; }

    internal int OutboundPeers { get; }

    /// <summary>Thousandths of the clock readings at which other threads do something.</summary>
    internal int Interleave { get; }

    /// <summary>Longest pause between two things that a peer does, in microseconds.</summary>
    internal int PaceUs { get; }

    /// <summary>The reactor is stopped then, in the middle of everything.</summary>
    internal int? StopsEarlyAfterUs { get; }

    internal int? UnbindsAfterUs { get; }

    /// <summary>Peers send enough to get large buffers.</summary>
    internal bool IsBulky { get; }

    /// <summary>Thousandths of the places of the application at which it blocks the reactor.</summary>
    internal int BlockChance { get; }

    /// <summary>Whether it also waits for what comes with the stop, or never.</summary>
    internal bool MayBlockForEver { get; }

    /// <summary>What comes with the stop may come before the reactor has ended; otherwise it waits for that.</summary>
    internal bool WakesBeforeEnd { get; }

    /// <summary>Callbacks that another thread posts in one go.</summary>
    internal int MostPosts { get; }

    /// <summary>The ring breaks below a blocked handler.</summary>
    internal bool BreaksRing { get; }

    private static int Sometimes(Dice dice, int most) => dice.Chance(500) ? 0 : dice.Between(1, most);
}
