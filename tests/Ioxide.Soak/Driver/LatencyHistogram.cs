using System.Diagnostics;
using System.Numerics;

namespace Ioxide.Soak;

/// <summary>Durations of one second, in buckets no wider than a sixteenth of their value. Threads: any.</summary>
internal sealed class LatencyHistogram
{
    private const int SubBucketBits = 4;
    private const int SubBucketCount = 1 << SubBucketBits;
    private const int BucketCount = 40 * SubBucketCount;

    private long[] _counts = new long[BucketCount];

    /// <param name="started">When it began, by <see cref="Stopwatch.GetTimestamp"/>.</param>
    internal void AddSince(long started)
    {
        long microseconds = (long)Stopwatch.GetElapsedTime(started).TotalMicroseconds;
        Interlocked.Increment(ref Volatile.Read(ref _counts)[IndexOf(microseconds)]);
    }

    /// <summary>The milliseconds that so large a part stayed below; null where there was none. Starts anew.</summary>
    internal double? TakePercentileMs(double part)
    {
        long[] counts = Interlocked.Exchange(ref _counts, new long[BucketCount]);
        long below = (long)Math.Ceiling(counts.Sum() * part);
        if (below == 0)
        {
            return null;
        }

        int index = 0;
        for (long seen = counts[0]; seen < below; seen += counts[index])
        {
            index++;
        }

        return UpperBound(index) / 1000.0;
    }

    private static int IndexOf(long value)
    {
        int exponent = Math.Max(0, BitOperations.Log2((ulong)value | 1) - SubBucketBits);
        return Math.Min((exponent * SubBucketCount) + (int)(value >> exponent), BucketCount - 1);
    }

    private static long UpperBound(int index)
    {
        int exponent = Math.Max(0, (index / SubBucketCount) - 1);
        return (index - (exponent * SubBucketCount) + 1L) << exponent;
    }
}
