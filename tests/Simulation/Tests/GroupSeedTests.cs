using Ioxide.TestKit;

namespace Ioxide.Simulation;

/// <summary>Whole runs of a group of 2 to 64 reactors from seeds.</summary>
public class GroupSeedTests
{
    private const int Count = 500;

    [Fact]
    public void HundredsOfSeedsKeepEveryRuleAndReachEveryMark()
    {
        // In Debug a tenth is played, and some marks are rare.
        SeedRun run = SeedRun.OfEnvironment(Math.Max(Scale.Of(Count), 150), Play);
        TestContext.Current.TestOutputHelper?.WriteLine(run.ToString());
        Assert.True(run.Failure is null, run.Failure);
        Assert.Empty(run.MissingMarks);
    }

    [Fact]
    public void ASeedGivesTheSameRunEveryTime()
    {
        for (ulong seed = 1; seed <= 20; seed++)
        {
            Assert.Equal(TraceOf(seed), TraceOf(seed));
        }
    }

    private static SeedResult Play(ulong seed)
    {
        using var world = new GroupWorld(seed);
        world.Run();
        return new SeedResult(world.EventCount, world.Violation, world.Marks);
    }

    private static (ulong Trace, long Events, string? Violation) TraceOf(ulong seed)
    {
        using var world = new GroupWorld(seed);
        world.Run();
        return (world.Trace, world.EventCount, world.Violation);
    }
}
