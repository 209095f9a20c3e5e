namespace Ioxide.Tls;

/// <summary>Why a handshake failed or a session ended without close_notify. Also the value of the metrics attribute <c>error.type</c>.</summary>
public enum TlsFailure
{
    /// <summary>OpenSSL is missing or too old.</summary>
    Unavailable,

    /// <summary>The handshake timed out.</summary>
    Timeout,

    /// <summary>The peer sent no TLS, or violated the protocol.</summary>
    Protocol,

    /// <summary>OpenSSL ended the handshake: there is no common version, suite or protocol, or the server name is unknown.</summary>
    Handshake,

    /// <summary>This side did not accept the peer's certificate.</summary>
    Certificate,

    /// <summary>The peer sent a fatal alert.</summary>
    PeerAlert,

    /// <summary>A record could not be authenticated.</summary>
    BadRecord,

    /// <summary>The peer's stream ended without close_notify: an attacker may have truncated it.</summary>
    Truncated,

    /// <summary>Kernel TLS was required and is unavailable.</summary>
    KernelTls,

    /// <summary>
    /// The handshake was dropped for a newer one: its client had been silent longest when
    /// <see cref="TlsServerOptions.MaxHandshakesPerReactor"/> was reached.
    /// </summary>
    Displaced,

    /// <summary>A callback of the application threw inside the handshake. The inner exception is what it threw.</summary>
    Application,
}
