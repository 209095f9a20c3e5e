using Ioxide.TestKit;

namespace Ioxide.Weak;

/// <summary>
/// A reading of another thread's turn takes its start and its sample together or not at all. The clock is played: the thread always runs, so a
/// right reading finds no time in which it did not.
/// </summary>
public sealed class TurnClockTests
{
    private const int Races = 10;
    private const int LeastTurns = 1000;
    private const int MostTurns = 1_000_000;
    private const long TurnMs = 20;
    private const long RestMs = 100;

    [Fact]
    public void AReadingNeverMixesTwoTurns()
    {
        int found = 0;
        for (int race = 0; race < Scale.Of(Races); race++)
        {
            var kernel = new PlayedClock();
            using var clock = new TurnClock(kernel);
            clock.Open();
            bool isOver = false;
            Race.Run(
                race,
                random =>
                {
                    // On a busy machine the reader may sleep through many turns.
                    for (int turn = 0; turn < LeastTurns || (turn < MostTurns && System.Threading.Volatile.Read(ref found) == 0); turn++)
                    {
                        kernel.Pass(RestMs);
                        clock.Begin(kernel.Timestamp());
                        kernel.Pass(TurnMs);
                        Race.Yield("the clock");
                        clock.End(kernel.Timestamp());
                    }

                    System.Threading.Volatile.Write(ref isOver, true);
                },
                _ =>
                {
                    while (!System.Threading.Volatile.Read(ref isOver))
                    {
                        TurnTimes times = clock.Read();
                        found += times.Lasted > TimeSpan.Zero ? 1 : 0;
                        Assert.Equal(TimeSpan.Zero, times.Blocked);
                        Assert.Equal(TimeSpan.Zero, times.Waiting);
                        Race.Yield("the turns");
                    }
                });
        }

        Assert.True(found > 0, "No reading found a turn.");
    }

    /// <summary>A clock that its thread moves, and a thread that has been running since it began.</summary>
    private sealed class PlayedClock : Kernel
    {
        private long _now = Stopwatch.Frequency;

        internal override long Timestamp() => System.Threading.Volatile.Read(ref _now);

        internal override ThreadSchedule? OpenThreadSchedule() => new RunningThread(this);

        internal void Pass(long milliseconds)
            => System.Threading.Volatile.Write(ref _now, _now + (milliseconds * (Stopwatch.Frequency / 1000)));

        private sealed class RunningThread(PlayedClock clock) : ThreadSchedule
        {
            internal override ThreadTimes Read() => new(Stopwatch.GetElapsedTime(0, clock.Timestamp()), default, default, default);

            internal override bool IsAsleep() => true;
        }
    }
}
