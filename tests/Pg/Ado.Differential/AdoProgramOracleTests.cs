using System.Collections.Concurrent;
using System.Globalization;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>Programs of ADO.NET that a seed draws answer as on Npgsql: values, counts, exceptions by kind, states, events and the rows that are left.</summary>
/// <remarks>Takes 10 s: a thousand programs on two drivers in Release.</remarks>
public class AdoProgramOracleTests(ITestOutputHelper output) : PgTests(TestDatabase.OneReactor)
{
#if DEBUG
    private const int Count = 300;
#else
    private const int Count = 1_000;
#endif
    private const int MaxShown = 12;

    // Most of a program's time is the server's.
    private const int Workers = 4;

    [Fact]
    public async Task EveryProgramAnswersAsOnNpgsql()
    {
        (int first, int count) = Range();
        if (count == 1)
        {
            output.WriteLine(AdoProgram.Of(first).ToString());
        }

        var differences = new ConcurrentBag<AdoDifference>();
        var known = new ConcurrentDictionary<string, int>();
        await Task.WhenAll(Enumerable.Range(0, Workers).Select(worker => Task.Run(async () =>
        {
            await using AdoPair pair = await AdoPair.CreateAsync(Fixture, worker);
            for (int seed = first + worker; seed < first + count; seed += Workers)
            {
                AdoDifference? compared;
                try
                {
                    compared = await pair.CompareAsync(AdoProgram.Of(seed));
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

                if (AdoDifferences.ReasonOf(difference) is { } reason)
                {
                    known.AddOrUpdate(reason, 1, static (_, times) => times + 1);
                    continue;
                }

                differences.Add(differences.Count < MaxShown ? await pair.ShrinkAsync(difference) : difference);
            }
        })));

        output.WriteLine($"{count} programs\n{string.Join('\n', known.OrderByDescending(static pair => pair.Value).Select(static pair => $"{pair.Value,6} {pair.Key}"))}");
        // Of connections whose string a program has changed.
        await ProcessReactors.StopAsync();
        string shown = $"{differences.Count} of {count} programs differ.\n{string.Join('\n', differences.GroupBy(static one => one.Kind).OrderByDescending(static group => group.Count()).Select(static group => $"{group.Count(),6} {group.Key}"))}\n\n{string.Join("\n\n", differences.Take(MaxShown))}";
        output.WriteLine(differences.IsEmpty ? "" : shown);
        Assert.True(differences.IsEmpty, shown);
    }

    [Fact]
    public void ASeedIsTheSameProgramEachTime()
    {
        Assert.Equal(AdoProgram.Of(7).ToString(), AdoProgram.Of(7).ToString());
        Assert.NotEqual(AdoProgram.Of(7).ToString(), AdoProgram.Of(8).ToString());
    }

    /// <summary><c>IOXIDE_ADO=FIRST:COUNT</c> chooses others.</summary>
    private static (int First, int Count) Range()
    {
        string[] parts = (Environment.GetEnvironmentVariable("IOXIDE_ADO") ?? $"1:{Count}").Split(':');
        return (int.Parse(parts[0], CultureInfo.InvariantCulture), int.Parse(parts[1], CultureInfo.InvariantCulture));
    }
}
