using System.Collections.Concurrent;

namespace Ioxide.Tls;

/// <summary>OpenSSL's contexts of a server: one for each certificate and set of rules that handshakes have asked for.</summary>
/// <remarks>Options are read anew for each handshake, as SslStream reads them; the contexts that they stand for are kept. Threads: any.</remarks>
internal sealed class ServerContexts(TlsServerOptions options)
{
    // A selector that makes a new certificate each time must not fill the memory.
    internal const int MaxContexts = 1024;

    private readonly ConcurrentDictionary<Key, ServedContext> _contexts = new();

    // By their thumbprint, those that were logged.
    private readonly ConcurrentDictionary<string, bool> _lacking = new(StringComparer.Ordinal);

    /// <summary>Those that are kept.</summary>
    internal ICollection<ServedContext> Served => _contexts.Values;

    /// <summary>Why SslStream has to serve with these options, as a sentence; null where a ring can.</summary>
    internal static string? WhyNot(SslServerAuthenticationOptions ssl)
        => ssl switch
        {
            { EnabledSslProtocols: not SslProtocols.None } when Versions(ssl) == SslProtocols.None => "neither TLS 1.2 nor TLS 1.3 is enabled.",
            { EncryptionPolicy: not EncryptionPolicy.RequireEncryption } => "EncryptionPolicy allows sessions without encryption.",
            { AllowRsaPssPadding: false } or { AllowRsaPkcs1Padding: false }
                => "only SslStream supports AllowRsaPssPadding and AllowRsaPkcs1Padding.",
            { CipherSuitesPolicy: { } policy }
                => OperatingSystem.IsLinux() && policy.AllowedCipherSuites.Except(RecordSuite.Supported).ToArray() is [var other, ..]
                ? $"only SslStream supports {other} of CipherSuitesPolicy. Leave it out, and the ring serves."
                : null,
            _ => null,
        };

    /// <summary>Versions and suites of these options.</summary>
    /// <exception cref="TlsException">OpenSSL's configuration leaves nothing, or the kernel lacks what is required.</exception>
    internal TlsRules RulesOf(SslServerAuthenticationOptions ssl)
        => new(Versions(ssl), Suites(ssl.CipherSuitesPolicy), options.KernelOffload, options.AskKernel);

    /// <summary>
    /// The context for a client that asks for a name, which may be empty. The issuers of a certificate that is given alone are found on the thread
    /// pool first.
    /// </summary>
    /// <exception cref="TlsException">OpenSSL does not take the certificate; or the application has none for the name.</exception>
    /// <exception cref="InvalidOperationException">The options have no certificate, or one without a key.</exception>
    [ApplicationSide]
    internal ValueTask<TlsContext> FindAsync(SslServerAuthenticationOptions ssl, object sender, string name, CancellationToken cancellationToken)
    {
        Key key = Ask(ssl, sender, name);
        return FindKnown(key) is { } known ? new ValueTask<TlsContext>(known)
            : key.Certificate is X509Certificate2 alone ? MakeAsync(ssl, key, alone, cancellationToken)
            : new ValueTask<TlsContext>(Make(ssl, key, ContextOf(key)));
    }

    /// <summary>As <see cref="FindAsync"/>, for who may wait.</summary>
    [ApplicationSide]
    internal TlsContext Find(SslServerAuthenticationOptions ssl, object sender, string name)
    {
        Key key = Ask(ssl, sender, name);
        return FindKnown(key)
            ?? Make(ssl, key, key.Certificate is X509Certificate2 alone ? Accept(CertificateChain.Find(alone)) : ContextOf(key));
    }

    /// <summary>Keeps none any longer. Handshakes that have one continue.</summary>
    internal void Clear() => _contexts.Clear();

    [ApplicationSide]
    private static Key Ask(SslServerAuthenticationOptions ssl, object sender, string name)
    {
        object? certificate = ssl.ServerCertificateSelectionCallback is { } select
            ? select(sender, name) ?? throw new TlsException(
                TlsFailure.Handshake, $"There is no certificate for the name '{name}'.", TlsAlert.UnrecognizedName)
            : (object?)ssl.ServerCertificateContext ?? ssl.ServerCertificate;
        bool asks = ssl.ClientCertificateRequired;
        bool requires = asks && (ssl.RemoteCertificateValidationCallback is null or { Target: ClientValidation { IsRequired: true } });
        return new Key(certificate, Versions(ssl), ssl.CipherSuitesPolicy, asks, requires, ssl.AllowTlsResume);
    }

    private TlsContext? FindKnown(in Key key)
    {
        if (!_contexts.TryGetValue(key, out ServedContext? known))
        {
            return null;
        }

        known.UsedAt = Environment.TickCount64;
        return known.Context;
    }

    private async ValueTask<TlsContext> MakeAsync(
        SslServerAuthenticationOptions ssl, Key key, X509Certificate2 alone, CancellationToken cancellationToken)
    {
        SslStreamCertificateContext served = Accept(await CertificateChain.FindAsync(alone).WaitAsync(cancellationToken).ConfigureAwait(true));

        // The first of the handshakes that waited for these issuers makes it.
        return FindKnown(key) ?? Make(ssl, key, served);
    }

    private SslStreamCertificateContext Accept(CertificateChain chain)
    {
        X509Certificate2 certificate = chain.Context.TargetCertificate;
        if (chain.LacksIssuer && _lacking.Count < MaxContexts && _lacking.TryAdd(certificate.Thumbprint, true))
        {
            options.OnLackingIssuer?.Invoke(certificate);
        }

        return chain.Context;
    }

    private static SslStreamCertificateContext ContextOf(in Key key)
        => key.Certificate as SslStreamCertificateContext ?? throw new InvalidOperationException(
            "The options of the handshake have no certificate. Set ServerCertificateContext, ServerCertificate (an X509Certificate2) or "
            + "ServerCertificateSelectionCallback.");

    private TlsContext Make(SslServerAuthenticationOptions ssl, in Key key, SslStreamCertificateContext served)
    {
        if (_contexts.Count >= MaxContexts)
        {
            DropOldest();
        }

        TlsContext context = TlsContext.ForServer(RulesOf(ssl), served, key.Asks, key.Requires, key.Resumes);
        TlsContext kept = _contexts.GetOrAdd(key, new ServedContext(context, served.TargetCertificate)).Context;
        if (!ReferenceEquals(kept, context))
        {
            // Another reactor was first.
            context.Free();
        }

        return kept;
    }

    /// <summary>Makes room for a part of the bound at once, because looking for the oldest ones looks at all.</summary>
    private void DropOldest()
    {
        foreach ((Key key, _) in _contexts.ToArray().OrderBy(static context => context.Value.UsedAt).Take(MaxContexts / 4))
        {
            _contexts.TryRemove(key, out _);
        }
    }

    private static SslProtocols Versions(SslServerAuthenticationOptions ssl)
        => ssl.EnabledSslProtocols & (SslProtocols.Tls12 | SslProtocols.Tls13);

    private static TlsCipherSuite[]? Suites(CipherSuitesPolicy? policy)
        => policy is not null && OperatingSystem.IsLinux() ? [.. policy.AllowedCipherSuites] : null;

    /// <summary>What a context is made from. Certificates count by reference, policies by their suites.</summary>
    private readonly record struct Key(
        object? Certificate, SslProtocols Versions, CipherSuitesPolicy? Policy, bool Asks, bool Requires, bool Resumes)
    {
        public bool Equals(Key other)
            => ReferenceEquals(Certificate, other.Certificate)
                && (Versions, Asks, Requires, Resumes) == (other.Versions, other.Asks, other.Requires, other.Resumes)
                && (ReferenceEquals(Policy, other.Policy)
                    || (Suites(Policy) is { } suites && Suites(other.Policy) is { } others && suites.AsSpan().SequenceEqual(others)));

        public override int GetHashCode()
            => HashCode.Combine(Certificate is null ? 0 : RuntimeHelpers.GetHashCode(Certificate), Versions, Asks, Requires, Resumes);
    }
}
