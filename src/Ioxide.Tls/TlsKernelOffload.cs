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
    /// of its suites; where it refuses a session all the same, the handshake fails.
    /// </summary>
    Require,
}
