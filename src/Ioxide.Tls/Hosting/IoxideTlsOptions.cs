namespace Ioxide.Tls;

/// <summary>Options of an HTTPS end point beyond <c>HttpsConnectionAdapterOptions</c>.</summary>
/// <remarks>
/// Where SslStream serves instead of the ring, it applies the options that are set, or the host does not start: see docs/tls.md, "When
/// SslStream serves". Options with default values require nothing of SslStream.
/// </remarks>
public sealed class IoxideTlsOptions
{
    /// <inheritdoc cref="TlsServerOptions.CertificatesByName"/>
    public IDictionary<string, X509Certificate2> CertificatesByName { get; init; } =
        new Dictionary<string, X509Certificate2>(StringComparer.OrdinalIgnoreCase);

    /// <inheritdoc cref="TlsServerOptions.RequireKnownName"/>
    public bool RequireKnownName { get; set; }

    /// <inheritdoc cref="TlsOptions.CipherSuites"/>
    public IList<TlsCipherSuite> CipherSuites { get; init; } = [.. RecordSuite.Supported];

    /// <inheritdoc cref="TlsOptions.KernelOffload"/>
    public TlsKernelOffload KernelOffload { get; set; }

    /// <inheritdoc cref="TlsServerOptions.SessionLifetime"/>
    public TimeSpan SessionLifetime { get; set; } = TimeSpan.FromHours(2);

    /// <inheritdoc cref="TlsServerOptions.OcspResponse"/>
    public byte[]? OcspResponse { get; set; }

    /// <inheritdoc cref="TlsServerOptions.ClientCertificateRoots"/>
    public X509Certificate2Collection? ClientCertificateRoots { get; set; }

    /// <inheritdoc cref="TlsServerOptions.MaxHandshakesPerReactor"/>
    public int MaxHandshakesPerReactor { get; set; } = 2000;

    /// <summary>
    /// Called with the server when the host starts. Keep the server to reload a certificate or to rotate the ticket keys. Defaults to null.
    /// </summary>
    public Action<TlsServer>? OnStarted { get; set; }
}
