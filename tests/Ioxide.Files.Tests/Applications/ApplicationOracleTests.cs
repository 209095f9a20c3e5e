namespace Ioxide.Files.Tests;

/// <summary>
/// What goes around the pipeline answers as the pipeline would, in applications that nobody has thought of: a seed makes folders, end points,
/// security, middleware and requests, and each request is asked of stock Kestrel, of the pipeline on the ring and of the front door.
/// </summary>
public class ApplicationOracleTests(ITestOutputHelper output)
{
    private const int ShownCount = 10;

    /// <summary>In fewer applications a feature that is rare may decide nothing by chance.</summary>
    private const int CountOfAllFeatures = 2_000;

    [Fact]
    public async Task EveryPortAnswersLikeStockKestrel()
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        ApplicationRun run = await ApplicationRun.OfEnvironmentAsync();
        output.WriteLine($"{run}\n{run.Features}");
        IEnumerable<string> shown = run.Differences.DistinctBy(static difference => difference.Application.Seed).Take(ShownCount)
            .Select(static difference => $"{difference}");
        Assert.True(run.DifferingCount == 0, $"{run}:\n\n{string.Join('\n', shown)}");
        Assert.InRange(run.DoorCount, run.Count / 2, int.MaxValue);
        Assert.Empty(run.Count < CountOfAllFeatures ? [] : run.Features.Idle);
    }
}
