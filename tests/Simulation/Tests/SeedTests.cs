using Ioxide.TestKit;

namespace Ioxide.Simulation;

/// <summary>Whole runs from seeds.</summary>
/// <remarks>Takes 18 s in Release: thousands of seeds.</remarks>
public class SeedTests
{
    private const int Count = 20_000;

    [Fact]
    public void ThousandsOfSeedsKeepEveryInvariantAndReachEveryMark()
    {
        SeedRun run = SeedRun.OfEnvironment(Scale.Of(Count), Play);
        TestContext.Current.TestOutputHelper?.WriteLine(run.ToString());
        Assert.True(run.Failure is null, run.Failure);
        Assert.Empty(run.MissingMarks);
    }

    [Fact]
    public void ASeedGivesTheSameRunEveryTime()
    {
        for (ulong seed = 1; seed <= 100; seed++)
        {
            Assert.Equal(TraceOf(seed), TraceOf(seed));
        }
    }

    private static SeedResult Play(ulong seed)
    {
        using var world = new World(seed);
        world.Run();
        return new SeedResult(world.EventCount, world.Violation, world.Marks);
    }

    private static (ulong Trace, long Events, string? Violation) TraceOf(ulong seed)
    {
        using var world = new World(seed);
        world.Run();
        return (world.Trace, world.EventCount, world.Violation);
    }
}
