namespace Ioxide.Pg.Tests;

/// <summary>What stays different between the drivers.</summary>
/// <param name="Reason">Why.</param>
/// <param name="Holds">Whether a difference at a step is of this kind. It says what the facade must have answered.</param>
/// <param name="Ends">Behind it the two programs are no longer the same.</param>
/// <param name="IsRare">Whether a full run meets it depends on what is faster.</param>
/// <param name="Seed">A program that meets it, where the first thousand do not.</param>
internal sealed record AdoRule(string Reason, Func<AdoDifference, AdoStep, bool> Holds, bool Ends = true, bool IsRare = false, int? Seed = null);
