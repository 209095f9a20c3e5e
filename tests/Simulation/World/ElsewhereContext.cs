namespace Ioxide.Simulation;

/// <summary>Brings what other threads awaited back to another thread. Without it a task would take a real one.</summary>
/// <param name="run">Runs an action on another thread, some time later.</param>
internal sealed class ElsewhereContext(Action<Action> run) : SynchronizationContext
{
    public override void Post(SendOrPostCallback d, object? state) => run(() => d(state));

    public override SynchronizationContext CreateCopy() => this;
}
