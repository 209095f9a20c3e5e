namespace Ioxide.Compare;

/// <summary>One metric of one side over all rounds.</summary>
internal sealed record MetricRow(Side Side, Spread Spread);
