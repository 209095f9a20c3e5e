namespace Ioxide.Soak;

/// <summary>What every load and every fault works with.</summary>
internal sealed record LoadSurroundings(Target Target, Counters Counters, Gate Gate, ServerProcess Server)
{
    /// <summary>Held by who uses descriptors up and by who needs one for certain: nobody can listen while there is none.</summary>
    internal SemaphoreSlim Descriptors { get; } = new(1);
}
