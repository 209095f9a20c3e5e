using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Handshakes;

/// <summary>Certificates that sign themselves, by the name of their key: <c>p256</c>, <c>p384</c>, <c>rsa2048</c>, <c>rsa3072</c>, <c>rsa4096</c>.</summary>
internal static class BenchCertificates
{
    internal static readonly string[] Keys = ["p256", "p384", "rsa2048", "rsa3072", "rsa4096"];

    internal static X509Certificate2 Make(string key)
    {
        using AsymmetricAlgorithm made = key switch
        {
            "p256" => ECDsa.Create(ECCurve.NamedCurves.nistP256),
            "p384" => ECDsa.Create(ECCurve.NamedCurves.nistP384),
            _ when key.StartsWith("rsa", StringComparison.Ordinal) => RSA.Create(int.Parse(key.AsSpan(3))),
            _ => throw new ArgumentException($"There is no key {key}; there are {string.Join(", ", Keys)}.", nameof(key)),
        };
        var request = made is RSA rsa
            ? new CertificateRequest("CN=localhost", rsa, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1)
            : new CertificateRequest("CN=localhost", (ECDsa)made, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        request.CertificateExtensions.Add(names.Build());
        return request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(2));
    }
}
