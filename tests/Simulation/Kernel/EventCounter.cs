namespace Ioxide.Simulation;

/// <summary>An eventfd.</summary>
internal sealed class EventCounter : SimulatedFile
{
    internal ulong Value { get; set; }

    protected override void Release()
    {
    }
}
