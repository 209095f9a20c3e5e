namespace Ioxide.Tls;

/// <summary>How one cipher suite protects records: an AEAD of OpenSSL's, the length of its key, the hash that keys are derived with.</summary>
/// <remarks>
/// Only AEAD suites with forward secrecy are offered, so these are all that a handshake can end with. Source: RFC 8446, appendix
/// B.4; RFC 5289 and RFC 7905 for TLS 1.2.
/// </remarks>
internal sealed unsafe class RecordSuite(TlsCipherSuite id, RecordCipher cipher, string name)
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

    /// <summary>OpenSSL's cipher; lives as long as the process.</summary>
    internal nint EvpCipher => Cipher switch
    {
        RecordCipher.Aes128Gcm => Ciphers.Aes128,
        RecordCipher.Aes256Gcm => Ciphers.Aes256,
        _ => Ciphers.ChaCha,
    };

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

    /// <summary>
    /// Each is looked up with its first session, so that options can be made where there is no OpenSSL, and so that a provider that lacks one
    /// (FIPS has no ChaCha20-Poly1305) serves the others.
    /// </summary>
    private static class Ciphers
    {
        private static readonly Lazy<nint> s_aes128 = new(static () => Fetch("AES-128-GCM\0"u8));
        private static readonly Lazy<nint> s_aes256 = new(static () => Fetch("AES-256-GCM\0"u8));
        private static readonly Lazy<nint> s_chaCha = new(static () => Fetch("ChaCha20-Poly1305\0"u8));

        internal static nint Aes128 => s_aes128.Value;

        internal static nint Aes256 => s_aes256.Value;

        internal static nint ChaCha => s_chaCha.Value;

        private static nint Fetch(ReadOnlySpan<byte> name)
        {
            fixed (byte* text = name)
            {
                nint cipher = LibCrypto.FetchCipher(0, text, null);
                return cipher != 0
                    ? cipher
                    : throw new TlsException(
                        TlsFailure.Unavailable, $"OpenSSL has no {Marshal.PtrToStringUTF8((nint)text)}: {LibCrypto.TakeErrors()}.");
            }
        }
    }
}
