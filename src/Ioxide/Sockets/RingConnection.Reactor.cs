namespace Ioxide;

/// <summary>The connection as its reactor uses it.</summary>
public sealed unsafe partial class RingConnection : IReactorConnection
{
    int IReactorConnection.SlotIndex => SlotIndex;

    void IReactorConnection.MarkDirty() => MarkDirty();

    void IReactorConnection.EndTurn() => EndTurn();

    bool IReactorConnection.EndStarvation() => Receiver.EndStarvation();

    void IReactorConnection.LeaveRetiredBuffers() => Receiver.LeaveRetiredBuffers();

    void IReactorConnection.NoteReactorEnded(Exception reason) => NoteReactorEnded(reason);
}
