namespace Ioxide.Compare.Measures;

/// <summary>System calls that a process made.</summary>
/// <param name="ByName">Those that could be told apart, without the others.</param>
/// <param name="Tool">What counted them: strace slows the server down, which makes its batches larger.</param>
internal sealed record SystemCallCount(long Total, IReadOnlyDictionary<string, long> ByName, string Tool)
{
    private const double LeastShown = 0.5;

    /// <summary>The most frequent ones per 1,000 requests.</summary>
    internal string Describe(long requestCount)
    {
        IEnumerable<string> parts = ByName
            .Select(pair => (pair.Key, Rate: pair.Value * 1000.0 / requestCount))
            .Where(static call => call.Rate >= LeastShown)
            .OrderByDescending(static call => call.Rate)
            .Select(static call => $"{call.Key} {call.Rate:N0}");
        double rate = Total * 1000.0 / requestCount;
        return $"{rate:N0} system calls per 1,000 requests ({Tool}): {string.Join(", ", parts)}";
    }
}
