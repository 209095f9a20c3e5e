namespace Ioxide.Report;

/// <summary>A round whose numbers were thrown away, because the machine and not the server made them.</summary>
/// <param name="Side">Whose round it was.</param>
/// <param name="Number">The round that was run again in its place.</param>
/// <param name="Reason">What disturbed it, with the figure.</param>
internal sealed record DiscardedRound(string Side, int Number, string Reason);
