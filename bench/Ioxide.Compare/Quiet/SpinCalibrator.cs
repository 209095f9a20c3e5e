using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ioxide.Compare.Quiet;

/// <summary>Spins through fixed arithmetic in registers, on a thread that is bound to the CPU: about 10 ms where nothing else runs.</summary>
internal sealed partial class SpinCalibrator : ICalibrator
{
    private const int StepCount = 10_000_000;
    private const int BitsPerWord = 64;

    private static ulong s_result;

    public TimeSpan Measure(int cpu)
    {
        TimeSpan taken = TimeSpan.Zero;
        int error = 0;
        var thread = new Thread(() =>
        {
            error = Bind(cpu);
            if (error == 0)
            {
                long started = Stopwatch.GetTimestamp();
                s_result = Spin(StepCount);
                taken = Stopwatch.GetElapsedTime(started);
            }
        });
        thread.Start();
        thread.Join();
        return error == 0 ? taken : throw new RefusedException($"CPU {cpu} cannot be used: sched_setaffinity failed with errno {error}.");
    }

    /// <summary>Xorshift: each step needs the one before, so that it takes as many cycles everywhere.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
    private static ulong Spin(int stepCount)
    {
        ulong state = 0x9E3779B97F4A7C15;
        for (int step = 0; step < stepCount; step++)
        {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
        }

        return state;
    }

    /// <returns>Zero, or the errno.</returns>
    private static unsafe int Bind(int cpu)
    {
        ulong[] mask = new ulong[(cpu / BitsPerWord) + 1];
        mask[cpu / BitsPerWord] = 1UL << (cpu % BitsPerWord);
        fixed (ulong* words = mask)
        {
            return SetAffinity(0, (nuint)(mask.Length * sizeof(ulong)), words) == 0 ? 0 : Marshal.GetLastPInvokeError();
        }
    }

    [LibraryImport("libc", EntryPoint = "sched_setaffinity", SetLastError = true)]
    private static unsafe partial int SetAffinity(int thread, nuint maskBytes, ulong* mask);
}
