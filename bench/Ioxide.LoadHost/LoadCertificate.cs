using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.LoadHost;

/// <summary>Makes the certificate of the HTTPS endpoint.</summary>
internal static class LoadCertificate
{
    /// <summary>A self-signed ECDSA P-256 certificate for this machine, valid for a day. Kestrel owns it.</summary>
    internal static X509Certificate2 Create()
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        DateTimeOffset now = DateTimeOffset.UtcNow;
        return request.CreateSelfSigned(now.AddHours(-1), now.AddDays(1));
    }
}
