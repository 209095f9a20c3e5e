using System.Globalization;

namespace Ioxide.Tests;

/// <summary>Seeds of random tests: another one each run, printed; <c>IOXIDE_SEED</c> repeats a run.</summary>
internal static class Seed
{
    internal static int Print()
    {
        string? given = Environment.GetEnvironmentVariable("IOXIDE_SEED");
        int seed = given is null ? Environment.TickCount & 0xFFFFFF : int.Parse(given, CultureInfo.InvariantCulture);
        TestContext.Current.TestOutputHelper?.WriteLine($"IOXIDE_SEED={seed}");
        return seed;
    }
}
