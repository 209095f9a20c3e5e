namespace Ioxide.Simulation;

/// <summary>Whole runs of the HTTP/2 engine from seeds.</summary>
public class Http2SeedTests
{
#if DEBUG
    private const int Count = 1_000;
#else
    private const int Count = 10_000;
#endif

    [Fact]
    public void ThousandsOfSeedsKeepEveryRuleAndReachEveryMark()
    {
        SeedRun run = SeedRun.OfEnvironment(Count, Play);
        TestContext.Current.TestOutputHelper?.WriteLine(run.ToString());
        Assert.True(run.Failure is null, run.Failure);
        Assert.Empty(run.Marks.Missing);
    }

    [Fact]
    public void ASeedGivesTheSameRunEveryTime()
    {
        for (ulong seed = 1; seed <= 50; seed++)
        {
            ((ulong Trace, long Events, string? Violation) First, (ulong Trace, long Events, string? Violation) Second) runs;
            long second;
            do
            {
                // The engine's own answers have the machine's date, and the length of its code varies.
                second = DateTime.UtcNow.Ticks / TimeSpan.TicksPerSecond;
                runs = (TraceOf(seed), TraceOf(seed));
            }
            while (second != DateTime.UtcNow.Ticks / TimeSpan.TicksPerSecond);
            Assert.Equal(runs.First, runs.Second);
        }
    }

    private static SeedResult Play(ulong seed)
    {
        using var world = new Http2World(seed);
        world.Run();
        return new SeedResult(world.EventCount, world.Violation, world.Marks);
    }

    private static (ulong Trace, long Events, string? Violation) TraceOf(ulong seed)
    {
        using var world = new Http2World(seed);
        world.Run();
        return (world.Trace, world.EventCount, world.Violation);
    }
}
