namespace Ioxide.Simulation;

/// <summary>Something that a script has a descriptor for.</summary>
internal class Place(int number, string name)
{
    internal int Number => number;

    internal string Name => name;

    /// <summary>The script has not closed the descriptor. Operations may go on when it has.</summary>
    internal bool IsOpen { get; set; } = true;
}
