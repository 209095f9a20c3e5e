using System.Globalization;

namespace Ioxide.Blocking;

/// <summary>How a list of latencies is printed.</summary>
internal static class Latencies
{
    /// <summary>Their number, the median, the 99th percentile and the longest.</summary>
    /// <param name="latencies">In milliseconds; they are sorted.</param>
    internal static string Describe(List<double> latencies)
    {
        latencies.Sort();
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{latencies.Count,8:N0}   {latencies[latencies.Count / 2],6:0.00} / {latencies[(int)(latencies.Count * 0.99)],8:0.00} / {latencies[^1],8:0.00}");
    }
}
