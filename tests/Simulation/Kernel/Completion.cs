namespace Ioxide.Simulation;

/// <summary>What the kernel posted.</summary>
internal readonly record struct Completion(ulong UserData, int Result, uint Flags);
