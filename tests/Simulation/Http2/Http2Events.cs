namespace Ioxide.Simulation;

/// <summary>What the reactor reports. Nothing that the engine does may reach it unhandled.</summary>
internal sealed class Http2Events(Http2World world) : ReactorEvents
{
    public override void UnhandledException(int reactorId, Exception exception) => world.Violated($"unhandled on the reactor: {exception}");

    public override void ReactorFaulted(int reactorId, Exception exception) => world.Violated($"the reactor ended by an error: {exception}");
}
