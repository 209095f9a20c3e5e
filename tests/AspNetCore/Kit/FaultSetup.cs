using System.Globalization;
using Ioxide.TestKit;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Faults under each Ioxide transport of the run, where the environment asks for them.</summary>
/// <remarks>A server's faults follow from the run's seed and its test's name: one test alone meets the same.</remarks>
internal static class FaultSetup
{
    /// <summary>The seed, or <c>random</c>. It is printed at the start, what was injected at the end.</summary>
    private const string Variable = "IOXIDE_TEST_FAULTS";

    private static readonly FaultCounts s_counts = new();
    private static readonly ulong? s_seed = TakeSeed();

    internal static bool IsOn => s_seed is not null;

    /// <summary>What a new server runs on in place of the kernel that it asks for, or null.</summary>
    internal static Kernel? NewKernel()
    {
        if (s_seed is not { } seed)
        {
            return null;
        }

        ulong own = seed;
        foreach (char letter in TestContext.Current.Test?.TestDisplayName ?? "")
        {
            own = (own ^ letter) * 0x100000001B3;
        }

        return new FaultyKernel(own, FaultRates.Everyday(own), s_counts);
    }

    private static ulong? TakeSeed()
    {
        if (Environment.GetEnvironmentVariable(Variable) is not { Length: > 0 } value)
        {
            return null;
        }

        ulong seed = value == "random" ? (uint)Random.Shared.Next() : ulong.Parse(value, CultureInfo.InvariantCulture);
        Console.WriteLine($"{Variable}={seed}");
        AppDomain.CurrentDomain.ProcessExit += (_, _) =>
            Console.WriteLine($"{Variable}={seed}: {s_counts.Total} faults were injected: {s_counts}");
        return seed;
    }
}
