namespace Ioxide.Tests;

/// <summary>A handler that blocks its reactor is reported while it blocks, and only that reactor.</summary>
public class StallTests
{
    [Fact]
    public async Task ABlockedReactorIsReportedWhileTheOtherGoesOn()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.StallThreshold = 30.Milliseconds());
        using var release = new Blocker();
        TaskCompletionSource<bool> released = Waits.Signal<bool>();
        fixture[0].Post(
            _ =>
            {
                fixture[0].Activity = "a handler that blocks";
                released.SetResult(release.Hold());
                fixture[0].Activity = null;
            },
            null);
        try
        {
            RecordedEvents.Event stalled = await fixture.Events.FirstStallAsync(0, 20.Seconds(), "a handler that blocks");
            Assert.True(stalled.StalledFor >= 30.Milliseconds());
            Assert.False(released.Task.IsCompleted);
            await fixture[1].RunAsync(() => { }).Within(20.Seconds(), "the other reactor goes on");
        }
        finally
        {
            release.Release();
        }

        Assert.True(await released.Task.Within(20.Seconds()));
        await fixture[0].RunAsync(() => { }).Within(20.Seconds(), "the reactor goes on");
        Assert.True(fixture[0].Snapshot().Stalls >= 1);
    }

    [Fact]
    public async Task EachStallIsCountedOnceHoweverOftenItIsLookedAt()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.StallThreshold = 20.Milliseconds());
        using var release = new Blocker();
        TaskCompletionSource<(long StallsBefore, int ReportsBefore)> entered = Waits.Signal<(long, int)>();
        Task blocked = fixture[0].RunAsync(() =>
        {
            entered.SetResult((fixture[0].Snapshot().Stalls, fixture.Events.StallsOf(0).Count));
            return release.Hold();
        });
        (long stallsBefore, int reportsBefore) = await entered.Task.Within(20.Seconds());

        // A stall is told again every second; until then the watchdog has looked some hundred times.
        await Waits.Eventually(() => fixture.Events.StallsOf(0).Count >= reportsBefore + 2, 20.Seconds());

        // On a busy host the turn may have stalled, and been counted, before it came to block.
        Assert.InRange(fixture[0].Snapshot().Stalls, Math.Max(1, stallsBefore), stallsBefore + 1);
        release.Release();
        await blocked.Within(20.Seconds());
    }

    [Fact]
    public async Task AReactorThatSleepsIsNotReported()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.StallThreshold = 20.Milliseconds());
        using var release = new Blocker();
        await fixture[1].RunAsync(() => { }).Within(20.Seconds());
        await Waits.Eventually(() => fixture[1].Clock.Started == 0, 20.Seconds(), "reactor 1 sleeps");
        (long Stalls, int Reports) before = (fixture[1].Snapshot().Stalls, fixture.Events.StallsOf(1).Count);

        // When reactor 0 has been reported twice, reactor 1 has slept as long as the other was blocked.
        Task blocked = fixture[0].RunAsync(() => release.Hold());
        await Waits.Eventually(() => fixture.Events.StallsOf(0).Count >= 2, 20.Seconds());
        release.Release();
        await blocked.Within(20.Seconds());
        Assert.Equal(before, (fixture[1].Snapshot().Stalls, fixture.Events.StallsOf(1).Count));
    }
}
