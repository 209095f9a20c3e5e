using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Tls.Tests;

/// <summary>Certificates of every kind that a server must tell apart, made once a run.</summary>
internal static class OracleCertificates
{
    private const string ServerUsage = "1.3.6.1.5.5.7.3.1";
    private const string ClientUsage = "1.3.6.1.5.5.7.3.2";

    internal static X509Certificate2 OtherRoot { get; } = Make("CN=oracle's other authority", null, isAuthority: true);

    internal static X509Certificate2 Intermediate { get; } = Make("CN=intermediate", TestCertificates.Root, isAuthority: true);

    internal static X509Certificate2 ServerByIntermediate { get; } =
        Make("CN=localhost by intermediate", Intermediate, ServerUsage, names: [TestCertificates.ServerName]);

    /// <summary>What clients show, by a name for messages; null shows none.</summary>
    internal static IReadOnlyDictionary<string, SslStreamCertificateContext?> Clients { get; } = new Dictionary<string, SslStreamCertificateContext?>
    {
        ["none"] = null,
        ["good"] = Show(TestCertificates.Client),
        ["without usage"] = Show(Make("CN=without usage", TestCertificates.Root)),
        ["expired"] = Show(TestCertificates.ExpiredClient),
        ["not yet valid"] = Show(Make("CN=not yet valid", TestCertificates.Root, ClientUsage, startDays: 1)),
        ["other root"] = Show(Make("CN=of the other root", OtherRoot, ClientUsage)),
        ["server's usage"] = Show(Make("CN=server's usage", TestCertificates.Root, ServerUsage)),
        ["by intermediate"] = Show(Make("CN=by intermediate", Intermediate, ClientUsage), Intermediate),
        ["without its intermediate"] = Show(Make("CN=without its intermediate", Intermediate, ClientUsage)),
        ["self-signed"] = Show(Make("CN=self-signed", null, ClientUsage)),
        ["authority"] = Show(Make("CN=authority as client", TestCertificates.Root, ClientUsage, isAuthority: true)),
    };

    private static SslStreamCertificateContext Show(X509Certificate2 certificate, X509Certificate2? intermediate = null)
        => SslStreamCertificateContext.Create(certificate, intermediate is null ? null : [intermediate], offline: true);

    private static X509Certificate2 Make(
        string subject, X509Certificate2? issuer, string? usage = null, bool isAuthority = false, int startDays = -2, string[]? names = null)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new(subject, key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(isAuthority, false, 0, true));
        if (usage is not null)
        {
            request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid(usage)], false));
        }

        if (names is not null)
        {
            SubjectAlternativeNameBuilder alternatives = new();
            Array.ForEach(names, alternatives.AddDnsName);
            request.CertificateExtensions.Add(alternatives.Build());
        }

        DateTimeOffset now = DateTimeOffset.UtcNow;
        if (issuer is null)
        {
            return request.CreateSelfSigned(now.AddDays(-2), now.AddDays(2));
        }

        X509SignatureGenerator generator = X509SignatureGenerator.CreateForECDsa(issuer.GetECDsaPrivateKey()!);
        using X509Certificate2 signed = request.Create(
            issuer.SubjectName, generator, now.AddDays(startDays), now.AddDays(2), RandomNumberGenerator.GetBytes(8));
        return signed.CopyWithPrivateKey(key);
    }
}
