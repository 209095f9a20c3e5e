using System.Diagnostics;

namespace Ioxide.AspNetCore;

/// <summary>A stretch of application code on a thread of the pool, between two awaits, and how much of its time that code used.</summary>
/// <remarks>Each thread has a clock, as a reactor has for its turns: what lies shortly before a stretch may excuse it too.</remarks>
internal readonly struct Stretch
{
    [ThreadStatic]
    private static TurnClock? s_clock;

    private readonly TurnClock _clock;
    private readonly long _started;

    private Stretch(TurnClock clock)
    {
        clock.Begin(Stopwatch.GetTimestamp());
        _clock = clock;
        _started = Stopwatch.GetTimestamp();
    }

    internal static Stretch Begin() => new(s_clock ??= TurnClock.OfCallingThread());

    /// <summary>How long it took in ticks: on the clock, and of that in the application's code.</summary>
    internal (long Lasted, long Held) End()
    {
        long lasted = Stopwatch.GetTimestamp() - _started;
        if (lasted < Placement.QuickTicks)
        {
            return (lasted, lasted);
        }

        TimeSpan held = _clock.Held(Stopwatch.GetElapsedTime(0, lasted), _clock.Sample);
        return (lasted, held.Ticks * Stopwatch.Frequency / TimeSpan.TicksPerSecond);
    }
}
