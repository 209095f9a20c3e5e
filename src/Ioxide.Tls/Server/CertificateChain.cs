namespace Ioxide.Tls;

/// <summary>What is shown with a certificate that the application gives alone: its issuers, as SslStream finds them.</summary>
/// <param name="Context">The certificate with its issuers.</param>
/// <param name="LacksIssuer">An issuer is neither in the stores of the machine nor at the address that a certificate names for it.</param>
internal sealed record CertificateChain(SslStreamCertificateContext Context, bool LacksIssuer)
{
    private static readonly ConditionalWeakTable<X509Certificate2, StrongBox<Task<CertificateChain>?>> s_searches = [];

    /// <summary>
    /// Finds the issuers on the thread pool, once for each certificate: where they are fetched, that may take 15 s. The next caller after a search
    /// that failed begins another. Threads: any.
    /// </summary>
    /// <param name="certificate">The certificate.</param>
    /// <param name="find">How it is searched; null for <see cref="Find"/>.</param>
    internal static Task<CertificateChain> FindAsync(X509Certificate2 certificate, Func<X509Certificate2, CertificateChain>? find = null)
    {
        StrongBox<Task<CertificateChain>?> search = s_searches.GetValue(certificate, static _ => new());
        Task<CertificateChain>? known = Volatile.Read(ref search.Value);
        if (known is { IsFaulted: false })
        {
            return known;
        }

        Task<CertificateChain> begun = new(() => (find ?? Find)(certificate));
        if (Interlocked.CompareExchange(ref search.Value, begun, known) is { } other && !ReferenceEquals(other, known))
        {
            return other;
        }

        // All handshakes that wait for it may have ended before it fails.
        begun.ContinueWith(
            static search => _ = search.Exception,
            CancellationToken.None,
            TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        begun.Start(TaskScheduler.Default);
        return begun;
    }

    /// <summary>As <see cref="FindAsync"/>, on the caller's thread.</summary>
    internal static CertificateChain Find(X509Certificate2 certificate)
    {
        using X509Chain chain = new();
        chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
        chain.ChainPolicy.VerificationFlags = X509VerificationFlags.AllFlags;
        chain.ChainPolicy.ApplicationPolicy.Add(TlsPeerPolicy.ServerUsage);
        _ = chain.Build(certificate);
        X509Certificate2[] found = [.. chain.ChainElements.Select(static element => element.Certificate)];
        bool isPartial = chain.ChainStatus.Any(static status => status.Status == X509ChainStatusFlags.PartialChain);

        // Offline, because SslStream staples no status for it either.
        return new CertificateChain(
            SslStreamCertificateContext.Create(certificate, [.. found.Skip(1)], offline: true),
            isPartial && found is [.., var last] && NamesIssuer(last));
    }

    private static bool NamesIssuer(X509Certificate2 certificate)
        => certificate.Extensions.OfType<X509AuthorityInformationAccessExtension>().Any(static access => access.EnumerateCAIssuersUris().Any());
}
