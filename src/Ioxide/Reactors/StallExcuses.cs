using System.Buffers.Text;
using System.Diagnostics;
using Microsoft.Win32.SafeHandles;

namespace Ioxide;

/// <summary>What makes a turn long without a fault of the running code: the collector's pauses, and waits for a processor.</summary>
/// <remarks>
/// Both are totals since the process or the thread began. They are sampled at most every 100 ms, before a turn, so that only recent
/// events can excuse a slow turn. Waits for a processor include a container that used up its quota.
/// Source: proc_pid_schedstat (Documentation/scheduler/sched-stats.rst): time on the processor, time on the queue, slices. A sleeping thread
/// is on neither. Threads: the reactor's.
/// </remarks>
internal sealed class StallExcuses : IDisposable
{
    private static readonly long s_interval = Stopwatch.Frequency / 10;

    private readonly SafeFileHandle? _schedule;
    private long _sampledAt;
    private TimeSpan _sample;

    private StallExcuses(SafeFileHandle? schedule) => _schedule = schedule;

    /// <summary>For the calling thread. A host without the file excuses only pauses of the collector.</summary>
    internal static StallExcuses Open()
    {
        SafeFileHandle? schedule;
        try
        {
            schedule = File.OpenHandle("/proc/thread-self/schedstat", share: FileShare.ReadWrite);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // The kernel was built without the file, or hides it.
            schedule = null;
        }

        var excuses = new StallExcuses(schedule);
        excuses._sample = excuses.Total();
        return excuses;
    }

    /// <summary>A turn begins.</summary>
    /// <param name="now">Ticks of the clock.</param>
    internal void Sample(long now)
    {
        if (now - _sampledAt >= s_interval)
        {
            _sampledAt = now;
            _sample = Total();
        }
    }

    internal TimeSpan SinceSample() => Total() - _sample;

    public void Dispose() => _schedule?.Dispose();

    private TimeSpan Total() => GC.GetTotalPauseDuration() + WaitForProcessor();

    private TimeSpan WaitForProcessor()
    {
        const int NanosecondsPerTick = 100;
        if (_schedule is null)
        {
            return TimeSpan.Zero;
        }

        Span<byte> text = stackalloc byte[64];
        ReadOnlySpan<byte> read = text[..RandomAccess.Read(_schedule, text, fileOffset: 0)];
        ReadOnlySpan<byte> wait = read[(read.IndexOf((byte)' ') + 1)..];
        return Utf8Parser.TryParse(wait, out long nanoseconds, out _) ? new TimeSpan(nanoseconds / NanosecondsPerTick) : TimeSpan.Zero;
    }
}
