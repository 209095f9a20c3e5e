namespace Ioxide.Tls;

/// <summary>What an operation of a <see cref="TlsBufferSession"/> has come to, by the names of .NET 11's state machine for TLS.</summary>
/// <remarks>
/// Its other answers have no place here: options are chosen by the hello before there is a session (<see cref="HelloInfo"/>), and certificates are
/// checked inside the handshake (<see cref="PeerVerifier"/>). What breaks the protocol is a <see cref="TlsException"/>.
/// </remarks>
internal enum TlsOperationStatus
{
    /// <summary>Done.</summary>
    Complete,

    /// <summary>There is more output than room. Nothing is lost: the call is repeated with more.</summary>
    DestinationTooSmall,

    /// <summary>The peer has to send more.</summary>
    NeedMoreData,

    /// <summary>The peer sends nothing more (close_notify).</summary>
    Closed,
}
