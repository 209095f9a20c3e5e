using System.Diagnostics;

namespace Ioxide.Tests;

/// <summary>How the time of a turn is split, over a clock and a thread that the test makes up. All times are milliseconds.</summary>
public sealed class TurnClockTests : IDisposable
{
    private readonly ManualKernel _kernel = new();
    private readonly TurnClock _clock;

    public TurnClockTests()
    {
        _clock = new TurnClock(_kernel);
        _clock.Open();
        Pass(1000, running: 10);
        _clock.Begin(_kernel.Timestamp());
    }

    public void Dispose() => _clock.Dispose();

    [Fact]
    public void ComputingHoldsTheReactorUp()
    {
        Pass(2000, running: 2000);
        Expect(lasted: 2000, running: 2000);
    }

    [Fact]
    public void SleepingHoldsTheReactorUp()
    {
        Pass(2000, running: 5);
        Expect(isAsleep: true, lasted: 2000, running: 5, blocked: 1995);
    }

    [Fact]
    public void AWaitForAProcessorThatIsNotOverYetIsNobodys()
    {
        // The kernel adds it when the thread runs again.
        Pass(2000, running: 100);
        Expect(lasted: 2000, running: 100, waiting: 1900);
    }

    [Fact]
    public void AWaitForAProcessorThatIsOverIsNobodys()
    {
        Pass(2000, running: 100, waiting: 1900);
        Expect(lasted: 2000, running: 100, waiting: 1900);
        Pass(100, running: 100);
        Expect(lasted: 2100, running: 200, waiting: 1900);
    }

    [Fact]
    public void AWaitIsNotCountedTwiceWhenTheKernelAddsIt()
    {
        Pass(200);
        Expect(lasted: 200, waiting: 200);
        Pass(50, waiting: 250);
        Pass(200);
        Expect(isAsleep: true, lasted: 450, blocked: 200, waiting: 250);
    }

    [Fact]
    public void ASleepThatWasSeenStandsWhileTheThreadWaitsForAProcessor()
    {
        Pass(1000);
        Expect(isAsleep: true, lasted: 1000, blocked: 1000);
        Pass(1000);
        Expect(lasted: 2000, blocked: 1000, waiting: 1000);
    }

    [Fact]
    public void ASleepOfAnEarlierTurnDoesNotCount()
    {
        Pass(1000);
        Expect(isAsleep: true, lasted: 1000, blocked: 1000);
        _clock.End(_kernel.Timestamp());
        _clock.Begin(_kernel.Timestamp());
        Pass(500);
        Expect(lasted: 500, waiting: 500);
    }

    [Theory]
    [InlineData(true, 0, 600, 0)]
    [InlineData(false, 1000, 0, 0)]
    public void CollectionsAreNobodys(bool isAsleep, int running, int blocked, int waiting)
    {
        Pass(1000, running: running, collecting: 400);
        Expect(isAsleep, lasted: 1000, running: Math.Max(0, running - 400), blocked: blocked, waiting: waiting, other: 400);
    }

    [Fact]
    public void CompilationIsNobodys()
    {
        Pass(1000, running: 1000, compiling: 700);
        Expect(lasted: 1000, running: 300, other: 700);
    }

    /// <remarks>Who needs a method that another thread compiles sleeps.</remarks>
    [Fact]
    public void CompilationOfAnotherThreadExcusesItsLengthOfSleep()
    {
        Pass(1000, running: 100, compiling: 700);
        Expect(isAsleep: true, lasted: 1000, running: 100, blocked: 200, other: 700);
    }

    [Fact]
    public void WhatHappenedBeforeTheTurnIsNotOfIt()
    {
        _clock.End(_kernel.Timestamp());
        Pass(5000, running: 300, waiting: 4000, collecting: 100, compiling: 100);
        _clock.Begin(_kernel.Timestamp());
        Pass(1000, running: 1000);
        Expect(lasted: 1000, running: 1000);
    }

    [Fact]
    public void BetweenTurnsThereIsNothing()
    {
        Pass(2000, running: 2000);
        Assert.Equal(2 * Stopwatch.Frequency, _clock.End(_kernel.Timestamp()));
        Assert.Equal(default, _clock.Read());
        Assert.Equal(0, _clock.Started);
    }

    [Fact]
    public void TheThreadsOwnReadingLeavesOutWhatIsNobodys()
    {
        Pass(1000, running: 900, waiting: 100, collecting: 50, compiling: 150);
        Assert.Equal(700.Milliseconds(), _clock.Held(1000.Milliseconds(), _clock.Sample));
        Assert.Equal(TimeSpan.Zero, _clock.Held(100.Milliseconds(), _clock.Sample));
    }

    /// <remarks>A lock's holder lacks a processor where this thread does, so a sleep has to be much longer than that.</remarks>
    [Theory]
    [InlineData(0, 900)]
    [InlineData(100, 400)]
    [InlineData(180, 0)]
    [InlineData(300, 0)]
    public void AThreadThatLacksAProcessorIsChargedForLongSleepsOnly(int waiting, int asleep)
    {
        Pass(1000, running: 100, waiting: waiting);
        Assert.Equal((100 + asleep).Milliseconds(), _clock.Held(1000.Milliseconds(), _clock.Sample));
    }

    [Fact]
    public void TheThreadOfATestIsFoundAsleepOrReady()
    {
        ThreadSchedule? schedule = null;
        bool isOver = false;
        using var opened = new ManualResetEventSlim();
        using var spins = new Barrier(2);
        void SpinThenSleep()
        {
            schedule = new ThreadSchedule();
            opened.Set();
            while (!Volatile.Read(ref isOver))
            {
            }

            spins.SignalAndWait();
            Thread.Sleep(Timeout.Infinite);
        }

        new Thread(SpinThenSleep) { IsBackground = true }.Start();
        opened.Wait();
        using (schedule)
        {
            Assert.False(schedule!.IsAsleep());
            TimeSpan running = schedule.Read().Running;
            Assert.True(SpinWait.SpinUntil(() => schedule.Read().Running > running, Waits.Stretched(60.Seconds())));
            Volatile.Write(ref isOver, true);
            spins.SignalAndWait();
            Assert.True(SpinWait.SpinUntil(schedule.IsAsleep, Waits.Stretched(60.Seconds())));
        }
    }

    /// <remarks>The thread that holds what it waits for is kept off the processors as well.</remarks>
    [Theory]
    [InlineData(15, 80, 0)]
    [InlineData(2000, 1600, 400)]
    public void ASleepThatAQuotaProlongsHoldsNothing(int asleep, int throttled, int held)
    {
        ThreadTimes before = _kernel.Thread.Times;
        Pass(asleep, throttled: throttled);
        Assert.Equal(held.Milliseconds(), _clock.Held(asleep.Milliseconds(), before));
    }

    [Theory]
    [InlineData(0, -300)]
    [InlineData(-200, 0)]
    public void AReadingThatIsBehindHoldsNoMoreThanTheTime(int waiting, int throttled)
    {
        ThreadTimes before = _kernel.Thread.Times;
        Pass(1000, running: 100, waiting: waiting, throttled: throttled);
        Assert.Equal(1000.Milliseconds(), _clock.Held(1000.Milliseconds(), before));
    }

    private void Pass(int milliseconds, int running = 0, int waiting = 0, int collecting = 0, int compiling = 0, int throttled = 0)
    {
        _kernel.Now += milliseconds * (Stopwatch.Frequency / 1000);
        ThreadTimes times = _kernel.Thread.Times;
        _kernel.Thread.Times = new ThreadTimes(
            times.Running + running.Milliseconds(),
            times.Waiting + waiting.Milliseconds(),
            times.Collecting + collecting.Milliseconds(),
            times.Compiling + compiling.Milliseconds(),
            times.Throttled + throttled.Milliseconds());
    }

    private void Expect(bool isAsleep = false, int lasted = 0, int running = 0, int blocked = 0, int waiting = 0, int other = 0)
    {
        _kernel.Thread.IsSleeping = isAsleep;
        TurnTimes expected = new(
            _clock.Started, lasted.Milliseconds(), running.Milliseconds(), blocked.Milliseconds(), waiting.Milliseconds(), other.Milliseconds());
        Assert.Equal(expected, _clock.Read());
    }

    private sealed class ManualKernel : Kernel
    {
        internal long Now { get; set; } = Stopwatch.Frequency;

        internal ManualThread Thread { get; } = new();

        internal override long Timestamp() => Now;

        internal override ThreadSchedule OpenThreadSchedule() => Thread;
    }

    private sealed class ManualThread : ThreadSchedule
    {
        internal ThreadTimes Times { get; set; }

        internal bool IsSleeping { get; set; }

        internal override ThreadTimes Read() => Times;

        internal override bool IsAsleep() => IsSleeping;
    }
}
