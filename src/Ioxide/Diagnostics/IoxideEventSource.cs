using System.Diagnostics.Tracing;

namespace Ioxide;

/// <summary>Events of provider <c>Ioxide</c>, for dotnet-trace and dotnet-counters.</summary>
[EventSource(Name = "Ioxide")]
internal sealed class IoxideEventSource : EventSource
{
    internal static readonly IoxideEventSource Log = new();

    [Event(1, Level = EventLevel.Informational)]
    public void ReactorStart(int reactorId) => WriteEvent(1, reactorId);

    [Event(2, Level = EventLevel.Informational)]
    public void ReactorStop(int reactorId) => WriteEvent(2, reactorId);

    [Event(3, Level = EventLevel.Verbose)]
    public void ConnectionStart(int reactorId, int slotIndex)
    {
        if (IsEnabled(EventLevel.Verbose, EventKeywords.None))
        {
            WriteEvent(3, reactorId, slotIndex);
        }
    }

    [Event(4, Level = EventLevel.Verbose)]
    public void ConnectionStop(int reactorId, int slotIndex, int closeReason)
    {
        if (IsEnabled(EventLevel.Verbose, EventKeywords.None))
        {
            WriteEvent(4, reactorId, slotIndex, closeReason);
        }
    }

    [Event(5, Level = EventLevel.Warning)]
    public void ReactorStall(int reactorId, long stalledMs) => WriteEvent(5, reactorId, stalledMs);

    [Event(6, Level = EventLevel.Warning)]
    public void AcceptPause(int reactorId, int errorNumber) => WriteEvent(6, reactorId, errorNumber);

    [Event(7, Level = EventLevel.Error)]
    public void HostCodeThrew(int reactorId, string exception) => WriteEvent(7, reactorId, exception);

    [Event(8, Level = EventLevel.Error)]
    public void ReactorStuck(int reactorId, long stalledMs) => WriteEvent(8, reactorId, stalledMs);

    [Event(9, Level = EventLevel.Informational)]
    public void ReactorRecovered(int reactorId, long stalledMs) => WriteEvent(9, reactorId, stalledMs);

    [Event(10, Level = EventLevel.Error)]
    public void ReactorAbandoned(int reactorId, long stalledMs) => WriteEvent(10, reactorId, stalledMs);

    [Event(11, Level = EventLevel.Warning)]
    public void ReactorBlocked(int reactorId, long blockedMs) => WriteEvent(11, reactorId, blockedMs);
}
