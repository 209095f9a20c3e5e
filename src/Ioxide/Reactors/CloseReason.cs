namespace Ioxide;

/// <summary>Why a connection ended. The first reason wins.</summary>
public enum CloseReason
{
    /// <summary>It is open.</summary>
    None,

    /// <summary>The peer sent its last byte (FIN).</summary>
    PeerFinished,

    /// <summary>The application completed or disposed it.</summary>
    Disposed,

    /// <summary>The application aborted it.</summary>
    Aborted,

    /// <summary>The peer reset it, or the network took it away.</summary>
    PeerReset,

    /// <summary>The peer took no byte for <see cref="RingConnectionOptions.SendTimeout"/>.</summary>
    TimedOut,

    /// <summary>Its reactor ended.</summary>
    ReactorEnded,
}
