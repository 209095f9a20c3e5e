using Ioxide.TestKit;

namespace Ioxide.Tests;

/// <summary>A handler that blocks its reactor is reported while it blocks, and only that reactor.</summary>
public class StallTests
{
    [Fact]
    public async Task ABlockedReactorIsReportedWhileTheOtherGoesOn()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.StallThreshold = 30.Milliseconds());
        using var release = new ManualResetEventSlim();
        TaskCompletionSource<bool> released = Waits.Signal<bool>();
        fixture[0].Post(
            _ =>
            {
                fixture[0].Activity = "a handler that blocks";
                released.SetResult(release.Wait(60.Seconds()));
                fixture[0].Activity = null;
            },
            null);
        try
        {
            RecordedEvents.Event stalled = await fixture.Events.FirstAsync(RecordedEvents.Kind.Stalled, 20.Seconds());
            Assert.Equal((0, "a handler that blocks"), (stalled.ReactorId, stalled.Activity));
            Assert.True(stalled.StalledFor >= 30.Milliseconds());
            Assert.False(released.Task.IsCompleted);
            await fixture[1].RunAsync(() => { }).Within(20.Seconds(), "the other reactor goes on");
        }
        finally
        {
            release.Set();
        }

        Assert.True(await released.Task.Within(20.Seconds()));
        await fixture[0].RunAsync(() => { }).Within(20.Seconds(), "the reactor goes on");
        Assert.True(fixture[0].Snapshot().Stalls >= 1);
    }

    [Fact]
    public async Task EachStallIsCountedOnceHoweverOftenItIsLookedAt()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.StallThreshold = 20.Milliseconds());
        using var release = new ManualResetEventSlim();
        Task blocked = fixture[0].RunAsync(() => release.Wait(60.Seconds()));

        // A stall is told again every second; until then the watchdog has looked some hundred times.
        await Waits.Eventually(
            () => fixture.Events.Of(RecordedEvents.Kind.Stalled).Count(report => report.ReactorId == 0) >= 2, 20.Seconds());
        Assert.Equal(1, fixture[0].Snapshot().Stalls);
        release.Set();
        await blocked.Within(20.Seconds());
    }

    [Fact]
    public async Task AReactorThatSleepsIsNotReported()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.StallThreshold = 20.Milliseconds());
        using var release = new ManualResetEventSlim();
        await fixture[1].RunAsync(() => { }).Within(20.Seconds());
        await Waits.Eventually(() => fixture[1].TurnStarted == 0, 20.Seconds(), "reactor 1 sleeps");

        // When the report for reactor 0 comes, reactor 1 has slept as long as the other was blocked.
        Task blocked = fixture[0].RunAsync(() => release.Wait(60.Seconds()));
        await fixture.Events.FirstAsync(RecordedEvents.Kind.Stalled, 20.Seconds());
        release.Set();
        await blocked.Within(20.Seconds());
        Assert.Equal(0, fixture[1].Snapshot().Stalls);
    }
}
