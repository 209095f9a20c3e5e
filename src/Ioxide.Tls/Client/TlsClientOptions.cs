namespace Ioxide.Tls;

/// <summary>How a client begins TLS. Chain and host name of the server are checked.</summary>
public sealed class TlsClientOptions : TlsOptions
{
    /// <summary>The server's name: asked for (SNI) and required of its certificate. Required.</summary>
    public string? HostName { get; set; }

    /// <summary>Roots that the server's certificate must come from. Defaults to null: the system's.</summary>
    public X509Certificate2Collection? TrustedRoots { get; set; }

    /// <summary>Whether revocation is checked. Defaults to no.</summary>
    public X509RevocationMode Revocation { get; set; } = X509RevocationMode.NoCheck;

    /// <summary>
    /// The last word about the server's certificate; defaults to null: accepted if it has no errors. One that always says true turns
    /// off what protects from an impostor. Runs on the thread pool.
    /// </summary>
    public Func<X509Certificate2, X509Chain, SslPolicyErrors, bool>? Validation { get; set; }

    /// <summary>The client's own certificate with its key and chain, for servers that ask. Defaults to null.</summary>
    public SslStreamCertificateContext? ClientCertificate { get; set; }
}
