namespace Ioxide.Simulation;

/// <summary>What came of one seed.</summary>
/// <param name="Events">Completions, and what happened outside of the kernel.</param>
/// <param name="Violation">The first rule that did not hold, or null.</param>
/// <param name="Marks">The places that it reached.</param>
internal readonly record struct SeedResult(long Events, string? Violation, Marks Marks);
