namespace Ioxide;

/// <summary>Stands between the application and a connection's output, and turns into bytes to send what a whole turn wrote.</summary>
internal interface ISendLayer
{
    /// <summary>
    /// The turn ends, or the connection is disposed: whatever was flushed goes to the connection's output now. Called on the
    /// reactor when the connection is dirty. Must not throw.
    /// </summary>
    void EndTurn();

    /// <summary>
    /// The kernel's TLS has made a record of another type than data (<see cref="SendPipe.AppendRecord"/>); nothing that was queued
    /// behind it is sent yet. Called on the reactor. Must not throw.
    /// </summary>
    void RecordSent(byte recordType);
}
