using System.Diagnostics;

namespace Ioxide.Tests;

/// <summary>A reactor that has no processor is neither stalled nor stuck, and says what it lacks. One that blocks or computes is both.</summary>
/// <remarks>
/// The reactor's thread gets a twentieth of a processor and needs a given processor time, so that its turn lasts about twenty times as long. What
/// the tests compare is the processor time, whatever else the machine does.
/// Takes 5 s: a twentieth of a processor makes each turn twenty times as long.
/// </remarks>
public class ShortageTests
{
    private static readonly TimeSpan s_threshold = 300.Milliseconds();

    [Fact]
    public async Task ATurnWithoutAProcessorIsNobodysStall()
    {
        using CpuGroup quota = Group(processors: 0.05);
        await using ReactorFixture fixture = Start();
        TimeSpan lasted = await InGroupAsync(fixture[0], quota, () => Compute(s_threshold / 3));

        RecordedEvents.Event shortage = await fixture.Events.FirstAsync(RecordedEvents.Kind.ShortOfProcessor, 20.Seconds());
        Assert.True(lasted > 4 * s_threshold, $"The turn took {lasted}: the quota had no effect.");
        Assert.Empty(fixture.Events.StallsOf(0));
        Assert.Empty(fixture.Events.Of(RecordedEvents.Kind.Stuck));
        Assert.True(shortage.StalledFor >= s_threshold);
        Assert.InRange(shortage.ProcessorTime, TimeSpan.Zero, shortage.StalledFor / 2);
        Assert.Single(fixture.Events.Of(RecordedEvents.Kind.ShortOfProcessor));

        // The loop samples at most every 100 ms.
        await Waits.Eventually(
            () =>
            {
                fixture[0].RunAsync(static () => { }).GetAwaiter().GetResult();
                return fixture[0].Snapshot().TotalProcessorWait >= lasted / 2;
            },
            20.Seconds());
    }

    [Fact]
    public async Task WhileItHasNoProcessorAReadingSaysSo()
    {
        using CpuGroup quota = Group(processors: 0.02);
        await using ReactorFixture fixture = Start();
        ReactorSnapshot? seen = null;
        Task<TimeSpan> turn = InGroupAsync(fixture[0], quota, () => Compute(s_threshold / 3));
        while (!turn.IsCompleted)
        {
            ReactorSnapshot now = fixture[0].Snapshot();
            seen = now.ProcessorWait > (seen?.ProcessorWait ?? TimeSpan.Zero) ? now : seen;
            await Task.Delay(5);
        }

        await turn;
        Assert.NotNull(seen);
        Assert.True(seen.ProcessorWait > s_threshold, $"waited {seen.ProcessorWait} of {seen.TurnTime}");
        Assert.True(seen.HeldTime < s_threshold, $"held for {seen.HeldTime} of {seen.TurnTime}");
    }

    [Theory, AllValues]
    public async Task ComputingAndSleepingAreStallsInAGroupToo(bool computes)
    {
        using CpuGroup quota = Group(processors: computes ? 0.5 : 0.05);
        await using ReactorFixture fixture = Start();
        Action work = computes ? static () => Compute(10.Milliseconds()) : static () => Thread.Sleep(50);
        await InGroupAsync(
            fixture[0], quota, () => Until(() => fixture.Events.Of(RecordedEvents.Kind.Stuck).Any(static each => each.ReactorId == 0), work));
        Assert.NotEmpty(fixture.Events.StallsOf(0));
    }

    private static CpuGroup Group(double processors)
    {
        CpuGroup? group = CpuGroup.Make(processors, out string missing);
        Assert.SkipWhen(group is null, missing);
        if (!group!.TakesThreads)
        {
            group.Dispose();
            Assert.Skip("control groups of version 1, which take single threads");
        }

        return group;
    }

    private static ReactorFixture Start() => ReactorFixture.Start(options =>
    {
        options.ReactorCount = 1;
        options.StallThreshold = s_threshold;
    });

    /// <summary>Runs the code in a turn of its own, in the group, and gives how long it took.</summary>
    private static Task<TimeSpan> InGroupAsync(Reactor reactor, CpuGroup quota, Action code) => reactor.RunAsync(() =>
    {
        CpuGroup.Membership membership = quota.AddCallingThread();
        try
        {
            long started = Stopwatch.GetTimestamp();
            code();
            return Stopwatch.GetElapsedTime(started);
        }
        finally
        {
            membership.Leave();
        }
    }).Within(120.Seconds());

    private static void Compute(TimeSpan processorTime)
    {
        using var schedule = new ThreadSchedule();
        TimeSpan end = schedule.Read().Running + processorTime;
        while (schedule.Read().Running < end)
        {
        }
    }

    private static void Until(Func<bool> condition, Action step)
    {
        long started = Stopwatch.GetTimestamp();
        while (!condition())
        {
            Assert.True(Stopwatch.GetElapsedTime(started) < 60.Seconds(), "The reactor does not count as stuck.");
            step();
        }
    }
}
