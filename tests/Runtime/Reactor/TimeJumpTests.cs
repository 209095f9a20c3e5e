using System.Diagnostics;

namespace Ioxide.Tests;

/// <summary>
/// The clock of the reactors jumps ahead by hours between two readings, as after a suspended virtual machine whose monotonic clock went on.
/// What is due then runs once, what is not does not, and the reactor sleeps again.
/// </summary>
public class TimeJumpTests
{
    private static readonly TimeSpan s_hour = TimeSpan.FromHours(1);

    [Fact]
    public async Task ATimerOfTheTimeJumpedOverRunsOnceAndALaterOneDoesNot()
    {
        var kernel = new JumpingKernel();
        await using ReactorFixture fixture = Start(kernel);
        Reactor reactor = fixture[0];
        int[] runs = new int[3];
        var timers = new ReactorTimer[runs.Length];
        await reactor.RunAsync(() =>
        {
            for (int index = 0; index < timers.Length; index++)
            {
                int own = index;
                timers[index] = new ReactorTimer(reactor, _ => runs[own]++, null);
                timers[index].Set((1 + (9 * index)) * s_hour);
            }
        }).Within(20.Seconds());

        await JumpAsync(reactor, kernel, 2 * s_hour);
        Assert.Equal([1, 0, 0], runs);
        await JumpAsync(reactor, kernel, 9 * s_hour);
        Assert.Equal([1, 1, 0], runs);

        await reactor.RunAsync(timers[^1].Stop).Within(20.Seconds());
        await JumpAsync(reactor, kernel, TimeSpan.FromDays(400));
        Assert.Equal([1, 1, 0], runs);
    }

    [Fact]
    public async Task ADelaySetBehindAJumpLastsAsLongAsItSays()
    {
        var kernel = new JumpingKernel();
        await using ReactorFixture fixture = Start(kernel);
        Reactor reactor = fixture[0];
        await JumpAsync(reactor, kernel, TimeSpan.FromDays(30));
        Task delay = reactor.DelayAsync(s_hour).AsTask();
        await JumpAsync(reactor, kernel, 0.9 * s_hour);
        Assert.False(delay.IsCompleted);
        await JumpAsync(reactor, kernel, 0.2 * s_hour);
        await delay.Within(20.Seconds());
    }

    /// <summary>A timer that sets itself again counts from now: the rounds jumped over do not follow each other.</summary>
    [Fact]
    public async Task AReactorSleepsAgainBehindAJump()
    {
        const int MostTurns = 100;
        var kernel = new JumpingKernel();
        await using ReactorFixture fixture = Start(kernel);
        Reactor reactor = fixture[0];
        int runs = 0;
        ReactorTimer timer = null!; // Set by the next statement, before it runs.
        timer = new ReactorTimer(
            reactor,
            _ =>
            {
                runs++;
                timer.Set(10 * s_hour);
            },
            null);
        await reactor.RunAsync(() => timer.Set(s_hour)).Within(20.Seconds());

        await JumpAsync(reactor, kernel, TimeSpan.FromDays(10));
        long turns = reactor.Snapshot().Turns;
        await Task.Delay(300.Milliseconds());

        Assert.Equal(1, runs);
        Assert.InRange(reactor.Snapshot().Turns - turns, 0, MostTurns);
        await reactor.RunAsync(timer.Stop).Within(20.Seconds());
    }

    private static ReactorFixture Start(JumpingKernel kernel)
        => ReactorFixture.Start(options => (options.ReactorCount, options.PlayedKernel) = (1, kernel));

    /// <summary>Jumps, wakes the reactor, which a real jump does too, and waits until what was due has run.</summary>
    private static async Task JumpAsync(Reactor reactor, JumpingKernel kernel, TimeSpan by)
    {
        kernel.Jump(by);
        for (int turn = 0; turn < 3; turn++)
        {
            await reactor.RunAsync(static () => { }).Within(20.Seconds());
        }
    }

    private sealed class JumpingKernel : Kernel
    {
        private long _offset;

        internal void Jump(TimeSpan by) => Interlocked.Add(ref _offset, (long)(by.TotalSeconds * Stopwatch.Frequency));

        internal override long Timestamp() => base.Timestamp() + Volatile.Read(ref _offset);
    }
}
