namespace Ioxide.Simulation;

/// <summary>Brings what other threads awaited back to another thread. Without it a task would take a real one.</summary>
internal sealed class ElsewhereContext(World world) : SynchronizationContext
{
    public override void Post(SendOrPostCallback d, object? state) => world.RunElsewhere(() => d(state));

    public override SynchronizationContext CreateCopy() => this;
}
