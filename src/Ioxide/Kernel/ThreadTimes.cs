using System.Runtime;

namespace Ioxide;

/// <summary>What a thread has spent since it began, and the process beside it.</summary>
/// <param name="Running">On a processor.</param>
/// <param name="Waiting">Ready to run, without a processor.</param>
/// <param name="Collecting">The garbage collector's pauses.</param>
/// <param name="Compiling">
/// Compiling methods on any thread: no other thread can ask for one thread's share, and who needs a method waits for whoever compiles it.
/// </param>
/// <param name="Throttled">The process was kept off all processors: its quota was used up.</param>
internal readonly record struct ThreadTimes(
    TimeSpan Running, TimeSpan Waiting, TimeSpan Collecting, TimeSpan Compiling, TimeSpan Throttled = default)
{
    // A thread that lacks a processor meets locks whose holders lack one too: its sleep shows nothing until it is so many times as long.
    private const int SleepPerWait = 4;

    internal static ThreadTimes Now(TimeSpan running, TimeSpan waiting)
        => new(running, waiting, GC.GetTotalPauseDuration(), JitInfo.GetCompilationTime(), CpuQuota.RecentlyThrottled());

    public static ThreadTimes operator -(in ThreadTimes now, in ThreadTimes before)
        => new(
            now.Running - before.Running, now.Waiting - before.Waiting, now.Collecting - before.Collecting, now.Compiling - before.Compiling,
            now.Throttled - before.Throttled);

    /// <summary>How much of a time the code that ran in it used: on a processor, or asleep in a call that it made.</summary>
    /// <param name="lasted">The time, in which at most this much was spent. Less is known to have been before it.</param>
    internal TimeSpan HeldOf(TimeSpan lasted)
    {
        TimeSpan running = Running < lasted ? Running : lasted;
        TimeSpan asleep = lasted - running - Waiting;

        // Nor does a sleep while no thread of the process could end it.
        TimeSpan blocked = asleep - (SleepPerWait * Waiting) - Throttled;
        TimeSpan held = running + (blocked > TimeSpan.Zero ? blocked : TimeSpan.Zero) - Collecting - Compiling;
        return held < TimeSpan.Zero ? TimeSpan.Zero : held < lasted ? held : lasted;
    }
}
