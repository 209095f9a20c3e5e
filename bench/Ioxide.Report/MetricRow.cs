namespace Ioxide.Report;

/// <summary>One metric of one side over all rounds.</summary>
internal sealed record MetricRow(SideRecord Side, Spread Spread);
