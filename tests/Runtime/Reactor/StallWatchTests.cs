namespace Ioxide.Tests;

/// <summary>When a stall is reported, over times that the test makes up. A tick is a millisecond.</summary>
public class StallWatchTests
{
    private const long Second = 1000;

    [Fact]
    public void AStallOfNineMinutesIsReportedFourteenTimes()
    {
        var watch = new StallWatch(threshold: Second, Second);
        List<long> reports = [];
        List<long> stuck = [];
        for (long now = 1; now <= 540 * Second; now += 10)
        {
            StallChange change = watch.Look(turnStarted: 1, held: now - 1, now);
            Add(reports, change, StallChange.Began | StallChange.Repeated, now);
            Add(stuck, change, StallChange.Stuck, now);
        }

        Assert.Equal([1, 2, 4, 8, 16, 32, 64, 124, 184, 244, 304, 364, 424, 484], reports);
        Assert.Equal([5], stuck);
    }

    [Fact]
    public void TheEndIsToldOnceWithHowLongItLasted()
    {
        var watch = new StallWatch(threshold: Second, Second);
        Assert.Equal(StallChange.Began, watch.Look(turnStarted: 1, held: 1001 - 1, now: 1001));
        Assert.Equal(StallChange.Repeated | StallChange.Stuck, watch.Look(turnStarted: 1, held: 5001 - 1, now: 5001));
        Assert.True(watch.IsStuck);

        Assert.Equal(StallChange.Ended, watch.Look(turnStarted: 7001, held: 99, now: 7100));

        Assert.Equal((7 * Second, false), (watch.Lasted, watch.IsStuck));
        Assert.Equal(StallChange.None, watch.Look(turnStarted: 0, held: 0, now: 9000));
    }

    [Fact]
    public void AReactorThatSleepsOrTurnsIsNoNews()
    {
        var watch = new StallWatch(threshold: Second, Second);
        for (long now = 1; now <= 60 * Second; now += 100)
        {
            Assert.Equal(StallChange.None, watch.Look(turnStarted: 0, held: 0, now));
            Assert.Equal(StallChange.None, watch.Look(turnStarted: Math.Max(1, now - 500), held: 500, now));
        }
    }

    [Fact]
    public void OneStallAfterAnotherIsTheEndOfOneAndTheBeginningOfAnother()
    {
        var watch = new StallWatch(threshold: Second, Second);
        Assert.Equal(StallChange.Began, watch.Look(turnStarted: 1, held: 1001 - 1, now: 1001));

        Assert.Equal(StallChange.Ended | StallChange.Began, watch.Look(turnStarted: 2001, held: 2000, now: 4001));

        Assert.Equal(2 * Second, watch.Lasted);
    }

    [Fact]
    public void AThresholdWithoutEndIsNeverReached()
    {
        var watch = new StallWatch(threshold: long.MaxValue, Second);
        Assert.Equal(StallChange.None, watch.Look(turnStarted: 1, held: long.MaxValue / 2 - 1, now: long.MaxValue / 2));
    }

    private static void Add(List<long> seconds, StallChange change, StallChange wanted, long now)
    {
        if ((change & wanted) != 0)
        {
            seconds.Add(now / Second);
        }
    }
}
