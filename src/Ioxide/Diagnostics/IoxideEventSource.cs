using System.Diagnostics.Tracing;

namespace Ioxide;

/// <summary>Events of provider <c>Ioxide</c>, for dotnet-trace and dotnet-counters.</summary>
[EventSource(Name = "Ioxide")]
internal sealed class IoxideEventSource : EventSource
{
    internal static readonly IoxideEventSource Log = new();

    /// <summary>Whether a listener asked for <see cref="Keywords.Operations"/>: all that an operation costs where none did.</summary>
    internal static bool TracesOperations { get; private set; }

    [Event(1, Level = EventLevel.Informational)]
    public void ReactorStart(int reactorId) => WriteEvent(1, reactorId);

    [Event(2, Level = EventLevel.Informational)]
    public void ReactorStop(int reactorId) => WriteEvent(2, reactorId);

    [Event(3, Level = EventLevel.Verbose)]
    public void ConnectionStart(int reactorId, int slotIndex) => WriteEvent(3, reactorId, slotIndex);

    [Event(4, Level = EventLevel.Verbose)]
    public void ConnectionStop(int reactorId, int slotIndex, int closeReason) => WriteEvent(4, reactorId, slotIndex, closeReason);

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

    // The three of an outbound connection have the payload of System.Net.Sockets, which raises its own only for a Socket.
    [Event(12, Level = EventLevel.Informational, ActivityOptions = EventActivityOptions.Disable)]
    public void ConnectStart(string address) => WriteEvent(12, address);

    [Event(13, Level = EventLevel.Informational, ActivityOptions = EventActivityOptions.Disable)]
    public void ConnectStop() => WriteEvent(13);

    [Event(14, Level = EventLevel.Error)]
    public void ConnectFailed(int error, string exceptionMessage) => WriteEvent(14, error, exceptionMessage);

    [Event(15, Level = EventLevel.Warning)]
    public void ConnectCanceled() => WriteEvent(15);

    /// <summary>An outbound connect is over: with an error, or with a connection.</summary>
    [NonEvent]
    public void ConnectEnded(Exception? error)
    {
        if (error is OperationCanceledException)
        {
            ConnectCanceled();
        }
        else if (error is not null)
        {
            ConnectFailed((int)((error as SocketException)?.SocketErrorCode ?? SocketError.SocketError), error.Message);
        }

        ConnectStop();
    }

    [Event(16, Level = EventLevel.Warning)]
    public void ReactorShortOfProcessor(int reactorId, long turnMs, long waitingMs) => WriteEvent(16, reactorId, turnMs, waitingMs);

    [Event(17, Level = EventLevel.Verbose, Keywords = Keywords.Operations)]
    public void OperationSubmit(int reactorId, string kind, int slotIndex) => WriteEvent(17, reactorId, kind, slotIndex);

    [Event(18, Level = EventLevel.Verbose, Keywords = Keywords.Operations)]
    public void OperationComplete(int reactorId, string kind, int slotIndex, int result) => WriteEvent(18, reactorId, kind, slotIndex, result);

    [Event(19, Level = EventLevel.Error)]
    public void UnhandledException(int reactorId, string exception) => WriteEvent(19, reactorId, exception);

    [Event(20, Level = EventLevel.Critical)]
    public void ReactorFaulted(int reactorId, string exception) => WriteEvent(20, reactorId, exception);

    [NonEvent]
    internal void Submitted(int reactorId, OperationId id) => OperationSubmit(reactorId, id.Kind.ToString(), id.SlotIndex);

    [NonEvent]
    internal void Completed(int reactorId, OperationId id, int result) => OperationComplete(reactorId, id.Kind.ToString(), id.SlotIndex, result);

    protected override void OnEventCommand(EventCommandEventArgs command)
        => TracesOperations = IsEnabled(EventLevel.Verbose, Keywords.Operations);

    /// <summary>Bits by which a listener chooses.</summary>
    public static class Keywords
    {
        /// <summary>Every operation of the rings: submitted, completed.</summary>
        public const EventKeywords Operations = (EventKeywords)1;
    }
}
