using System.Collections.Concurrent;
using System.Globalization;

namespace Ioxide.Http2.Tests;

/// <summary>
/// Generated handlers on stock Kestrel and on the engine, and over HTTP/1.1 on sockets and on the ring: the client, the handler and the log see the same.
/// </summary>
/// <remarks>
/// <see cref="HandlerProgram"/> says what a seed draws. <c>IOXIDE_PROGRAMS=FIRST:COUNT</c> says which seeds run in each <see cref="ProgramPlace"/>, and
/// <c>-method '*Http1OverTlsSees*'</c> chooses the place.
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
    private const int MostRuns = 4;
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
        => CompareAsync(new ProgramPlace(), [157532, 174897, 181924, 199437, 204866, 217334, 232257, 264660, 275541, 538850, 567536, 776238, 780314, 783355]);

    private static Task CompareAsync(ProgramPlace place, int share)
    {
        int[] asked = Environment.GetEnvironmentVariable("IOXIDE_PROGRAMS") is { Length: > 0 } text
            ? [.. text.Split(':').Select(static number => int.Parse(number, CultureInfo.InvariantCulture))]
            : [1, OrdinaryCount * share / Shares];
        return CompareAsync(place, [.. Enumerable.Range(asked[0], asked[1])]);
    }

    private static async Task CompareAsync(ProgramPlace place, int[] seeds)
    {
        await using ProgramHost stock = await ProgramHost.StartAsync(place, isOurs: false);
        await using ProgramHost ours = await ProgramHost.StartAsync(place, isOurs: true);
        ConcurrentBag<string> differences = [];
        await Parallel.ForEachAsync(
            seeds,
            new ParallelOptions { MaxDegreeOfParallelism = Lanes },
            async (seed, _) =>
            {
                HandlerProgram program = new(seed);
                if (await CompareAsync(stock, ours, program) is { } difference)
                {
                    differences.Add($"{program}{(place.HasMiddleware ? $"; behind {place.Middleware(program)}" : "")}\n{difference}\n");
                }
            });
        // Where nothing has an end, nothing is compared.
        Assert.True(stock.WithoutEnd <= MostRuns + (seeds.Length / 10), $"{place}: {stock.WithoutEnd} of {seeds.Length} programs have no end");
        TestContext.Current.TestOutputHelper?.WriteLine($"{place}: {stock.WithoutEnd} and {ours.WithoutEnd} runs without an end");
        Assert.True(
            differences.IsEmpty, $"{place}: {differences.Count} of {seeds.Length} programs differ:\n{string.Join('\n', differences.Take(MostShown))}");
    }

    /// <summary>What a reset overtakes is a matter of time, on both: they differ if several runs of the one have nothing in common with several of the other.</summary>
    private static async Task<string?> CompareAsync(ProgramHost stock, ProgramHost ours, HandlerProgram program)
    {
        HashSet<string> expected = [];
        HashSet<string> actual = [];
        for (int run = 0; run < MostRuns; run++)
        {
            _ = expected.Add(await stock.RunAsync(program));
            _ = actual.Add(await ours.RunAsync(program));
            if (expected.Overlaps(actual) || expected.Any(theirs => actual.Any(seen => ProgramDifferences.Has(stock.Place, program, theirs, seen))))
            {
                return null;
            }
        }

        return $" Kestrel\n{expected.First()}\n Ioxide\n{actual.First()}";
    }
}
