namespace Ioxide.Tls;

/// <summary>Makes SslStream apply an end point's <see cref="IoxideTlsOptions"/>.</summary>
/// <remarks>
/// The application's <c>OnAuthenticate</c> runs before, so that what it decides is seen. Where it sets what an option sets too, the
/// handshake fails: neither may be lost. Threads: any.
/// </remarks>
internal sealed class SslStreamRules
{
    private static readonly TimeSpan s_lifetimeOfTickets = TimeSpan.FromHours(2);

    private readonly IoxideTlsOptions _options;
    private readonly CipherSuitesPolicy? _suites;
    private readonly NameTable<X509Certificate2> _names;
    private readonly TlsServer? _server;
    private readonly SslStreamCertificateContext? _started;
    private readonly SslProtocols _withoutSuite;
    private readonly bool _choosesByName;

    /// <param name="options">What SslStream must apply.</param>
    /// <param name="server">The one that the application was given to reload certificates with; null where it was not.</param>
    /// <exception cref="InvalidOperationException">SslStream takes no suites here.</exception>
    /// <exception cref="ArgumentException">A suite that is not supported, or none.</exception>
    internal SslStreamRules(IoxideTlsOptions options, TlsServer? server)
    {
        _options = options;
        _names = new NameTable<X509Certificate2>(options.CertificatesByName);
        _server = server;
        _started = server?.Certificate;
        _choosesByName = FallbackRule.ChoosesByName(options);
        if (FallbackRule.HasOwnSuites(options))
        {
            (string suites13, string suites12) = CipherNames.Of(options.CipherSuites);
            _withoutSuite = (suites13.Length == 0 ? SslProtocols.Tls13 : SslProtocols.None)
                | (suites12.Length == 0 ? SslProtocols.Tls12 : SslProtocols.None);
            _suites = !OperatingSystem.IsWindows() ? new CipherSuitesPolicy(options.CipherSuites)
                : throw new InvalidOperationException(
                    $"{nameof(IoxideTlsOptions)}.{nameof(IoxideTlsOptions.CipherSuites)} is set, but on Windows an application cannot set the list. "
                    + "Leave it at its default there, and set the suites of the system.");
        }
    }

    internal void Apply(
        ConnectionContext context, SslServerAuthenticationOptions ssl, Action<ConnectionContext, SslServerAuthenticationOptions>? own)
    {
        UseCurrentCertificate(ssl);
        own?.Invoke(context, ssl);
        if (_options.ClientCertificateRoots is { } roots)
        {
            ThrowIfSet(ssl.CertificateChainPolicy, nameof(ssl.CertificateChainPolicy), nameof(_options.ClientCertificateRoots));
            ssl.CertificateChainPolicy = PolicyOf(roots, ssl.CertificateRevocationCheckMode);
        }

        if (_suites is not null)
        {
            ThrowIfSet(ssl.CipherSuitesPolicy, nameof(ssl.CipherSuitesPolicy), nameof(_options.CipherSuites));
            ssl.CipherSuitesPolicy = _suites;
            if ((ssl.EnabledSslProtocols & ~_withoutSuite) is not SslProtocols.None and var served)
            {
                // It refuses every handshake where a version is enabled by name that there is no suite for.
                ssl.EnabledSslProtocols = served;
            }
        }

        // Its tickets live for two hours, as long as their keys: neither a shorter life nor new keys can be had.
        ssl.AllowTlsResume &= _options.SessionLifetime >= s_lifetimeOfTickets && _server is not { TicketRotations: > 0 };
        if (_choosesByName)
        {
            // It takes a callback or a certificate.
            ssl.ServerCertificateSelectionCallback = Choose(ssl.ServerCertificateSelectionCallback, DefaultOf(ssl));
            ssl.ServerCertificate = null;
            ssl.ServerCertificateContext = null;
        }
    }

    /// <summary>A chain policy whose only roots are these.</summary>
    private static X509ChainPolicy PolicyOf(X509Certificate2Collection roots, X509RevocationMode revocation)
    {
        var policy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = revocation };
        policy.ApplicationPolicy.Add(TlsPeerPolicy.ClientUsage);
        policy.CustomTrustStore.AddRange(roots);
        return policy;
    }

    private static X509Certificate? DefaultOf(SslServerAuthenticationOptions ssl)
        => ssl.ServerCertificateContext?.TargetCertificate ?? ssl.ServerCertificate;

    private static void ThrowIfSet(object? value, string name, string option)
    {
        if (value is not null)
        {
            throw new InvalidOperationException(
                $"OnAuthenticate sets {name}, and IoxideTlsOptions.{option} is set as well. Set one of them.");
        }
    }

    /// <summary>The order of <see cref="CertificateTable"/>: the application's choice, the name's, the default.</summary>
    private ServerCertificateSelectionCallback Choose(ServerCertificateSelectionCallback? own, X509Certificate? standard)
        => (sender, name) =>
        {
            if (own?.Invoke(sender, name) is { } chosen)
            {
                return chosen;
            }

            string? asked = string.IsNullOrEmpty(name) ? null : name;

            // Null refuses the handshake; SslStream then closes the connection.
            return asked is not null && _names.Find(asked) is { } named ? named
                : _options.RequireKnownName && asked is not null ? null!
                : standard!;
        };

    /// <summary>After <see cref="TlsServer.Reload"/> its certificate; until then Kestrel's own, which is the same.</summary>
    private void UseCurrentCertificate(SslServerAuthenticationOptions ssl)
    {
        if (_server?.Certificate is { } current && current != _started && ssl.ServerCertificateSelectionCallback is null)
        {
            ssl.ServerCertificate = current.TargetCertificate;
            ssl.ServerCertificateContext = current;
        }
    }
}
