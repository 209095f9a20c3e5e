namespace Ioxide.Tls;

/// <summary>A TLS alert. Source: RFC 8446, section 6; RFC 5246, section 7.2.</summary>
public enum TlsAlert : byte
{
    /// <summary>The sender sends nothing more.</summary>
    CloseNotify = 0,

    /// <summary>A message was not expected at this point.</summary>
    UnexpectedMessage = 10,

    /// <summary>A record could not be authenticated.</summary>
    BadRecordMac = 20,

    /// <summary>A record was longer than allowed.</summary>
    RecordOverflow = 22,

    /// <summary>There are no common parameters.</summary>
    HandshakeFailure = 40,

    /// <summary>A certificate was not accepted.</summary>
    BadCertificate = 42,

    /// <summary>A certificate was revoked.</summary>
    CertificateRevoked = 44,

    /// <summary>A certificate has expired or is not yet valid.</summary>
    CertificateExpired = 45,

    /// <summary>A certificate was not accepted for another reason.</summary>
    CertificateUnknown = 46,

    /// <summary>A field had an invalid value.</summary>
    IllegalParameter = 47,

    /// <summary>A certificate's issuer is not trusted.</summary>
    UnknownAuthority = 48,

    /// <summary>A message could not be decoded.</summary>
    DecodeError = 50,

    /// <summary>The protocol version is not supported.</summary>
    ProtocolVersion = 70,

    /// <summary>The sender has an internal error.</summary>
    InternalError = 80,

    /// <summary>The handshake was canceled.</summary>
    UserCanceled = 90,

    /// <summary>A second handshake was refused. A warning of TLS 1.2.</summary>
    NoRenegotiation = 100,

    /// <summary>There is no certificate for the name.</summary>
    UnrecognizedName = 112,

    /// <summary>A certificate is required.</summary>
    CertificateRequired = 116,

    /// <summary>There is no common application protocol.</summary>
    NoApplicationProtocol = 120,
}
