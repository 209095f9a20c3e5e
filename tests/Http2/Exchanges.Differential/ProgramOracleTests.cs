using System.Collections.Concurrent;
using System.Globalization;

namespace Ioxide.Http2.Tests;

/// <summary>
/// Generated handlers on stock Kestrel and on the engine, and over HTTP/1.1 on sockets and on the ring: the client, the handler and the log see the same.
/// </summary>
/// <remarks>
/// <see cref="HandlerProgram"/> says what a seed draws. Ioxide runs each program once. What its one run gives must be what stock gives in one of a few
/// runs, but for <see cref="ProgramDifferences"/> and <see cref="TransportDifferences"/>, each of which must be met.
/// <c>IOXIDE_PROGRAMS=FIRST:COUNT</c> says which seeds run in each <see cref="ProgramPlace"/>, and <c>-method '*Http1OverTlsSees*'</c> chooses the place.
/// Takes up to 8 s: some hundred programs in each place in Release.
/// </remarks>
public class ProgramOracleTests
{
#if DEBUG
    private const int OrdinaryCount = 1000;
#else
    private const int OrdinaryCount = 6_000;
#endif

    private const int MostShown = 20;
    private const int MostStockRuns = 4;
    private const int Lanes = 4;
    private const int Shares = 20;

    [Fact]
    public Task Http2SeesWhatItSeesOnKestrel() => CompareAsync(new ProgramPlace(), share: 10);

    [Fact]
    public Task Http2OverTlsSeesWhatItSeesOnKestrel() => CompareAsync(new ProgramPlace(IsTls: true), share: 3);

    [Fact]
    public Task Http2BehindMiddlewareSeesWhatItSeesOnKestrel() => CompareAsync(new ProgramPlace(HasMiddleware: true), share: 2);

    [Fact]
    public Task Http1SeesWhatItSeesOnSockets() => CompareAsync(new ProgramPlace(IsHttp1: true), share: 3);

    [Fact]
    public Task Http1OverTlsSeesWhatItSeesOnSockets() => CompareAsync(new ProgramPlace(IsHttp1: true, IsTls: true), share: 1);

    [Fact]
    public Task Http1BehindMiddlewareSeesWhatItSeesOnSockets() => CompareAsync(new ProgramPlace(IsHttp1: true, HasMiddleware: true), share: 1);

    /// <summary>Seeds beyond those above that once showed a difference, which is mended or on the list.</summary>
    [Fact]
    public Task ProgramsThatDifferedOnceDoNoMore()
        => CompareAsync(
            new ProgramPlace(),
            [157532, 174897, 181924, 199437, 204866, 217334, 232257, 264660, 275541, 538850, 567536, 776238, 780314, 783355],
            mustMeet: []);

    private static Task CompareAsync(ProgramPlace place, int share)
    {
        if (Environment.GetEnvironmentVariable("IOXIDE_PROGRAMS") is { Length: > 0 } text)
        {
            int[] asked = [.. text.Split(':').Select(static number => int.Parse(number, CultureInfo.InvariantCulture))];
            return CompareAsync(place, [.. Enumerable.Range(asked[0], asked[1])], mustMeet: []);
        }

        // Each difference that is allowed here has a program that shows it. Those come first, because one of them waits.
        ProgramExcuse[] mustMeet = [.. Allowed(place).Where(excuse => !place.HasMiddleware && excuse.IsTls == place.IsTls)];
        return CompareAsync(
            place, [.. mustMeet.Select(static excuse => excuse.Seed).Union(Enumerable.Range(1, OrdinaryCount * share / Shares))], mustMeet);
    }

    private static IReadOnlyList<ProgramExcuse> Allowed(ProgramPlace place) => place.IsHttp1 ? TransportDifferences.All : ProgramDifferences.All;

    private static async Task CompareAsync(ProgramPlace place, int[] seeds, ProgramExcuse[] mustMeet)
    {
        await using ProgramHost stock = await ProgramHost.StartAsync(place, isOurs: false);
        await using ProgramHost ours = await ProgramHost.StartAsync(place, isOurs: true);
        ConcurrentBag<(ProgramExcuse Excuse, bool IsNeeded)> met = [];
        ConcurrentBag<string> differences = [];
        await Parallel.ForEachAsync(
            seeds,
            new ParallelOptions { MaxDegreeOfParallelism = Lanes },
            async (seed, _) =>
            {
                HandlerProgram program = new(seed, place.IsHttp1);
                if (await CompareAsync(stock, ours, program, met) is { } difference)
                {
                    differences.Add($"{program}{(place.HasMiddleware ? $"; behind {place.Middleware(program)}" : "")}\n{difference}\n");
                }
            });
        foreach (ProgramExcuse excuse in Allowed(place))
        {
            int count = met.Count(one => one.Excuse == excuse);
            int needed = met.Count(one => one.Excuse == excuse && one.IsNeeded);
            TestContext.Current.TestOutputHelper?.WriteLine($"{place}: {excuse.Name}: met by {count} of {seeds.Length}, needed by {needed}");
        }

        Assert.True(
            differences.IsEmpty, $"{place}: {differences.Count} of {seeds.Length} programs differ:\n{string.Join('\n', differences.Take(MostShown))}");
        Assert.Empty(mustMeet.Except(met.Select(static one => one.Excuse)).Select(static excuse => excuse.Name));
    }

    /// <summary>What a reset overtakes is a matter of time on stock, which may run again.</summary>
    private static async Task<string?> CompareAsync(ProgramHost stock, ProgramHost ours, HandlerProgram program, ConcurrentBag<(ProgramExcuse Excuse, bool IsNeeded)> met)
    {
        ProgramSeen expected = await stock.RunAsync(program, stock: null);
        ProgramSeen actual = await ours.RunAsync(program, expected);
        string first = expected.Text;
        for (int run = 1; actual.HasEnd && !actual.Text.Contains(ProgramAnswer.Malformed, StringComparison.Ordinal); run++)
        {
            ProgramCase seen = new(stock.Place, program, expected.Text, actual.Text, actual.IsElsewhere);
            if (ProgramExcuse.Needed(Allowed(stock.Place), seen) is { } needed)
            {
                foreach (ProgramExcuse excuse in needed.Union(Allowed(stock.Place).Where(open => open.IsCase?.Invoke(seen) == true)))
                {
                    met.Add((excuse, needed.Contains(excuse)));
                }

                return null;
            }

            if (run == MostStockRuns)
            {
                break;
            }

            expected = await stock.RunAsync(program, stock: null, run + 1);
        }

        return $" Kestrel\n{first}\n Ioxide\n{actual.Text}";
    }
}
