namespace Ioxide.Simulation;

/// <summary>Every decision of a run: one seed, one sequence, on every machine (SplitMix64).</summary>
internal sealed class Dice(ulong seed)
{
    private ulong _state = seed;

    internal ulong Next()
    {
        ulong mixed = _state += 0x9E3779B97F4A7C15;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
        return mixed ^ (mixed >> 31);
    }

    /// <summary>From 0 to <paramref name="bound"/> - 1.</summary>
    internal int Below(int bound) => (int)(((Next() >> 32) * (ulong)bound) >> 32);

    /// <summary>Both ends included.</summary>
    internal int Between(int least, int most) => least + Below(most - least + 1);

    internal bool Chance(int perMille) => perMille > 0 && Below(1000) < perMille;

    internal T Of<T>(ReadOnlySpan<T> choices) => choices[Below(choices.Length)];
}
