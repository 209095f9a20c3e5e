using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.TestKit;

/// <summary>Makes certificates of any kind.</summary>
internal static class CertificateMaker
{
    internal const string ServerUsage = "1.3.6.1.5.5.7.3.1";
    internal const string ClientUsage = "1.3.6.1.5.5.7.3.2";

    /// <summary>One that signs itself and names nothing but its subject.</summary>
    internal static X509Certificate2 SelfSigned(string subject = "CN=localhost") => Make(subject, issuer: null);

    /// <summary>A certificate with its key. Valid for two days in each direction where no other days are given.</summary>
    /// <param name="subject">Its name.</param>
    /// <param name="issuer">Who signs it; null where it signs itself.</param>
    /// <param name="usage">What it is made for; null where it does not say.</param>
    /// <param name="isAuthority">It may sign others.</param>
    /// <param name="startDays">The first day, from today.</param>
    /// <param name="endDays">The last day, from today.</param>
    /// <param name="names">The servers' names and addresses.</param>
    /// <param name="key">Its key; a new one of P-256 where there is none. It is not disposed of.</param>
    /// <param name="padding">With which an issuer with an RSA key signs.</param>
    /// <param name="more">More extensions.</param>
    internal static X509Certificate2 Make(
        string subject, X509Certificate2? issuer, string? usage = null, bool isAuthority = false, int startDays = -2, int endDays = 2,
        string[]? names = null, AsymmetricAlgorithm? key = null, RSASignaturePadding? padding = null, params X509Extension[] more)
    {
        key ??= ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = key is RSA rsa
            ? new(subject, rsa, HashAlgorithmName.SHA256, padding ?? RSASignaturePadding.Pkcs1)
            : new(subject, (ECDsa)key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(isAuthority, false, 0, true));
        if (usage is not null)
        {
            request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid(usage)], false));
        }

        if (names is not null)
        {
            SubjectAlternativeNameBuilder alternatives = new();
            foreach (string name in names)
            {
                if (IPAddress.TryParse(name, out IPAddress? address))
                {
                    alternatives.AddIpAddress(address);
                }
                else
                {
                    alternatives.AddDnsName(name);
                }
            }

            request.CertificateExtensions.Add(alternatives.Build());
        }

        Array.ForEach(more, request.CertificateExtensions.Add);
        DateTimeOffset now = DateTimeOffset.UtcNow;
        if (issuer is null)
        {
            return request.CreateSelfSigned(now.AddDays(startDays), now.AddDays(endDays));
        }

        X509SignatureGenerator generator = issuer.GetRSAPrivateKey() is { } issuerRsa
            ? X509SignatureGenerator.CreateForRSA(issuerRsa, padding ?? RSASignaturePadding.Pkcs1)
            : X509SignatureGenerator.CreateForECDsa(issuer.GetECDsaPrivateKey()!);
        using X509Certificate2 signed = request.Create(
            issuer.SubjectName, generator, now.AddDays(startDays), now.AddDays(endDays), RandomNumberGenerator.GetBytes(8));
        return key is RSA own ? signed.CopyWithPrivateKey(own) : signed.CopyWithPrivateKey((ECDsa)key);
    }
}
