namespace Ioxide.Compare.Loads;

/// <summary>What one run of a load counted.</summary>
/// <param name="Seconds">How long it really took.</param>
/// <param name="Bytes">Bytes of the direction that the workload is about.</param>
internal sealed record LoadResult(long Requests, double Seconds, long Bytes)
{
    internal double? P50Us { get; init; }

    internal double? P99Us { get; init; }

    /// <summary>Of the same load just before, without the others that it then ran beside.</summary>
    internal double? P99AloneUs { get; init; }

    internal double? MeanUs { get; init; }
}
