namespace Ioxide;

/// <summary>Stands between the application and a connection's output, and turns into bytes to send what a whole turn wrote.</summary>
internal interface ISendLayer
{
    /// <summary>
    /// The turn ends, or the connection is disposed: whatever was flushed goes to the connection's output now. Called on the
    /// reactor when the connection is dirty. Must not throw.
    /// </summary>
    void EndTurn();
}
