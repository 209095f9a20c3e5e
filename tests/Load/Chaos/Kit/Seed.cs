using System.Globalization;

namespace Ioxide.Chaos;

/// <summary>Seeds of random tests: another one each run, printed; <c>IOXIDE_SEED</c> repeats a run.</summary>
internal static class Seed
{
    internal static int Print()
    {
        string? given = Environment.GetEnvironmentVariable("IOXIDE_SEED");
        int seed = given is null ? Environment.TickCount & 0xFFFFFF : int.Parse(given, CultureInfo.InvariantCulture);
        Figures.Print($"IOXIDE_SEED={seed}");
        return seed;
    }

    /// <summary>The key of one connection of a run: no two connections of any test share one.</summary>
    internal static long KeyOf(int seed, int index) => ((long)seed << 32) | (uint)index;
}
