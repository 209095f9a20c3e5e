namespace Ioxide.Soak;

/// <summary>The server collects garbage over and over, compacting what it can move.</summary>
internal sealed class CollectorStorm(LoadSurroundings surroundings) : Fault("collections", surroundings)
{
    internal override Task RunAsync(Random random) => Server.CommandAsync("storm");
}
