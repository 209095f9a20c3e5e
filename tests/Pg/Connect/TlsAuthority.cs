using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Pg.Tests;

/// <summary>A certificate authority of a test's own. What it issues is written to files of a temporary folder.</summary>
internal sealed class TlsAuthority : IDisposable
{
    private readonly X509Certificate2 _root = CertificateMaker.Make("CN=Ioxide test root", null, isAuthority: true);

    internal TlsAuthority()
    {
        Folder = Directory.CreateTempSubdirectory("ioxide-tls-").FullName;
        RootFile = Path.Combine(Folder, "root.pem");
        File.WriteAllText(RootFile, _root.ExportCertificatePem());
    }

    internal string Folder { get; }

    internal string RootFile { get; }

    internal X509Certificate2 Issue(string host, bool isForClients = false)
        => CertificateMaker.Make($"CN={host}", _root, isForClients ? CertificateMaker.ClientUsage : CertificateMaker.ServerUsage, names: [host]);

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
        Directory.Delete(Folder, recursive: true);
    }
}
