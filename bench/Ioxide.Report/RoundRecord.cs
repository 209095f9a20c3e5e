namespace Ioxide.Report;

/// <summary>One side's numbers of one round, by the keys of <see cref="Metric"/>.</summary>
/// <param name="Number">From 1; 0 stands for a pass apart from the rounds.</param>
/// <param name="Values">A null was withheld: <paramref name="Withheld"/> says why. Empty where the round was refused.</param>
/// <param name="Withheld">Why some of the values are not given.</param>
/// <param name="Refused">Why the round does not count.</param>
internal sealed record RoundRecord(
    int Number, IReadOnlyDictionary<string, double?> Values, string? Withheld = null, string? Refused = null);
