using System.Collections.Concurrent;
using System.Globalization;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>Programs of ADO.NET that a seed draws answer as on Npgsql: values, counts, exceptions by kind, states, events and the rows that are left.</summary>
/// <remarks>Takes 10 s: a thousand programs on two drivers in Release.</remarks>
public class AdoProgramOracleTests(ITestOutputHelper output) : PgTests(TestDatabase.OneReactor)
{
    private const int FullCount = 1_000;
#if DEBUG
    private const int Count = 300;
#else
    private const int Count = FullCount;
#endif
    private const int MaxShown = 12;

    // Most of a program's time is the server's.
    private const int Workers = 4;

    [Fact]
    public async Task EveryProgramAnswersAsOnNpgsql()
    {
        int[] seeds = Seeds();
        if (seeds is [int only])
        {
            output.WriteLine(AdoProgram.Of(only).ToString());
        }

        var differences = new ConcurrentBag<AdoDifference>();
        var known = new ConcurrentDictionary<AdoRule, int>();
        await Task.WhenAll(Enumerable.Range(0, Workers).Select(worker => Task.Run(async () =>
        {
            await using AdoPair pair = await AdoPair.CreateAsync(Fixture, worker);
            foreach (int seed in seeds.Where((_, index) => index % Workers == worker))
            {
                AdoDifference? compared;
                try
                {
                    compared = await pair.CompareAsync(AdoProgram.Of(seed), Note);
                }
                catch (Exception exception)
                {
                    // What is left open behind it would hide it.
                    output.WriteLine($"{AdoProgram.Of(seed)}\n{exception}");
                    throw;
                }

                if (compared is not { } difference)
                {
                    continue;
                }

                if (AdoDifferences.Of(difference) is { } reason)
                {
                    Note(reason);
                    continue;
                }

                differences.Add(differences.Count < MaxShown ? await pair.ShrinkAsync(difference) : difference);
            }
        })));

        output.WriteLine($"{seeds.Length} programs\n{string.Join('\n', known.OrderByDescending(static pair => pair.Value).Select(static pair => $"{pair.Value,6} {pair.Key.Reason}"))}");

        // Of connections whose string a program has changed.
        await ProcessReactors.StopAsync();
        string shown = $"{differences.Count} of {seeds.Length} programs differ.\n{string.Join('\n', differences.GroupBy(static one => one.Kind).OrderByDescending(static group => group.Count()).Select(static group => $"{group.Count(),6} {group.Key}"))}\n\n{string.Join("\n\n", differences.Take(MaxShown))}";
        output.WriteLine(differences.IsEmpty ? "" : shown);
        Assert.True(differences.IsEmpty, shown);
        if (seeds.Length >= FullCount && seeds[0] == 1)
        {
            // A reason that nothing needs any more would excuse what comes later.
            string[] unmet = [.. AdoDifferences.All.Where(rule => !rule.IsRare && !known.ContainsKey(rule)).Select(static rule => rule.Reason)];
            Assert.True(unmet.Length == 0, $"No program met:\n{string.Join('\n', unmet)}");
        }

        void Note(AdoRule rule) => known.AddOrUpdate(rule, 1, static (_, times) => times + 1);
    }

    [Fact]
    public void ASeedIsTheSameProgramEachTime()
    {
        Assert.Equal(AdoProgram.Of(7).ToString(), AdoProgram.Of(7).ToString());
        Assert.NotEqual(AdoProgram.Of(7).ToString(), AdoProgram.Of(8).ToString());
    }

    /// <summary><c>IOXIDE_ADO=FIRST:COUNT</c> chooses others.</summary>
    private static int[] Seeds()
    {
        if (Environment.GetEnvironmentVariable("IOXIDE_ADO") is not { } asked)
        {
            return [.. Enumerable.Range(1, Count), .. AdoDifferences.All.Select(static rule => rule.Seed).OfType<int>()];
        }

        int[] range = [.. asked.Split(':').Select(static number => int.Parse(number, CultureInfo.InvariantCulture))];
        return [.. Enumerable.Range(range[0], range[1])];
    }
}
