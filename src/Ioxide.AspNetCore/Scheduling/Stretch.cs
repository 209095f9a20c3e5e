using System.Diagnostics;

namespace Ioxide.AspNetCore;

/// <summary>A stretch of application code on a thread of the pool, between two awaits, and how much of its time that code used.</summary>
/// <remarks>What the thread spends is sampled at most every 100 ms, before a stretch. So what lies shortly before one may excuse it too.</remarks>
internal readonly struct Stretch
{
    private static readonly long s_sampleTicks = Stopwatch.Frequency / 10;

    [ThreadStatic]
    private static long s_sampledAt;

    [ThreadStatic]
    private static ThreadTimes s_sample;

    private readonly long _started;

    private Stretch(long started) => _started = started;

    internal static Stretch Begin()
    {
        long now = Stopwatch.GetTimestamp();
        if (now - s_sampledAt >= s_sampleTicks)
        {
            s_sample = ThreadSchedule.ReadCallingThread();
            now = s_sampledAt = Stopwatch.GetTimestamp();
        }

        return new Stretch(now);
    }

    /// <summary>How long it took in ticks: on the clock, and of that in the application's code.</summary>
    internal (long Lasted, long Held) End()
    {
        long lasted = Stopwatch.GetTimestamp() - _started;
        if (lasted < Placement.QuickTicks)
        {
            return (lasted, lasted);
        }

        TimeSpan held = (ThreadSchedule.ReadCallingThread() - s_sample).HeldOf(Stopwatch.GetElapsedTime(0, lasted));
        return (lasted, held.Ticks * Stopwatch.Frequency / TimeSpan.TicksPerSecond);
    }
}
