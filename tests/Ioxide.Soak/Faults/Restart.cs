namespace Ioxide.Soak;

/// <summary>Something that listens is stopped gracefully and started again.</summary>
internal sealed class Restart(string what, LoadSurroundings surroundings) : Fault($"restart of the {what}", surroundings)
{
    internal override Task RunAsync(Random random) => Server.CommandAsync($"restart-{what}");
}
