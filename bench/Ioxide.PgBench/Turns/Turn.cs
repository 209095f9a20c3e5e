using System.Diagnostics;

namespace Ioxide.PgBench.Turns;

/// <summary>One measured time: the callers ask until it is over, and count.</summary>
internal sealed class Turn(int callerCount)
{
    // A cache line apart: callers may run on several threads.
    private const int Stride = 16;
    private const int SampleEvery = 16;
    private const int MaxSamples = 1 << 16;

    private readonly long[] _counts = new long[callerCount * Stride];
    private readonly long[] _samples = new long[MaxSamples];
    private int _sampleCount;
    private volatile bool _isOver;

    internal int CallerCount => callerCount;

    /// <summary>Commands of all callers that were answered.</summary>
    internal long Count
    {
        get
        {
            long sum = 0;
            for (int i = 0; i < _counts.Length; i += Stride)
            {
                sum += _counts[i];
            }

            return sum;
        }
    }

    internal bool GoesOn => !_isOver;

    internal void Stop() => _isOver = true;

    /// <summary>Before a question; one in sixteen is timed.</summary>
    internal long Begin(int caller) => _counts[caller * Stride] % SampleEvery == 0 ? Stopwatch.GetTimestamp() : 0;

    /// <summary>After its answer.</summary>
    internal void End(int caller, long began)
    {
        _counts[caller * Stride]++;
        if (began != 0)
        {
            int index = Interlocked.Increment(ref _sampleCount) - 1;
            _samples[index & (MaxSamples - 1)] = Stopwatch.GetTimestamp() - began;
        }
    }

    /// <summary>Microseconds, or 0 where nothing was timed.</summary>
    internal double LatencyUs(double share)
    {
        int count = Math.Min(_sampleCount, MaxSamples);
        if (count == 0)
        {
            return 0;
        }

        Span<long> samples = _samples.AsSpan(0, count);
        samples.Sort();
        return samples[(int)(share * (count - 1))] * 1e6 / Stopwatch.Frequency;
    }
}
