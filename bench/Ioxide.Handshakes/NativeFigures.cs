using System.Runtime.InteropServices;

namespace Ioxide.Handshakes;

/// <summary>Figures that other programs on the machine do not change.</summary>
internal static unsafe partial class NativeFigures
{
    private const int ThreadCpuClock = 3;
    private const int UsedField = 7;
    private const int MappedField = 4;

    /// <summary>Processor time of the calling thread. Source: clock_gettime(2), CLOCK_THREAD_CPUTIME_ID.</summary>
    internal static double ThreadCpuMilliseconds()
    {
        long* time = stackalloc long[2];
        _ = GetTime(ThreadCpuClock, time);
        return (time[0] * 1000.0) + (time[1] / 1e6);
    }

    /// <summary>Bytes that malloc has given out. Source: mallinfo2(3), glibc 2.33.</summary>
    internal static long AllocatedBytes()
    {
        MallocInfo info = ReadMallocInfo();
        return (long)(info.Fields[UsedField] + info.Fields[MappedField]);
    }

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static partial int GetTime(int clock, long* time);

    [LibraryImport("libc", EntryPoint = "mallinfo2")]
    private static partial MallocInfo ReadMallocInfo();

    private struct MallocInfo
    {
        internal fixed ulong Fields[10];
    }
}
