using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Pg.Tests;

/// <summary>A certificate authority of a test's own. What it issues is written to files of a temporary folder.</summary>
internal sealed class TlsAuthority : IDisposable
{
    private readonly ECDsa _key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
    private readonly X509Certificate2 _root;

    internal TlsAuthority()
    {
        Folder = Directory.CreateTempSubdirectory("ioxide-tls-").FullName;
        var request = new CertificateRequest("CN=Ioxide test root", _key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        _root = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
        RootFile = Path.Combine(Folder, "root.pem");
        File.WriteAllText(RootFile, _root.ExportCertificatePem());
    }

    internal string Folder { get; }

    internal string RootFile { get; }

    internal X509Certificate2 Issue(string host, bool isForClients = false)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={host}", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        if (IPAddress.TryParse(host, out IPAddress? address))
        {
            names.AddIpAddress(address);
        }
        else
        {
            names.AddDnsName(host);
        }

        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid(isForClients ? "1.3.6.1.5.5.7.3.2" : "1.3.6.1.5.5.7.3.1")], false));
        using X509Certificate2 issued = request.Create(
            _root.SubjectName, X509SignatureGenerator.CreateForECDsa(_key), _root.NotBefore, _root.NotAfter, RandomNumberGenerator.GetBytes(8));
        using X509Certificate2 withKey = issued.CopyWithPrivateKey(key);
        return X509CertificateLoader.LoadPkcs12(withKey.Export(X509ContentType.Pkcs12), null);
    }

    /// <summary>Writes a certificate and its key; the paths of both.</summary>
    internal (string Certificate, string Key) Write(X509Certificate2 certificate, string name)
    {
        string path = Path.Combine(Folder, name);
        using ECDsa key = certificate.GetECDsaPrivateKey()!; // Issued with one.
        File.WriteAllText(path + ".crt", certificate.ExportCertificatePem());
        File.WriteAllText(path + ".key", key.ExportPkcs8PrivateKeyPem());
        return (path + ".crt", path + ".key");
    }

    public void Dispose()
    {
        _root.Dispose();
        _key.Dispose();
        Directory.Delete(Folder, recursive: true);
    }
}
