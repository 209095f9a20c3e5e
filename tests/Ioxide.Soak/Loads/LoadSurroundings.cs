namespace Ioxide.Soak;

/// <summary>What every load and every fault works with.</summary>
internal sealed record LoadSurroundings(Target Target, Counters Counters, Gate Gate, ServerProcess Server);
