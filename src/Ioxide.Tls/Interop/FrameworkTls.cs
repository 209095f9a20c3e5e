namespace Ioxide.Tls;

/// <summary>What .NET's certificate contexts hold and do not show: the roots for clients, and the status of the certificate (OCSP).</summary>
internal static class FrameworkTls
{
    /// <summary>The roots that clients' certificates must chain to; null for the system's.</summary>
    /// <exception cref="MissingMemberException">This version of .NET keeps them elsewhere. Going on would trust other roots.</exception>
    internal static X509Certificate2Collection? TrustedRoots(SslStreamCertificateContext certificate)
    {
        if (Trust(certificate) is not { } trust)
        {
            return null;
        }

        X509Certificate2Collection roots = [.. List(trust) ?? []];
        roots.AddRange(Store(trust)?.Certificates ?? []);
        return roots;
    }

    /// <summary>The roots are named to clients that are asked for a certificate.</summary>
    /// <exception cref="MissingMemberException">This version of .NET keeps that elsewhere.</exception>
    internal static bool NamesRoots(SslStreamCertificateContext certificate) => Trust(certificate) is { } trust && IsSent(trust);

    /// <summary>The answer of the certificate's authority, as far as .NET has fetched it; null where there is none.</summary>
    internal static byte[]? Status(SslStreamCertificateContext certificate)
    {
        try
        {
            return GetStatus(certificate);
        }
        catch (MissingMethodException)
        {
            // This version of .NET has another name for it: clients ask the authority themselves.
            return null;
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "GetOcspResponseNoWaiting")]
    private static extern byte[]? GetStatus(SslStreamCertificateContext certificate);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "Trust")]
    private static extern ref SslCertificateTrust? Trust(SslStreamCertificateContext certificate);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_sendTrustInHandshake")]
    private static extern ref bool IsSent(SslCertificateTrust trust);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_store")]
    private static extern ref X509Store? Store(SslCertificateTrust trust);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_trustList")]
    private static extern ref X509Certificate2Collection? List(SslCertificateTrust trust);
}
