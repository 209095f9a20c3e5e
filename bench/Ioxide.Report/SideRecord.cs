namespace Ioxide.Report;

/// <summary>One side of a run with its rounds in order.</summary>
internal sealed record SideRecord(string Name, SideKind Kind, List<RoundRecord> Rounds)
{
    /// <summary>Stock with its inline scheduling.</summary>
    internal bool IsInline => Name.StartsWith("stock-inline", StringComparison.Ordinal);

    /// <summary>The metric's value of each round that counts and has it.</summary>
    internal IEnumerable<double> Values(Metric metric) => Rounds
        .Where(static round => round.Refused is null)
        .Select(round => round.Values.GetValueOrDefault(metric.Key))
        .OfType<double>();

    internal bool HasRefusedRounds => Rounds.Any(static round => round.Refused is not null);
}
