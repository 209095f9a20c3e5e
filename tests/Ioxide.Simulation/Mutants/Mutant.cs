namespace Ioxide.Simulation;

/// <summary>A mistake that somebody could make in the runtime, as a change to its source.</summary>
/// <param name="Name">What is wrong with the code then.</param>
/// <param name="Patches">Where: Type.Member of src/Ioxide, code that is in it once, and what takes its place, switched.</param>
internal sealed record Mutant(string Name, params (string Member, string Code, string Mutated)[] Patches);
