namespace Ioxide.Tls;

/// <summary>Names of suites as OpenSSL knows them.</summary>
internal static class CipherNames
{
    /// <summary>The lists for TLS 1.3 and TLS 1.2; empty where there is none.</summary>
    /// <exception cref="ArgumentException">A suite that is not supported, or none.</exception>
    internal static (string Suites13, string Suites12) Of(IEnumerable<TlsCipherSuite> suites)
    {
        string[] names = [.. suites.Select(Of)];
        if (names.Length == 0)
        {
            throw new ArgumentException("CipherSuites is empty. Add at least one suite.", nameof(suites));
        }

        return (
            string.Join(':', names.Where(static name => name.StartsWith("TLS_", StringComparison.Ordinal))),
            string.Join(':', names.Where(static name => !name.StartsWith("TLS_", StringComparison.Ordinal))));
    }

    private static string Of(TlsCipherSuite suite) => suite switch
    {
        TlsCipherSuite.TLS_AES_128_GCM_SHA256 => "TLS_AES_128_GCM_SHA256",
        TlsCipherSuite.TLS_AES_256_GCM_SHA384 => "TLS_AES_256_GCM_SHA384",
        TlsCipherSuite.TLS_CHACHA20_POLY1305_SHA256 => "TLS_CHACHA20_POLY1305_SHA256",
        TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 => "ECDHE-ECDSA-AES128-GCM-SHA256",
        TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 => "ECDHE-RSA-AES128-GCM-SHA256",
        TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 => "ECDHE-ECDSA-AES256-GCM-SHA384",
        TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 => "ECDHE-RSA-AES256-GCM-SHA384",
        TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 => "ECDHE-ECDSA-CHACHA20-POLY1305",
        TlsCipherSuite.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 => "ECDHE-RSA-CHACHA20-POLY1305",
        _ => throw new ArgumentException(
            $"{suite} is not supported: only AEAD suites with forward secrecy are ({string.Join(", ", RecordSuite.Supported)}).", nameof(suite)),
    };
}
