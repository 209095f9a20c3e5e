namespace Ioxide.Tls;

/// <summary>What one side tells the other before it ends. Source: RFC 8446, section 6; RFC 5246, section 7.2.</summary>
public enum TlsAlert : byte
{
    /// <summary>Nothing more is sent.</summary>
    CloseNotify = 0,

    /// <summary>A message came at the wrong time.</summary>
    UnexpectedMessage = 10,

    /// <summary>A record could not be authenticated.</summary>
    BadRecordMac = 20,

    /// <summary>A record was longer than allowed.</summary>
    RecordOverflow = 22,

    /// <summary>No common parameters.</summary>
    HandshakeFailure = 40,

    /// <summary>A certificate was not accepted.</summary>
    BadCertificate = 42,

    /// <summary>A certificate was revoked.</summary>
    CertificateRevoked = 44,

    /// <summary>A certificate's time is over, or has not begun.</summary>
    CertificateExpired = 45,

    /// <summary>A certificate was not accepted for another reason.</summary>
    CertificateUnknown = 46,

    /// <summary>A field had an impossible value.</summary>
    IllegalParameter = 47,

    /// <summary>A certificate's issuer is not trusted.</summary>
    UnknownAuthority = 48,

    /// <summary>A message could not be read.</summary>
    DecodeError = 50,

    /// <summary>The version is not offered.</summary>
    ProtocolVersion = 70,

    /// <summary>This side failed.</summary>
    InternalError = 80,

    /// <summary>The handshake was given up.</summary>
    UserCanceled = 90,

    /// <summary>TLS 1.2: a second handshake was refused. A warning.</summary>
    NoRenegotiation = 100,

    /// <summary>There is no certificate for the name.</summary>
    UnrecognizedName = 112,

    /// <summary>A certificate is required.</summary>
    CertificateRequired = 116,

    /// <summary>No application protocol in common.</summary>
    NoApplicationProtocol = 120,
}
