namespace Ioxide.Tls;

/// <summary>Options of a server. They are read when a <see cref="TlsServer"/> is created.</summary>
public sealed class TlsServerOptions : TlsOptions
{
    /// <summary>
    /// The default certificate, with its private key: for clients that send no server name or one without its own certificate. Required unless
    /// <see cref="CertificatesByName"/> or <see cref="CertificateSelector"/> is set.
    /// </summary>
    public X509Certificate2? Certificate { get; set; }

    /// <summary>
    /// The intermediate certificates of <see cref="Certificate"/>. Defaults to null: they are taken from the system's stores, without network
    /// access.
    /// </summary>
    public X509Certificate2Collection? CertificateChain { get; set; }

    /// <summary>
    /// Certificates by server name (SNI): exact names, and wildcards such as <c>*.example.org</c>, which match one label. An exact name takes
    /// precedence over a wildcard, and a wildcard over <see cref="Certificate"/>. Defaults to none.
    /// </summary>
    public IDictionary<string, X509Certificate2> CertificatesByName { get; init; } =
        new Dictionary<string, X509Certificate2>(StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// Chooses the certificate of a handshake by the server name, which may be null. It takes precedence over the other options; where it
    /// returns null, they decide. It runs inside the handshake: on the connection's reactor, or on the thread pool where client certificates
    /// are requested or a key of the server is long (RSA over 2,048 bits, a curve over 384 bits). While it blocks, the reactor serves its other
    /// connections, and other handshakes run on the thread pool. Defaults to null.
    /// </summary>
    public Func<RingConnection, string?, X509Certificate2?>? CertificateSelector { get; set; }

    /// <summary>
    /// Whether a client is refused that asks for a name without its own certificate. Defaults to false: it gets <see cref="Certificate"/>.
    /// </summary>
    public bool RequireKnownName { get; set; }

    /// <summary>Whether client certificates are requested. Defaults to no. Sessions with client certificates are not resumed.</summary>
    public TlsClientCertificateMode ClientCertificateMode { get; set; }

    /// <summary>
    /// Decides whether a client certificate is accepted. Defaults to null: it is accepted if it has no errors. Runs on the thread pool.
    /// </summary>
    public Func<X509Certificate2, X509Chain, SslPolicyErrors, bool>? ClientCertificateValidation { get; set; }

    /// <summary>The roots that client certificates must chain to. Defaults to null: the system's roots.</summary>
    public X509Certificate2Collection? ClientCertificateRoots { get; set; }

    /// <summary>Whether client certificates are checked for revocation. Defaults to no.</summary>
    public X509RevocationMode ClientCertificateRevocation { get; set; } = X509RevocationMode.NoCheck;

    /// <summary>
    /// How long a client may resume a session without a certificate exchange. Tickets are valid on every reactor; their keys are replaced after
    /// half of this time. Defaults to 2 hours; zero disables resumption.
    /// </summary>
    public TimeSpan SessionLifetime { get; set; } = TimeSpan.FromHours(2);

    /// <summary>
    /// The signed OCSP response for <see cref="Certificate"/>, in DER, for clients that request it. Defaults to null. It is not renewed.
    /// </summary>
    public byte[]? OcspResponse { get; set; }

    /// <summary>
    /// The most unfinished handshakes per reactor, as a bound on memory. Defaults to 2,000, which is at most 94 MiB per reactor: a client that
    /// received an answer takes about 47 KiB; one whose first message is incomplete takes an eighth of that. Where another handshake does not
    /// fit, the one whose client has been silent longest is dropped (<see cref="TlsFailure.Displaced"/>). This is also the most client
    /// certificates that the thread pool checks at once.
    /// </summary>
    public int MaxHandshakesPerReactor { get; set; } = 2000;

    /// <summary>The clock for the rotation of ticket keys.</summary>
    internal TimeProvider Time { get; set; } = TimeProvider.System;
}
