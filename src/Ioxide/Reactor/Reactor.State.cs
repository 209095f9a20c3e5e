namespace Ioxide;

/// <summary>What others see of a reactor.</summary>
public sealed partial class Reactor
{
    /// <summary>A reactor is stuck when it has not turned for this many times <see cref="ReactorOptions.StallThreshold"/>.</summary>
    internal const int StuckFactor = 5;

    private volatile bool _isStuck;

    internal ReactorCounters Counters { get; } = new();

    internal ReactorLoad Load { get; }

    /// <summary>Posted work that has not run yet. A reading from another thread is a snapshot.</summary>
    internal int QueuedWork => _work.Count;

    internal long Stalls { get; set; }

    /// <summary>The reactor has not turned for so long that others accept its new connections. Set by the watchdog; read by any thread.</summary>
    internal bool IsStuck
    {
        get => _isStuck;
        set => _isStuck = value;
    }

    /// <summary>Reads the counters. Threads: any.</summary>
    public ReactorSnapshot Snapshot() => ReactorSnapshot.Of(this);
}
