namespace Ioxide.Tests;

/// <summary>A timer runs its callback once for each deadline that passes, and for none that was moved or stopped.</summary>
public class ReactorTimerTests : ReactorTests
{
    [Fact]
    public async Task RunsItsCallbackOnTheReactorOnceAndCanBeSetAgain()
    {
        Reactor reactor = Fixture[0];
        for (int round = 0; round < 3; round++)
        {
            TaskCompletionSource<bool> ran = Waits.Signal<bool>();
            var timer = new ReactorTimer(reactor, state => ran.SetResult(reactor.IsCurrent && ReferenceEquals(state, ran)), ran);
            await reactor.RunAsync(() => timer.Set(TimeSpan.Zero)).Within(20.Seconds());

            // SetResult would throw, and the Fixture report it, if it ran twice.
            Assert.True(await ran.Task.Within(20.Seconds()));
            Assert.False(await reactor.RunAsync(() => timer.IsSet).Within(20.Seconds()));
        }
    }

    [Fact]
    public async Task IsNeverEarly()
    {
        TaskCompletionSource ran = Waits.Signal();
        var timer = new ReactorTimer(Fixture[0], static ran => ((TaskCompletionSource)ran!).SetResult(), ran);
        long started = Environment.TickCount64;
        await Fixture[0].RunAsync(() => timer.Set(60.Milliseconds())).Within(20.Seconds());
        await ran.Task.Within(20.Seconds());

        Assert.True(Environment.TickCount64 - started >= 50, "It ran before its time.");
    }

    [Fact]
    public async Task AStoppedTimerDoesNotRunAlsoWhereItWasDueAlready()
    {
        Reactor reactor = Fixture[0];
        int runs = 0;
        TaskCompletionSource ran = Waits.Signal();
        ReactorTimer[] timers = new ReactorTimer[2];
        for (int index = 0; index < timers.Length; index++)
        {
            int other = 1 - index;
            timers[index] = new ReactorTimer(
                reactor,
                _ =>
                {
                    // Most often both were due in one turn, and the callback of the other is queued by now.
                    runs++;
                    Assert.True(timers[other].IsSet);
                    timers[other].Stop();
                    Assert.False(timers[other].IsSet);
                    ran.SetResult();
                },
                null);
        }

        await reactor.RunAsync(() =>
        {
            foreach (ReactorTimer timer in timers)
            {
                timer.Set(5.Milliseconds());
            }
        }).Within(20.Seconds());
        await ran.Task.Within(20.Seconds());
        await reactor.DelayAsync(20.Milliseconds());

        Assert.Equal(1, runs);
    }

    [Fact]
    public async Task AMovedTimerRunsOnceAtItsLastDeadline()
    {
        Reactor reactor = Fixture[0];
        int runs = 0;
        TaskCompletionSource ran = Waits.Signal();
        var timer = new ReactorTimer(
            reactor,
            _ =>
            {
                runs++;
                ran.TrySetResult();
            },
            null);
        await reactor.RunAsync(() =>
        {
            timer.Set(TimeSpan.FromHours(1));
            timer.Set(1.Milliseconds());
            timer.Set(2.Milliseconds());
            Assert.True(timer.IsSet);
        }).Within(20.Seconds());
        await ran.Task.Within(20.Seconds());
        await reactor.DelayAsync(20.Milliseconds());

        Assert.Equal(1, runs);
    }

    [Fact]
    public async Task IsTheReactorsAlone()
    {
        var timer = new ReactorTimer(Fixture[0], static _ => { }, null);

        Assert.Throws<InvalidOperationException>(() => timer.Set(1.Seconds()));
        Assert.Throws<InvalidOperationException>(timer.Stop);
        Assert.Throws<ArgumentOutOfRangeException>(() => timer.Set(-1.Seconds()));
        Assert.Throws<ArgumentOutOfRangeException>(() => timer.Set(TimeSpan.FromDays(25)));
        Assert.False(timer.IsSet);
    }
}
