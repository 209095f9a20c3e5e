namespace Ioxide.Compare.Loads;

/// <summary>Counts latencies in steps of one microsecond up to 100 ms; what is longer counts as that.</summary>
internal sealed class LatencyHistogram
{
    private const int StepCount = 100_000;

    private readonly int[] _counts = new int[StepCount + 1];
    private long _totalCount;
    private double _totalUs;

    internal double MeanUs => _totalUs / Math.Max(1, _totalCount);

    internal void Add(TimeSpan latency)
    {
        _counts[Math.Min(StepCount, (int)latency.TotalMicroseconds)]++;
        _totalCount++;
        _totalUs += latency.TotalMicroseconds;
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
