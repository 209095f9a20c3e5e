namespace Ioxide.Compare;

/// <summary>One side's numbers of one round.</summary>
/// <param name="Number">The round, from 1; 0 stands for a pass apart from the rounds.</param>
internal sealed record Round(Side Side, int Number, IReadOnlyDictionary<Metric, double> Values);
