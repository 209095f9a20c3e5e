namespace Ioxide;

/// <summary>Sits between the application and a connection's output, and converts the writes of a whole turn into bytes to send.</summary>
internal interface ISendLayer
{
    /// <summary>
    /// The turn ends, or the connection is disposed: everything flushed goes to the connection's output now. Called on the
    /// reactor when the connection is dirty. Must not throw.
    /// </summary>
    void EndTurn();

    /// <summary>
    /// The kernel's TLS has made a non-data record (<see cref="SendPipe.AppendRecord"/>); nothing queued
    /// behind it is sent yet. Called on the reactor. Must not throw.
    /// </summary>
    void RecordSent(byte recordType);

    /// <summary>
    /// A send has taken the last byte of the queue; a flush that waits is resumed after it. Called on the reactor. Must not throw.
    /// </summary>
    void QueueSent();
}
