using System.Globalization;

namespace Ioxide.Pg.Tests;

/// <summary>What a random test begins with. Each prints it, and repeats it where <c>IOXIDE_TEST_SEED</c> names one.</summary>
internal static class TestSeed
{
    internal static int Next()
        => Environment.GetEnvironmentVariable("IOXIDE_TEST_SEED") is { Length: > 0 } seed
            ? int.Parse(seed, CultureInfo.InvariantCulture)
            : Random.Shared.Next();
}
