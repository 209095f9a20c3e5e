using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Tls.Tests;

/// <summary>An authority and what it signed, made once a run.</summary>
internal static class TestCertificates
{
    internal const string ServerName = "localhost";

    private static readonly X509BasicConstraintsExtension s_isAuthority = new(true, false, 0, true);
    private static readonly X509Certificate2 s_otherRoot = MakeRoot("CN=Ioxide tests another authority");

    internal static X509Certificate2 Root { get; } = MakeRoot("CN=Ioxide tests authority");

    internal static X509Certificate2Collection Roots { get; } = [Root];

    internal static X509Certificate2 Ecdsa { get; } = Sign(Root, "CN=localhost", [ServerName], isServer: true);

    internal static X509Certificate2 Rsa { get; } = Sign(Root, "CN=localhost rsa", [ServerName], isServer: true, isRsa: true);

    internal static X509Certificate2 Named { get; } = Sign(Root, "CN=named.test", ["named.test"], isServer: true);

    internal static X509Certificate2 Wildcard { get; } = Sign(Root, "CN=*.wild.test", ["*.wild.test"], isServer: true);

    internal static X509Certificate2 Client { get; } = Sign(Root, "CN=client", [], isServer: false);

    internal static X509Certificate2 ExpiredClient { get; } = Sign(Root, "CN=expired client", [], isServer: false, isExpired: true);

    internal static X509Certificate2 StrangeClient { get; } = Sign(s_otherRoot, "CN=strange client", [], isServer: false);

    /// <summary>A server's certificate for <see cref="ServerName"/> with an RSA key of so many bits.</summary>
    internal static X509Certificate2 SignRsa(int keyBits)
        => Sign(Root, "CN=localhost long", [ServerName], isServer: true, isRsa: true, rsaBits: keyBits);

    /// <summary>A server's certificate for other names than <see cref="ServerName"/>.</summary>
    internal static X509Certificate2 Sign(
        X509Certificate2 root, string subject, string[] names, bool isServer, bool isRsa = false, bool isExpired = false,
        int rsaBits = 2048)
    {
        using ECDsa ecdsa = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using RSA rsa = RSA.Create(rsaBits);
        CertificateRequest request = isRsa
            ? new(subject, rsa, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1)
            : new(subject, ecdsa, HashAlgorithmName.SHA256);
        Oid usage = isServer ? new("1.3.6.1.5.5.7.3.1") : new("1.3.6.1.5.5.7.3.2");
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([usage], false));
        SubjectAlternativeNameBuilder alternatives = new();
        foreach (string name in names)
        {
            alternatives.AddDnsName(name);
        }

        if (names.Length > 0)
        {
            alternatives.AddIpAddress(IPAddress.Loopback);
            request.CertificateExtensions.Add(alternatives.Build());
        }

        DateTimeOffset now = DateTimeOffset.UtcNow;
        DateTimeOffset end = isExpired ? now.AddHours(-1) : now.AddDays(2);
        X509SignatureGenerator generator = X509SignatureGenerator.CreateForECDsa(root.GetECDsaPrivateKey()!);
        using X509Certificate2 signed = request.Create(
            root.SubjectName, generator, now.AddDays(-2), end, RandomNumberGenerator.GetBytes(8));
        return isRsa ? signed.CopyWithPrivateKey(rsa) : signed.CopyWithPrivateKey(ecdsa);
    }

    private static X509Certificate2 MakeRoot(string subject)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new(subject, key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(s_isAuthority);
        DateTimeOffset now = DateTimeOffset.UtcNow;
        return request.CreateSelfSigned(now.AddDays(-3), now.AddDays(3));
    }
}
