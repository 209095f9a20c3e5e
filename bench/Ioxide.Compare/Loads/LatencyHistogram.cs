namespace Ioxide.Compare.Loads;

/// <summary>Counts latencies in steps of one microsecond up to a second; what is longer counts as that.</summary>
internal sealed class LatencyHistogram
{
    private const int StepCount = 1_000_000;

    private readonly int[] _counts = new int[StepCount + 1];
    private long _totalCount;
    private double _totalUs;

    internal long Count => _totalCount;

    internal double MeanUs => _totalUs / Math.Max(1, _totalCount);

    internal void Add(TimeSpan latency)
    {
        _counts[(int)Math.Min(StepCount, latency.TotalMicroseconds)]++;
        _totalCount++;
        _totalUs += latency.TotalMicroseconds;
    }

    internal void Add(LatencyHistogram other)
    {
        for (int us = 0; us <= StepCount; us++)
        {
            _counts[us] += other._counts[us];
        }

        _totalCount += other._totalCount;
        _totalUs += other._totalUs;
    }

    /// <param name="fraction">From 0 to 1.</param>
    internal double PercentileUs(double fraction)
    {
        long left = (long)(_totalCount * fraction);
        for (int us = 0; us < StepCount; us++)
        {
            left -= _counts[us];
            if (left < 0)
            {
                return us;
            }
        }

        return StepCount;
    }
}
