using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Tls.Tests;

/// <summary>An authority and what it signed, made once a run.</summary>
internal static class TestCertificates
{
    internal const string ServerName = "localhost";

    private static readonly X509Certificate2 s_otherRoot = CertificateMaker.Make("CN=Ioxide tests another authority", null, isAuthority: true);

    internal static X509Certificate2 Root { get; } = CertificateMaker.Make("CN=Ioxide tests authority", null, isAuthority: true);

    internal static X509Certificate2Collection Roots { get; } = [Root];

    internal static X509Certificate2 Ecdsa { get; } = ForServer("CN=localhost", ServerName);

    internal static X509Certificate2 Rsa { get; } = ForServer("CN=localhost rsa", ServerName, RSA.Create(2048));

    internal static X509Certificate2 Named { get; } = ForServer("CN=named.test", "named.test");

    internal static X509Certificate2 Wildcard { get; } = ForServer("CN=*.wild.test", "*.wild.test");

    internal static X509Certificate2 Client { get; } = CertificateMaker.Make("CN=client", Root, CertificateMaker.ClientUsage);

    internal static X509Certificate2 ExpiredClient { get; }
        = CertificateMaker.Make("CN=expired client", Root, CertificateMaker.ClientUsage, endDays: -1);

    internal static X509Certificate2 StrangeClient { get; } = CertificateMaker.Make("CN=strange client", s_otherRoot, CertificateMaker.ClientUsage);

    /// <summary>A server's certificate for <see cref="ServerName"/> with an RSA key of so many bits.</summary>
    internal static X509Certificate2 SignRsa(int keyBits) => ForServer("CN=localhost long", ServerName, RSA.Create(keyBits));

    private static X509Certificate2 ForServer(string subject, string name, AsymmetricAlgorithm? key = null)
        => CertificateMaker.Make(subject, Root, CertificateMaker.ServerUsage, names: [name, "127.0.0.1"], key: key);
}
