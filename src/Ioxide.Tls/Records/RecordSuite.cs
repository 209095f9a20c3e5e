namespace Ioxide.Tls;

/// <summary>How one cipher suite protects records: an AEAD of OpenSSL's, the length of its key, the hash that keys are derived with.</summary>
/// <remarks>
/// Only AEAD suites with forward secrecy are offered, so these are all that a handshake can end with. Source: RFC 8446, appendix
/// B.4; RFC 5289 and RFC 7905 for TLS 1.2.
/// </remarks>
internal sealed class RecordSuite(TlsCipherSuite id, RecordCipher cipher, string name)
{
    private static readonly RecordSuite[] s_all =
    [
        new(TlsCipherSuite.TLS_AES_128_GCM_SHA256, RecordCipher.Aes128Gcm, "TLS_AES_128_GCM_SHA256"),
        new(TlsCipherSuite.TLS_AES_256_GCM_SHA384, RecordCipher.Aes256Gcm, "TLS_AES_256_GCM_SHA384"),
        new(TlsCipherSuite.TLS_CHACHA20_POLY1305_SHA256, RecordCipher.ChaCha20Poly1305, "TLS_CHACHA20_POLY1305_SHA256"),
        new(TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, RecordCipher.Aes128Gcm, "ECDHE-ECDSA-AES128-GCM-SHA256"),
        new(TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, RecordCipher.Aes128Gcm, "ECDHE-RSA-AES128-GCM-SHA256"),
        new(TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, RecordCipher.Aes256Gcm, "ECDHE-ECDSA-AES256-GCM-SHA384"),
        new(TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, RecordCipher.Aes256Gcm, "ECDHE-RSA-AES256-GCM-SHA384"),
        new(TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, RecordCipher.ChaCha20Poly1305, "ECDHE-ECDSA-CHACHA20-POLY1305"),
        new(TlsCipherSuite.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, RecordCipher.ChaCha20Poly1305, "ECDHE-RSA-CHACHA20-POLY1305"),
    ];

    internal TlsCipherSuite Id { get; } = id;

    internal RecordCipher Cipher { get; } = cipher;

    /// <summary>OpenSSL's name.</summary>
    internal string Name { get; } = name;

    internal bool IsTls13 { get; } = name.StartsWith("TLS_", StringComparison.Ordinal);

    internal int KeyBytes => Cipher == RecordCipher.Aes128Gcm ? 16 : 32;

    internal HashAlgorithmName Hash => Cipher == RecordCipher.Aes256Gcm ? HashAlgorithmName.SHA384 : HashAlgorithmName.SHA256;

    internal int HashBytes => Cipher == RecordCipher.Aes256Gcm ? SHA384.HashSizeInBytes : SHA256.HashSizeInBytes;

    /// <summary>Bytes of the nonce that TLS 1.2 derives with the keys; the rest of the 12 is sent with each record.</summary>
    internal int FixedIvBytes => !IsTls13 && Cipher != RecordCipher.ChaCha20Poly1305 ? 4 : RecordKeys.IvBytes;

    /// <summary>Bytes of the nonce that each record carries: TLS 1.2 with GCM.</summary>
    internal int ExplicitNonceBytes => RecordKeys.IvBytes - FixedIvBytes;

    internal static RecordSuite Of(TlsCipherSuite id)
        => Array.Find(s_all, suite => suite.Id == id)
            ?? throw new TlsException(TlsFailure.Handshake, $"The handshake ended with {id}, which was not offered.", TlsAlert.InternalError);

    /// <summary>The suites that may be offered, in this order of preference.</summary>
    internal static IReadOnlyList<TlsCipherSuite> Supported { get; } = [.. s_all.Select(suite => suite.Id)];
}
