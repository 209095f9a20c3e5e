using Ioxide.TestKit;

namespace Ioxide.Simulation;

/// <summary>Whole runs of the HTTP/2 engine from seeds.</summary>
/// <remarks>Takes 13 s in Release: thousands of seeds.</remarks>
public class Http2SeedTests
{
    private const int Count = 5_000;

    [Fact]
    public void ThousandsOfSeedsKeepEveryRuleAndReachEveryMark()
    {
        SeedRun run = SeedRun.OfEnvironment(Scale.Of(Count), Play);
        TestContext.Current.TestOutputHelper?.WriteLine(run.ToString());
        Assert.True(run.Failure is null, run.Failure);
        Assert.Empty(run.MissingMarks);
    }

    /// <summary>Runs in which the engine itself answers are left out: its date is the machine's, and the length of its code varies.</summary>
    [Fact]
    public void ASeedGivesTheSameRunEveryTime()
    {
        const int LeastRuns = 10;
        int runs = 0;
        for (ulong seed = 1; seed <= 50; seed++)
        {
            if (TraceOf(seed) is { } first)
            {
                runs++;
                Assert.Equal(first, TraceOf(seed));
            }
        }

        Assert.True(runs >= LeastRuns, $"{runs} runs");
    }

    private static SeedResult Play(ulong seed)
    {
        using var world = new Http2World(seed);
        world.Run();
        return new SeedResult(world.EventCount, world.Violation, world.Marks);
    }

    private static (ulong Trace, long Events, string? Violation)? TraceOf(ulong seed)
    {
        using var world = new Http2World(seed);
        world.Run();
        return world.Marks.Missing.Contains("handler: throws") ? (world.Trace, world.EventCount, world.Violation) : null;
    }
}
