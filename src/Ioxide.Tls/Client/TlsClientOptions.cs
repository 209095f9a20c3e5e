namespace Ioxide.Tls;

/// <summary>
/// Options of a client. The chain and host name of the server are always checked. They are read when a <see cref="TlsClient"/> is created.
/// </summary>
public sealed class TlsClientOptions
{
    /// <summary>
    /// The server's name, or its IP address. A name is sent (SNI), an international one in its ASCII form. The server's certificate must match it.
    /// Required.
    /// </summary>
    public string? HostName { get; set; }

    /// <summary>Application protocols (ALPN), in order of preference. Defaults to none.</summary>
    public IList<SslApplicationProtocol> ApplicationProtocols { get; init; } = [];

    /// <summary>
    /// The TLS versions: 1.2, 1.3 or both. Defaults to <see cref="SslProtocols.None"/>: those of OpenSSL's configuration (MinProtocol and
    /// MaxProtocol of openssl.cnf), of 1.2 and 1.3.
    /// </summary>
    public SslProtocols Protocols { get; set; } = SslProtocols.None;

    /// <summary>The roots that the server's certificate must chain to. Defaults to null: the system's roots.</summary>
    public X509Certificate2Collection? TrustedRoots { get; set; }

    /// <summary>Whether the server's certificate is checked for revocation. Defaults to no.</summary>
    public X509RevocationMode Revocation { get; set; } = X509RevocationMode.NoCheck;

    /// <summary>
    /// Decides whether the server's certificate is accepted. Defaults to null: it is accepted if it has no errors. A callback that always
    /// returns true removes the protection from impostors. Runs on the thread pool.
    /// </summary>
    public Func<X509Certificate2, X509Chain, SslPolicyErrors, bool>? Validation { get; set; }

    /// <summary>The client's own certificate with its key and chain, for servers that request one. Defaults to null.</summary>
    public SslStreamCertificateContext? ClientCertificate { get; set; }

    /// <inheritdoc cref="TlsServerOptions.KernelOffload"/>
    public TlsKernelOffload KernelOffload { get; set; }

    /// <inheritdoc cref="TlsServerOptions.HandshakeTimeout"/>
    public TimeSpan HandshakeTimeout { get; set; } = TimeSpan.FromSeconds(10);
}
