namespace Ioxide.Tls;

/// <summary>Whether the kernel encrypts what is sent (kTLS).</summary>
public enum TlsKernelOffload
{
    /// <summary>
    /// From the first large piece of external memory on, where the kernel has TLS: that saves a copy. Small writes are cheaper in user space.
    /// </summary>
    Auto,

    /// <summary>Never.</summary>
    Never,

    /// <summary>
    /// On every session, from the application's first byte on. Creating a server or client fails where the kernel does not support TLS or one
    /// of the suites. A handshake fails where the kernel refuses the session, and where the peer accepts short records only
    /// (max_fragment_length; RFC 6066, section 4), because the kernel sends longer ones.
    /// </summary>
    Require,
}
