namespace Ioxide.Tls;

/// <summary>What an HTTPS end point of Kestrel's can be told beyond <c>HttpsConnectionAdapterOptions</c>.</summary>
/// <remarks>
/// Where SslStream serves instead of the ring, what is set holds as well, or the host does not start: see docs/tls.md, "When SslStream
/// serves". Options that are left at their defaults ask nothing of SslStream.
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
    /// Told the server once it is made, at the start of the host: keep it to reload a certificate or to rotate the keys of tickets.
    /// </summary>
    public Action<TlsServer>? OnStarted { get; set; }
}
