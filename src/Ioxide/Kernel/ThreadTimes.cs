using System.Runtime;

namespace Ioxide;

/// <summary>What a thread has spent since it began, and the process beside it.</summary>
/// <param name="Running">On a processor.</param>
/// <param name="Waiting">Ready to run, without a processor.</param>
/// <param name="Collecting">The garbage collector's pauses.</param>
/// <param name="Compiling">
/// Compiling methods on any thread: no other thread can ask for one thread's share, and who needs a method waits for whoever compiles it.
/// </param>
internal readonly record struct ThreadTimes(TimeSpan Running, TimeSpan Waiting, TimeSpan Collecting, TimeSpan Compiling)
{
    internal static ThreadTimes Now(TimeSpan running, TimeSpan waiting)
        => new(running, waiting, GC.GetTotalPauseDuration(), JitInfo.GetCompilationTime());

    public static ThreadTimes operator -(in ThreadTimes now, in ThreadTimes before)
        => new(now.Running - before.Running, now.Waiting - before.Waiting, now.Collecting - before.Collecting, now.Compiling - before.Compiling);
}
