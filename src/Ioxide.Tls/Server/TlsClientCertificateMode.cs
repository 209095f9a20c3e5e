namespace Ioxide.Tls;

/// <summary>Whether a server asks its clients for certificates.</summary>
public enum TlsClientCertificateMode
{
    /// <summary>Not asked for.</summary>
    None,

    /// <summary>Asked for; a client without one is served.</summary>
    Allow,

    /// <summary>A client without an accepted one is refused.</summary>
    Require,
}
