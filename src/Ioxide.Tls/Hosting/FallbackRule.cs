namespace Ioxide.Tls;

/// <summary>How SslStream treats one option of <see cref="IoxideTlsOptions"/>.</summary>
/// <param name="Option">The option's name.</param>
/// <param name="IsSet">Whether it has another value than its default, which SslStream applies anyway.</param>
/// <param name="Remedy">What to do where SslStream cannot apply it; null where <see cref="SslStreamRules"/> makes SslStream apply it.</param>
internal sealed record FallbackRule(string Option, Func<IoxideTlsOptions, bool> IsSet, string? Remedy = null)
{
    private static readonly IoxideTlsOptions s_default = new();

    /// <summary>One for each option.</summary>
    internal static IReadOnlyList<FallbackRule> All { get; } =
    [
        new(nameof(IoxideTlsOptions.CertificatesByName), static options => options.CertificatesByName.Count > 0),
        new(nameof(IoxideTlsOptions.RequireKnownName), static options => options.RequireKnownName),
        new(nameof(IoxideTlsOptions.CipherSuites), static options => HasOwnSuites(options)),
        new(
            nameof(IoxideTlsOptions.KernelOffload),
            static options => options.KernelOffload == TlsKernelOffload.Require,
            "SslStream encrypts in user space: set it to Auto or Never."),
        new(nameof(IoxideTlsOptions.SessionLifetime), static options => options.SessionLifetime != s_default.SessionLifetime),
        new(
            nameof(IoxideTlsOptions.OcspResponse),
            static options => options.OcspResponse is not null,
            "SslStream accepts no response: leave it null, and SslStream fetches one where the certificate names its responder."),
        new(nameof(IoxideTlsOptions.ClientCertificateRoots), static options => options.ClientCertificateRoots is not null),
        new(
            nameof(IoxideTlsOptions.MaxHandshakesPerReactor),
            static options => options.MaxHandshakesPerReactor != s_default.MaxHandshakesPerReactor,
            "SslStream does not count handshakes: leave it at its default, and limit connections by KestrelServerLimits.MaxConcurrentConnections."),
        new(nameof(IoxideTlsOptions.OnStarted), static options => options.OnStarted is not null),
    ];

    internal static bool HasOwnSuites(IoxideTlsOptions options) => !options.CipherSuites.SequenceEqual(s_default.CipherSuites);

    /// <summary>Names of the options that are set, for a message; null where none is.</summary>
    internal static string? NamesOfSet(IoxideTlsOptions options)
    {
        string[] names = [.. All.Where(rule => rule.IsSet(options)).Select(static rule => rule.Option)];
        return names.Length == 0 ? null : string.Join(", ", names);
    }

    /// <summary>Whether certificates are chosen in the handshake.</summary>
    internal static bool ChoosesByName(IoxideTlsOptions options) => options.CertificatesByName.Count > 0 || options.RequireKnownName;

    /// <summary>The options that are set and that SslStream cannot apply, each with its remedy; null where there is none.</summary>
    internal static string? WhatSslStreamCannotKeep(IoxideTlsOptions options, HttpsConnectionAdapterOptions https)
    {
        List<string> lines =
        [
            .. All.Where(rule => rule.Remedy is not null && rule.IsSet(options))
                .Select(static rule => $"{nameof(IoxideTlsOptions)}.{rule.Option}: {rule.Remedy}"),
        ];
        if (FirstWithoutChain(options, https) is { } certificate)
        {
            lines.Add(
                $"{nameof(IoxideTlsOptions)}.{nameof(IoxideTlsOptions.CertificatesByName)} or {nameof(IoxideTlsOptions.RequireKnownName)}: it would "
                + $"send {certificate.Subject} without its intermediate certificates. Add those of {nameof(https.ServerCertificateChain)} to the "
                + "store CertificateAuthority of the user (X509Store).");
        }

        return lines.Count == 0 ? null : string.Join(' ', lines);
    }

    /// <summary>Where SslStream chooses a certificate in the handshake, it sends only those intermediates that the system's stores have.</summary>
    private static X509Certificate2? FirstWithoutChain(IoxideTlsOptions options, HttpsConnectionAdapterOptions https)
    {
        if (!ChoosesByName(options) || https.ServerCertificateChain is not { Count: > 0 } chain)
        {
            return null;
        }

        X509Certificate2? standard = https.ServerCertificateSelector is null ? https.ServerCertificate : null;
        return options.CertificatesByName.Values.Append(standard).FirstOrDefault(
            certificate => certificate is not null && Intermediates(certificate, chain) > Intermediates(certificate, null));
    }

    private static int Intermediates(X509Certificate2 certificate, X509Certificate2Collection? chain)
        => SslStreamCertificateContext.Create(certificate, chain, offline: true).IntermediateCertificates.Count;
}
