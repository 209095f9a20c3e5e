using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Tls.Tests;

/// <summary>Certificates of every kind that a server must tell apart, made once a run.</summary>
internal static class OracleCertificates
{
    internal static X509Certificate2 OtherRoot { get; } = CertificateMaker.Make("CN=oracle's other authority", null, isAuthority: true);

    internal static X509Certificate2 Intermediate { get; } = CertificateMaker.Make("CN=intermediate", TestCertificates.Root, isAuthority: true);

    internal static X509Certificate2 ServerByIntermediate { get; } =
        CertificateMaker.Make("CN=localhost by intermediate", Intermediate, CertificateMaker.ServerUsage, names: [TestCertificates.ServerName]);

    /// <summary>What clients show, by a name for messages; null shows none.</summary>
    internal static IReadOnlyDictionary<string, SslStreamCertificateContext?> Clients { get; } = new Dictionary<string, SslStreamCertificateContext?>
    {
        ["none"] = null,
        ["good"] = Show(TestCertificates.Client),
        ["without usage"] = Show(CertificateMaker.Make("CN=without usage", TestCertificates.Root)),
        ["expired"] = Show(TestCertificates.ExpiredClient),
        ["not yet valid"] = Show(CertificateMaker.Make("CN=not yet valid", TestCertificates.Root, CertificateMaker.ClientUsage, startDays: 1)),
        ["other root"] = Show(CertificateMaker.Make("CN=of the other root", OtherRoot, CertificateMaker.ClientUsage)),
        ["server's usage"] = Show(CertificateMaker.Make("CN=server's usage", TestCertificates.Root, CertificateMaker.ServerUsage)),
        ["by intermediate"] = Show(CertificateMaker.Make("CN=by intermediate", Intermediate, CertificateMaker.ClientUsage), Intermediate),
        ["without its intermediate"] = Show(CertificateMaker.Make("CN=without its intermediate", Intermediate, CertificateMaker.ClientUsage)),
        ["self-signed"] = Show(CertificateMaker.Make("CN=self-signed", null, CertificateMaker.ClientUsage)),
        ["authority"] = Show(CertificateMaker.Make("CN=authority as client", TestCertificates.Root, CertificateMaker.ClientUsage, isAuthority: true)),
    };

    private static SslStreamCertificateContext Show(X509Certificate2 certificate, X509Certificate2? intermediate = null)
        => SslStreamCertificateContext.Create(certificate, intermediate is null ? null : [intermediate], offline: true);
}
