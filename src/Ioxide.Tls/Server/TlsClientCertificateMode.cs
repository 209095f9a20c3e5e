namespace Ioxide.Tls;

/// <summary>Whether a server asks its clients for certificates.</summary>
public enum TlsClientCertificateMode
{
    /// <summary>Certificates are not requested.</summary>
    None,

    /// <summary>Certificates are requested. A client without one is served.</summary>
    Allow,

    /// <summary>Certificates are requested. A client without an accepted one is refused.</summary>
    Require,
}
