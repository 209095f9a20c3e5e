namespace Ioxide.Tls;

/// <summary>Whether the kernel makes the records that are sent.</summary>
public enum TlsKernelOffload
{
    /// <summary>Where it has TLS and a large piece of outside memory is sent: a copy less. Small writes are cheaper in user space.</summary>
    Auto,

    /// <summary>Never.</summary>
    Never,

    /// <summary>On every session, from the application's first byte on. Where the kernel refuses, or the client takes short records only, the handshake fails.</summary>
    Require,
}
