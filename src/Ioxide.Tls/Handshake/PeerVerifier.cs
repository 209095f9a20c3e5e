namespace Ioxide.Tls;

/// <summary>Decides about a peer's certificate with .NET's rules, from inside the handshake, so that the peer gets the right alert.</summary>
/// <remarks>Building a chain may take milliseconds and, with revocation, network: such handshakes run on the thread pool.</remarks>
internal sealed class PeerVerifier(TlsPeerPolicy policy)
{
    // X509_V_* of openssl/x509_vfy.h; each becomes the alert of the same meaning.
    internal const int Accepted = 0;
    internal const int ErrorUnspecified = 1;
    internal const int ErrorExpired = 10;
    internal const int ErrorNoIssuer = 20;
    internal const int ErrorRevoked = 23;
    internal const int ErrorUntrusted = 27;

    /// <summary>Whether the policy accepts what the peer showed, which is its own from here on. Returns an X509_V code.</summary>
    internal int Verify(X509Certificate2 certificate, List<X509Certificate2> others, string? hostName)
    {
        int error = ErrorUnspecified;
        try
        {
            error = Judge(certificate, others, hostName);
            return error;
        }
        finally
        {
            if (error == Accepted)
            {
                Certificate = certificate;
            }
            else if (!MayKeep)
            {
                certificate.Dispose();
            }

            if (!MayKeep)
            {
                others.ForEach(static other => other.Dispose());
            }
        }
    }

    /// <summary>The accepted certificate. The garbage collector frees it.</summary>
    internal X509Certificate2? Certificate { get; private set; }

    /// <summary>The application may keep what its callback was given, as with SslStream. The garbage collector frees it.</summary>
    private bool MayKeep => policy.Validation is not null;

    [ApplicationSide]
    private int Judge(X509Certificate2 certificate, List<X509Certificate2> others, string? hostName)
    {
        using var chain = new X509Chain();
        if (policy.ChainPolicy is { } rules)
        {
            chain.ChainPolicy = rules.Clone();
        }
        else
        {
            chain.ChainPolicy.RevocationMode = policy.RevocationMode;

            // Certificates name addresses (AIA), and the peer is nobody yet: what it names is not fetched in its handshake unless asked for.
            chain.ChainPolicy.DisableCertificateDownloads = true;
            if (policy.TrustedRoots is { } roots)
            {
                chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
                chain.ChainPolicy.CustomTrustStore.AddRange(roots);
            }
        }

        if (chain.ChainPolicy.ApplicationPolicy.Count == 0)
        {
            chain.ChainPolicy.ApplicationPolicy.Add(policy.Usage);
        }

        chain.ChainPolicy.ExtraStore.AddRange(others.ToArray());
        var errors = SslPolicyErrors.None;
        if (!chain.Build(certificate))
        {
            errors |= SslPolicyErrors.RemoteCertificateChainErrors;
        }

        if (hostName is not null && !certificate.MatchesHostname(hostName))
        {
            errors |= SslPolicyErrors.RemoteCertificateNameMismatch;
        }

        bool isAccepted = policy.Validation?.Invoke(certificate, chain, errors) ?? errors == SslPolicyErrors.None;
        int error = isAccepted ? Accepted : ErrorOf(chain, errors);
        if (!MayKeep)
        {
            foreach (X509ChainElement element in chain.ChainElements)
            {
                element.Certificate.Dispose();
            }
        }

        return error;
    }

    private static int ErrorOf(X509Chain chain, SslPolicyErrors errors)
    {
        X509ChainStatusFlags status = (errors & SslPolicyErrors.RemoteCertificateChainErrors) == 0
            ? X509ChainStatusFlags.NoError
            : chain.ChainStatus.Aggregate(X509ChainStatusFlags.NoError, static (flags, entry) => flags | entry.Status);
        return (status & X509ChainStatusFlags.Revoked) != 0 ? ErrorRevoked
            : (status & X509ChainStatusFlags.NotTimeValid) != 0 ? ErrorExpired
            : (status & (X509ChainStatusFlags.PartialChain | X509ChainStatusFlags.UntrustedRoot)) != 0 ? ErrorNoIssuer
            : ErrorUntrusted;
    }
}
