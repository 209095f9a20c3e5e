using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Pg.Tests;

/// <summary>An authority of the tests' own with a certificate for the server and one for a client, as PEM files.</summary>
/// <remarks>The server's is for localhost and 127.0.0.1 and not for ::1, so that ::1 shows a wrong name.</remarks>
internal sealed class ServerCertificates
{
    /// <summary>Makes the files.</summary>
    /// <param name="folder">Where to.</param>
    /// <param name="clientName">The client certificate's common name: the user that it signs in.</param>
    internal ServerCertificates(string folder, string clientName)
    {
        CaFile = Path.Combine(folder, "ca.pem");
        OtherCaFile = Path.Combine(folder, "other-ca.pem");
        ServerFile = Path.Combine(folder, "server.pem");
        ServerKeyFile = Path.Combine(folder, "server.key");
        ClientFile = Path.Combine(folder, "client.pem");
        ClientKeyFile = Path.Combine(folder, "client.key");

        using X509Certificate2 ca = Authority("Ioxide test authority");
        using X509Certificate2 other = Authority("Another test authority");
        File.WriteAllText(CaFile, ca.ExportCertificatePem());
        File.WriteAllText(OtherCaFile, other.ExportCertificatePem());
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        names.AddIpAddress(IPAddress.Loopback);
        Issue(ca, "localhost", "1.3.6.1.5.5.7.3.1", names, ServerFile, ServerKeyFile);
        Issue(ca, clientName, "1.3.6.1.5.5.7.3.2", null, ClientFile, ClientKeyFile);
    }

    internal string CaFile { get; }

    /// <summary>An authority that issued nothing.</summary>
    internal string OtherCaFile { get; }

    internal string ServerFile { get; }

    internal string ServerKeyFile { get; }

    internal string ClientFile { get; }

    internal string ClientKeyFile { get; }

    private static X509Certificate2 Authority(string name)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign, true));
        request.CertificateExtensions.Add(new X509SubjectKeyIdentifierExtension(request.PublicKey, false));
        return request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(2));
    }

    private static void Issue(
        X509Certificate2 ca, string name, string usage, SubjectAlternativeNameBuilder? names, string file, string keyFile)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(false, false, 0, true));
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid(usage)], false));
        request.CertificateExtensions.Add(X509AuthorityKeyIdentifierExtension.CreateFromCertificate(ca, true, false));
        if (names is not null)
        {
            request.CertificateExtensions.Add(names.Build());
        }

        using X509Certificate2 certificate = request.Create(
            ca, DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1), RandomNumberGenerator.GetBytes(8));
        File.WriteAllText(file, certificate.ExportCertificatePem());
        using (File.Open(keyFile, new FileStreamOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.Write,
            UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite,
        }))
        {
            // libpq and the server refuse a key that others can read.
        }

        File.WriteAllText(keyFile, key.ExportPkcs8PrivateKeyPem());
    }
}
