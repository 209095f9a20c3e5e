namespace Ioxide;

/// <summary>What a thread had spent when it was last looked at.</summary>
/// <param name="Times">What it had spent.</param>
/// <param name="Lacked">How long of 100 ms it waited for a processor, at its worst between two samples; each later sample halves it.</param>
internal readonly record struct ThreadSample(ThreadTimes Times, TimeSpan Lacked)
{
    // A thread that lacks a processor meets locks whose holders lack one too: its sleep shows nothing until it is so many times as long.
    private const int SleepPerWait = 4;

    private static readonly TimeSpan s_span = TimeSpan.FromMilliseconds(100);

    /// <summary>The sample after this one.</summary>
    /// <param name="now">What the thread has spent by now.</param>
    /// <param name="elapsed">The time since this sample. A thread of the pool may have rested for long; zero where this is the first.</param>
    internal ThreadSample Next(in ThreadTimes now, TimeSpan elapsed)
    {
        TimeSpan waited = elapsed == TimeSpan.Zero ? TimeSpan.Zero : now.Waiting - Times.Waiting;
        return new(now, Longer(elapsed > s_span ? waited * (s_span / elapsed) : waited, Lacked / 2));
    }

    /// <summary>How much of a time the code that ran in it used: on a processor, or asleep in a call that it made.</summary>
    /// <param name="lasted">The time that just passed. Less of what was spent since the sample is known to have been before it.</param>
    /// <param name="now">What the thread has spent by now.</param>
    /// <remarks>
    /// The thread itself may have waited for no processor while the holder of a lock did, which nothing that the host tells of a thread shows. So
    /// what it lacked shortly before counts as well.
    /// </remarks>
    internal TimeSpan HeldOf(TimeSpan lasted, in ThreadTimes now)
    {
        ThreadTimes spent = now - Times;
        TimeSpan running = spent.Running < lasted ? spent.Running : lasted;
        TimeSpan asleep = lasted - running - spent.Waiting;
        TimeSpan blocked = Longer(TimeSpan.Zero, asleep - (SleepPerWait * Longer(spent.Waiting, Lacked)));
        return Longer(TimeSpan.Zero, running + blocked - spent.Collecting - spent.Compiling);
    }

    private static TimeSpan Longer(TimeSpan one, TimeSpan other) => one > other ? one : other;
}
