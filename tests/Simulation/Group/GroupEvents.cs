namespace Ioxide.Simulation;

/// <summary>What the reactors of a group report: nothing, if all is well.</summary>
internal sealed class GroupEvents(GroupWorld world) : ReactorEvents
{
    public override void UnhandledException(int reactorId, Exception exception)
        => world.Violated($"unhandled on reactor {reactorId}: {exception}");

    public override void ReactorFaulted(int reactorId, Exception exception)
        => world.Violated($"reactor {reactorId} ended by an error: {exception}");
}
