namespace Ioxide.Tls;

/// <summary>The requirements for a peer's certificate.</summary>
/// <param name="Usage">The use that it must be made for.</param>
/// <param name="RevocationMode">Whether revocation is checked.</param>
/// <param name="ChainPolicy">The application's rules for chains in place of the rest, or null.</param>
/// <param name="TrustedRoots">Roots in place of the system's, or null.</param>
/// <param name="Validation">The application's decision, which is final; null accepts a certificate without errors.</param>
internal sealed record TlsPeerPolicy(
    Oid Usage,
    X509RevocationMode RevocationMode,
    X509ChainPolicy? ChainPolicy,
    X509Certificate2Collection? TrustedRoots,
    [ApplicationSide]
    [property: ApplicationSide]
    Func<X509Certificate2?, X509Chain?, SslPolicyErrors, bool>? Validation)
{
    internal static readonly Oid ServerUsage = new("1.3.6.1.5.5.7.3.1");
    internal static readonly Oid ClientUsage = new("1.3.6.1.5.5.7.3.2");
}
