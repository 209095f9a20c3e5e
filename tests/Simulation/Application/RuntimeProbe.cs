namespace Ioxide.Simulation;

/// <summary>Code of the runtime's own: it stays on the reactor, also where a handler blocks, and its waits turn nothing.</summary>
internal sealed class RuntimeProbe(World world)
{
    internal bool IsOver { get; private set; }

    internal void Start() => world.Reactor.Enqueue(this, static probe => _ = probe.RunAsync());

    private async Task RunAsync()
    {
        try
        {
            Check();
            await Task.Yield();
            Check();
            await world.Reactor.DelayAsync(TimeSpan.FromMilliseconds(world.Between(0, 2)));
            Check();
            if (world.Chance(100))
            {
                world.WaitInRuntime(world.Between(0, 2));
                Check();
            }
        }
        catch (ObjectDisposedException) when (world.Reactor.HasEnded)
        {
            // Its timer ended with the reactor.
        }

        IsOver = true;
    }

    private void Check()
    {
        if (!world.Reactor.HasEnded && (!world.IsOnReactor || SynchronizationContext.Current is not RuntimeContext))
        {
            world.Violated($"code of the runtime's own runs under {SynchronizationContext.Current?.GetType().Name ?? "no context"}");
        }
    }
}
