namespace Ioxide.Report;

/// <summary>What the whole of Ioxide is to reach against the best stock side.</summary>
/// <param name="Metric">The metric's key.</param>
/// <param name="Ratio">Ours divided by stock: at least so much where more is better, at most where less is.</param>
internal sealed record TargetRecord(string Metric, double Ratio);
