namespace Ioxide.Tls;

/// <summary>How a server answers handshakes. Read when a <see cref="TlsServer"/> is made from it.</summary>
public sealed class TlsServerOptions : TlsOptions
{
    /// <summary>
    /// The certificate, with its private key, for clients whose name has none of its own and for clients that name none. Required
    /// unless <see cref="CertificateSelector"/> is set.
    /// </summary>
    public X509Certificate2? Certificate { get; set; }

    /// <summary>Certificates between <see cref="Certificate"/> and its root. Defaults to null: they are looked for in the system's stores, offline.</summary>
    public X509Certificate2Collection? CertificateChain { get; set; }

    /// <summary>
    /// Certificates by the name that clients ask for: exact names, and wildcards such as <c>*.example.org</c>, which stand for one
    /// label. Exact goes first, then the wildcard, then <see cref="Certificate"/>. Defaults to none.
    /// </summary>
    public IDictionary<string, X509Certificate2> CertificatesByName { get; init; } =
        new Dictionary<string, X509Certificate2>(StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// Chooses the certificate of one handshake by the client's name, which may be null; asked before all others. It may answer null:
    /// the others are asked then. Runs inside the handshake: on the connection's reactor, or on the thread pool where clients are asked for
    /// certificates or one of the server's keys is long (RSA of more than 2,048 bits, a curve of more than 384). Where it waits, the reactor
    /// serves its other connections, and other handshakes run on the thread pool. Defaults to null.
    /// </summary>
    public Func<RingConnection, string?, X509Certificate2?>? CertificateSelector { get; set; }

    /// <summary>A client that asks for a name without a certificate of its own is refused. Defaults to false: it gets <see cref="Certificate"/>.</summary>
    public bool RequireKnownName { get; set; }

    /// <summary>Whether clients are asked for certificates. Defaults to no. Sessions with certificates are not resumed.</summary>
    public TlsClientCertificateMode ClientCertificateMode { get; set; }

    /// <summary>
    /// The last word about a client's certificate; defaults to null: accepted if it has no errors. Runs on the thread pool.
    /// </summary>
    public Func<X509Certificate2, X509Chain, SslPolicyErrors, bool>? ClientCertificateValidation { get; set; }

    /// <summary>Roots that client certificates must come from. Defaults to null: the system's.</summary>
    public X509Certificate2Collection? ClientCertificateRoots { get; set; }

    /// <summary>Whether revocation of client certificates is checked. Defaults to no.</summary>
    public X509RevocationMode ClientCertificateRevocation { get; set; } = X509RevocationMode.NoCheck;

    /// <summary>
    /// How long a client may resume a session without a new certificate check; its ticket is good on every reactor. Defaults to 2
    /// hours; zero turns resumption off. The keys of tickets are replaced each half of it.
    /// </summary>
    public TimeSpan SessionLifetime { get; set; } = TimeSpan.FromHours(2);

    /// <summary>The signed OCSP response for <see cref="Certificate"/>, in DER, for clients that ask. Defaults to null. It is not renewed.</summary>
    public byte[]? OcspResponse { get; set; }

    /// <summary>
    /// Half-done handshakes that one reactor keeps, as a bound on memory. Defaults to 2,000, which is 94 MiB per reactor: a client that was
    /// answered and has not finished takes about 47 KiB; one whose first message is not whole takes an eighth of that. None of them holds
    /// up another. Where one more does not fit, the client that has been silent longest is dropped
    /// (<see cref="TlsFailure.Displaced"/>). At most as many certificates of clients are checked at once on the thread pool.
    /// </summary>
    public int MaxHandshakesPerReactor { get; set; } = 2000;

    /// <summary>Tells the time that ticket keys are rotated by.</summary>
    internal TimeProvider Time { get; set; } = TimeProvider.System;
}
