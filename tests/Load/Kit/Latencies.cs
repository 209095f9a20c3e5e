using System.Diagnostics;

namespace Ioxide.LoadKit;

/// <summary>How long requests took. Threads: any.</summary>
internal sealed class Latencies
{
    private readonly Lock _lock = new();
    private List<long> _ticks = [];

    /// <param name="started">When it began, by <see cref="Stopwatch.GetTimestamp"/>.</param>
    internal void AddSince(long started)
    {
        long ticks = Stopwatch.GetTimestamp() - started;
        lock (_lock)
        {
            _ticks.Add(ticks);
        }
    }

    /// <summary>How many there were, and the milliseconds that each part of them stayed below. Starts anew.</summary>
    internal (int Count, double[] Ms) Take(params double[] parts)
    {
        List<long> ticks;
        lock (_lock)
        {
            (ticks, _ticks) = (_ticks, []);
        }

        ticks.Sort();
        return (ticks.Count, [.. parts.Select(part => ticks.Count == 0 ? 0 : ticks[(int)(part * (ticks.Count - 1))] * 1000.0 / Stopwatch.Frequency)]);
    }
}
