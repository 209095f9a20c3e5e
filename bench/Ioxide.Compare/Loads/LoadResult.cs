namespace Ioxide.Compare.Loads;

/// <summary>What one run of a load counted.</summary>
/// <param name="Seconds">How long it really took.</param>
/// <param name="Bytes">Bytes of the direction that the workload is about.</param>
internal sealed record LoadResult(long Requests, double Seconds, long Bytes)
{
    internal double? P50Us { get; init; }

    internal double? P90Us { get; init; }

    internal double? P99Us { get; init; }

    internal double? P999Us { get; init; }

    /// <summary>Of the same load just before, without the others that it then ran beside.</summary>
    internal double? P99AloneUs { get; init; }

    internal double? MeanUs { get; init; }

    internal LoadResult With(LatencyHistogram latencies) => this with
    {
        P50Us = latencies.PercentileUs(0.50),
        P90Us = latencies.PercentileUs(0.90),
        P99Us = latencies.PercentileUs(0.99),
        P999Us = latencies.PercentileUs(0.999),
        MeanUs = latencies.MeanUs,
    };
}
