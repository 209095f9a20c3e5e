namespace Ioxide;

/// <summary>Why a connection ended. The first reason wins.</summary>
public enum CloseReason
{
    /// <summary>The connection is open.</summary>
    None,

    /// <summary>The peer sent its last byte (FIN).</summary>
    PeerFinished,

    /// <summary>The application completed or disposed the connection.</summary>
    Disposed,

    /// <summary>The application aborted the connection.</summary>
    Aborted,

    /// <summary>The peer reset the connection, or the network dropped it.</summary>
    PeerReset,

    /// <summary>The peer took no byte for <see cref="RingConnectionOptions.SendTimeout"/>.</summary>
    TimedOut,

    /// <summary>The reactor ended.</summary>
    ReactorEnded,
}
