using System.Collections.Concurrent;
using System.Globalization;

namespace Ioxide.Http2.Tests;

/// <summary>Generated handlers on stock Kestrel and on the engine: the client, the handler and the log see the same.</summary>
public class ProgramOracleTests
{
#if DEBUG
    private const int OrdinaryCount = 1000;
#else
    private const int OrdinaryCount = 20_000;
#endif

    private const int MostShown = 20;
    private const int MostRuns = 4;
    private const int Lanes = 4;

    /// <summary>Programs by seed: see <see cref="HandlerProgram"/>. <c>IOXIDE_PROGRAMS=FIRST:COUNT</c> says which.</summary>
    [Fact]
    public async Task ProgramsSeeWhatTheySeeOnKestrel()
    {
        int[] asked = Environment.GetEnvironmentVariable("IOXIDE_PROGRAMS") is { Length: > 0 } text
            ? [.. text.Split(':').Select(static number => int.Parse(number, CultureInfo.InvariantCulture))]
            : [1, OrdinaryCount];
        await using ProgramHost kestrel = await ProgramHost.StartAsync(isEngine: false);
        await using ProgramHost engine = await ProgramHost.StartAsync(isEngine: true);
        ConcurrentBag<string> differences = [];
        await Parallel.ForEachAsync(
            Enumerable.Range(asked[0], asked[1]),
            new ParallelOptions { MaxDegreeOfParallelism = Lanes },
            async (seed, _) =>
            {
                HandlerProgram program = new(seed);
                if (await CompareAsync(kestrel, engine, program) is { } difference)
                {
                    differences.Add($"{program}\n{difference}\n");
                }
            });
        Assert.True(differences.IsEmpty, $"{differences.Count} of {asked[1]} programs differ:\n{string.Join('\n', differences.Take(MostShown))}");
    }

    /// <summary>What a reset overtakes is a matter of time, on both: they differ if several runs of the one have nothing in common with several of the other.</summary>
    private static async Task<string?> CompareAsync(ProgramHost kestrel, ProgramHost engine, HandlerProgram program)
    {
        HashSet<string> expected = [];
        HashSet<string> actual = [];
        for (int run = 0; run < MostRuns; run++)
        {
            _ = expected.Add(await kestrel.RunAsync(program));
            _ = actual.Add(await engine.RunAsync(program));
            if (expected.Overlaps(actual) || expected.Any(theirs => actual.Any(ours => ProgramDifferences.Has(program, theirs, ours))))
            {
                return null;
            }
        }

        return $" Kestrel\n{expected.First()}\n engine\n{actual.First()}";
    }
}
