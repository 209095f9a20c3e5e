namespace Ioxide.TestKit;

/// <summary>Numbers that a seed repeats (splitmix64). Threads: one at a time.</summary>
internal sealed class FaultDice(ulong seed)
{
    private ulong _state = seed;

    /// <summary>A number from 0 to <paramref name="bound"/> - 1.</summary>
    internal int Below(int bound) => (int)(Next() % (uint)bound);

    /// <summary>True in so many of 1,000 throws.</summary>
    internal bool Hits(int perMille) => perMille > 0 && Below(1000) < perMille;

    internal ulong Next()
    {
        _state += 0x9E3779B97F4A7C15;
        ulong bits = _state;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
        return bits ^ (bits >> 31);
    }
}
