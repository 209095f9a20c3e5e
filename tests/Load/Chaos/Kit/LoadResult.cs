namespace Ioxide.Chaos;

/// <summary>What clients under load saw.</summary>
/// <param name="Requests">Requests answered, each byte right.</param>
/// <param name="Failures">What ended a client before its time; none is allowed.</param>
/// <param name="MedianMs">Time of a request, the middle one.</param>
/// <param name="P99Ms">The time that 99 of 100 requests kept.</param>
/// <param name="WorstMs">The slowest request.</param>
internal sealed record LoadResult(int Requests, IReadOnlyCollection<string> Failures, double MedianMs, double P99Ms, double WorstMs)
{
    public override string ToString()
        => $"{Requests} requests, {Failures.Count} failures, median {MedianMs:F2} ms, p99 {P99Ms:F1} ms, worst {WorstMs:F0} ms";

    /// <summary>Fails unless every request was answered and there were some.</summary>
    internal void AssertNoneFailed()
    {
        Assert.True(Failures.Count == 0, $"{Failures.Count} clients failed: {string.Join('\n', Failures.Take(5))}");
        Assert.True(Requests > 0, "No request was answered.");
    }
}
