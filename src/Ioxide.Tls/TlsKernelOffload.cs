namespace Ioxide.Tls;

/// <summary>Whether the kernel makes the records that are sent.</summary>
public enum TlsKernelOffload
{
    /// <summary>Where it has TLS and a large piece of outside memory is sent: a copy less. Small writes are cheaper in user space.</summary>
    Auto,

    /// <summary>Never.</summary>
    Never,

    /// <summary>
    /// On every session, from the application's first byte on. A server or client is not made where the kernel has no TLS, or none for one
    /// of its suites; the handshake fails where the kernel refuses a session all the same, and where the peer takes short records only
    /// (max_fragment_length; RFC 6066, section 4), because the kernel sends longer ones.
    /// </summary>
    Require,
}
