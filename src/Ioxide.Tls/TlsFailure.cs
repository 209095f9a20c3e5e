namespace Ioxide.Tls;

/// <summary>Why a handshake or a session ended other than by close_notify. Also the attribute <c>error.type</c> of the metrics.</summary>
public enum TlsFailure
{
    /// <summary>OpenSSL is absent or too old.</summary>
    Unavailable,

    /// <summary>The handshake took longer than it may.</summary>
    Timeout,

    /// <summary>What came is no TLS, or broke the protocol.</summary>
    Protocol,

    /// <summary>OpenSSL refused: no common version, suite or protocol, an unknown name, a certificate that was not accepted.</summary>
    Handshake,

    /// <summary>The peer's certificate was not accepted by this side.</summary>
    Certificate,

    /// <summary>The peer sent a fatal alert.</summary>
    PeerAlert,

    /// <summary>A record could not be authenticated.</summary>
    BadRecord,

    /// <summary>The peer's stream ended without close_notify: somebody may have cut it off.</summary>
    Truncated,

    /// <summary>The kernel's TLS was required and cannot be had.</summary>
    KernelTls,

    /// <summary>
    /// The handshake made room for newer ones: its client had been silent longest when <see cref="TlsServerOptions.MaxHandshakesPerReactor"/>
    /// was reached.
    /// </summary>
    Displaced,
}
