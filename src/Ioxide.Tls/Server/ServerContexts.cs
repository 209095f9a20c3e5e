using System.Collections.Concurrent;

namespace Ioxide.Tls;

/// <summary>OpenSSL's contexts of a server: one for each certificate and set of rules that handshakes have asked for.</summary>
/// <remarks>Options are read anew for each handshake, as SslStream reads them; the contexts that they stand for are kept. Threads: any.</remarks>
internal sealed class ServerContexts(TlsServerOptions options)
{
    // A selector that makes a new certificate each time must not fill the memory.
    internal const int MaxContexts = 1024;

    private readonly ConcurrentDictionary<Key, ServedContext> _contexts = new();

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

    /// <summary>The context for a client that asks for a name, which may be empty.</summary>
    /// <exception cref="TlsException">OpenSSL does not take the certificate; or the application has none for the name.</exception>
    /// <exception cref="InvalidOperationException">The options have no certificate, or one without a key.</exception>
    [ApplicationSide]
    internal TlsContext Find(SslServerAuthenticationOptions ssl, object sender, string name)
    {
        object? certificate = ssl.ServerCertificateSelectionCallback is { } select
            ? select(sender, name) ?? throw new TlsException(
                TlsFailure.Handshake, $"There is no certificate for the name '{name}'.", TlsAlert.UnrecognizedName)
            : (object?)ssl.ServerCertificateContext ?? ssl.ServerCertificate;
        bool asks = ssl.ClientCertificateRequired;
        bool requires = asks && (ssl.RemoteCertificateValidationCallback is null or { Target: ClientValidation { IsRequired: true } });
        var key = new Key(certificate, Versions(ssl), ssl.CipherSuitesPolicy, asks, requires, ssl.AllowTlsResume);
        if (_contexts.TryGetValue(key, out ServedContext? known))
        {
            known.UsedAt = Environment.TickCount64;
            return known.Context;
        }

        if (_contexts.Count >= MaxContexts)
        {
            DropOldest();
        }

        SslStreamCertificateContext served = certificate switch
        {
            SslStreamCertificateContext made => made,
            X509Certificate2 alone => SslStreamCertificateContext.Create(alone, null, offline: true),
            _ => throw new InvalidOperationException(
                "The options of the handshake have no certificate. Set ServerCertificateContext, ServerCertificate (an X509Certificate2) or "
                + "ServerCertificateSelectionCallback."),
        };
        TlsContext context = TlsContext.ForServer(RulesOf(ssl), served, asks, requires, ssl.AllowTlsResume);
        return _contexts.GetOrAdd(key, new ServedContext(context, served.TargetCertificate)).Context;
    }

    /// <summary>Keeps none any longer. Handshakes that have one continue.</summary>
    internal void Clear() => _contexts.Clear();

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
