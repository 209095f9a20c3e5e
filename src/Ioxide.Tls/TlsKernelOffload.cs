namespace Ioxide.Tls;

/// <summary>Whether the kernel makes the records that are sent.</summary>
public enum TlsKernelOffload
{
    /// <summary>Where it has TLS and a large piece of outside memory is sent: a copy less. Small writes are cheaper in user space.</summary>
    Auto,

    /// <summary>Never.</summary>
    Never,

    /// <summary>
    /// On every session, from the application's first byte on. The handshake fails where the kernel refuses, and where the peer takes
    /// short records only (max_fragment_length; RFC 6066, section 4), because the kernel sends longer ones.
    /// </summary>
    Require,
}
