using System.Buffers.Text;

namespace Ioxide;

/// <summary>Reads what one thread has done with its time. Made on that thread; any thread may read.</summary>
/// <remarks>
/// It holds no descriptor: each reading opens a file, at most ten times per second and reactor. Where that fails, the last reading stands.
/// Source: proc_pid_schedstat (Documentation/scheduler/sched-stats.rst): nanoseconds on a processor and in a run queue. Both are behind while the
/// thread is in one of them: the first by a tick of the scheduler, the second until the thread runs again. A container that used up its quota
/// leaves its threads runnable (state R of proc_pid_stat(5)) and out of the processors, which counts as the run queue.
/// </remarks>
internal class ThreadSchedule : IDisposable
{
    // "PID/task/TID", as the mounted proc file system counts; null where it is not mounted.
    private readonly string? _thread = new FileInfo("/proc/thread-self").LinkTarget;
    private long _running;
    private long _waiting;
    private volatile bool _isClosed;

    /// <summary>What the thread has spent so far. Where the host does not say, it never runs and never waits.</summary>
    internal virtual ThreadTimes Read()
    {
        Span<byte> text = stackalloc byte[64];
        ReadOnlySpan<byte> read = _isClosed || _thread is null ? default : KernelFile.Bytes($"/proc/{_thread}/schedstat", text);
        if (Utf8Parser.TryParse(read, out long running, out int length) && length < read.Length
            && Utf8Parser.TryParse(read[(length + 1)..], out long waiting, out _))
        {
            return ThreadTimes.Now(
                FromNanoseconds(Greatest.Keep(ref _running, running)), FromNanoseconds(Greatest.Keep(ref _waiting, waiting)));
        }

        return ThreadTimes.Now(FromNanoseconds(Volatile.Read(ref _running)), FromNanoseconds(Volatile.Read(ref _waiting)));
    }

    /// <summary>Whether the thread neither runs nor waits for a processor. A host that does not say counts as yes.</summary>
    internal virtual bool IsAsleep()
    {
        if (_isClosed || _thread is null)
        {
            return true;
        }

        // PID (NAME) STATE ...: the name may hold anything.
        Span<byte> text = stackalloc byte[128];
        ReadOnlySpan<byte> read = KernelFile.Bytes($"/proc/{_thread}/stat", text);
        int end = read.LastIndexOf(") "u8);
        return end < 0 || end + 2 >= read.Length || read[end + 2] != (byte)'R';
    }

    public void Dispose()
    {
        _isClosed = true;
        GC.SuppressFinalize(this);
    }

    private static TimeSpan FromNanoseconds(long nanoseconds) => new(nanoseconds / TimeSpan.NanosecondsPerTick);
}
