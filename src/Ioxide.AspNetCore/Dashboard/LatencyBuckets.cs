using System.Numerics;

namespace Ioxide.AspNetCore;

/// <summary>
/// Counts durations by their length, so that percentiles of any period can be made of the difference of two readings. Exact below 16 us;
/// above, eight buckets for each doubling: a percentile is at most one eighth off. 2^32 us (71 minutes) and more count as the longest.
/// </summary>
/// <remarks>Threads: any. One add per duration, to memory of about 2 kB.</remarks>
internal sealed class LatencyBuckets
{
    internal const int Count = ExactCount + ((MaxBits - ExactBits) * StepCount);

    private const int ExactBits = 4;
    private const int ExactCount = 1 << ExactBits;
    private const int StepBits = 3;
    private const int StepCount = 1 << StepBits;
    private const int MaxBits = 32;

    private readonly long[] _counts = new long[Count];

    internal long this[int bucket] => Volatile.Read(ref _counts[bucket]);

    internal void Add(double seconds) => Interlocked.Increment(ref _counts[Of((long)(seconds * 1e6))]);

    /// <summary>The bucket of a duration in microseconds.</summary>
    internal static int Of(long us)
    {
        ulong value = (ulong)Math.Clamp(us, 0, (1L << MaxBits) - 1);
        if (value < ExactCount)
        {
            return (int)value;
        }

        int bits = BitOperations.Log2(value);
        int step = (int)(value >> (bits - StepBits)) & (StepCount - 1);
        return ExactCount + ((bits - ExactBits) * StepCount) + step;
    }

    /// <summary>The first microsecond above a bucket.</summary>
    internal static long End(int bucket)
    {
        if (bucket < ExactCount)
        {
            return bucket + 1;
        }

        (int bits, int step) = Math.DivRem(bucket - ExactCount, StepCount);
        return (long)(StepCount + step + 1) << (bits + ExactBits - StepBits);
    }
}
