namespace Ioxide.Simulation;

/// <summary>What the reactor reports. Nothing that the application does here may reach it unhandled.</summary>
internal sealed class SimulationEvents(World world) : ReactorEvents
{
    public override void UnhandledException(int reactorId, Exception exception)
    {
        if (!world.IsRingBroken || exception is not IOException)
        {
            world.Violated($"unhandled on the reactor: {exception}");
        }
    }

    public override void ReactorFaulted(int reactorId, Exception exception)
    {
        if (!world.IsRingBroken)
        {
            world.Violated($"the reactor ended by an error: {exception}");
        }
    }
}
