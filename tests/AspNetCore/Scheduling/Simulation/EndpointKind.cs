namespace Ioxide.AspNetCore.Tests;

/// <summary>What the handler of a simulated endpoint does.</summary>
internal enum EndpointKind
{
    /// <summary>Always well below a millisecond.</summary>
    Quick,

    /// <summary>Blocks 20 to 200 ms in each run, before its first await.</summary>
    Slow,

    /// <summary>Blocks in each run from the second minute on, behind an await.</summary>
    BecomesSlow,

    /// <summary>One template for many things: one run of 20 blocks.</summary>
    Mixed,

    /// <summary>One run of 2,000 blocks.</summary>
    RarelySlow,

    /// <summary>Blocks for 2 s of every 30, and is quick otherwise.</summary>
    Bursts,
}
