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

        using X509Certificate2 ca = CertificateMaker.Make("CN=Ioxide test authority", null, isAuthority: true);
        using X509Certificate2 other = CertificateMaker.Make("CN=Another test authority", null, isAuthority: true);
        File.WriteAllText(CaFile, ca.ExportCertificatePem());
        File.WriteAllText(OtherCaFile, other.ExportCertificatePem());
        Write(CertificateMaker.Make("CN=localhost", ca, CertificateMaker.ServerUsage, names: ["localhost", "127.0.0.1"]), ServerFile, ServerKeyFile);
        Write(CertificateMaker.Make($"CN={clientName}", ca, CertificateMaker.ClientUsage), ClientFile, ClientKeyFile);
    }

    internal string CaFile { get; }

    /// <summary>An authority that issued nothing.</summary>
    internal string OtherCaFile { get; }

    internal string ServerFile { get; }

    internal string ServerKeyFile { get; }

    internal string ClientFile { get; }

    internal string ClientKeyFile { get; }

    private static void Write(X509Certificate2 certificate, string file, string keyFile)
    {
        using ECDsa key = certificate.GetECDsaPrivateKey()!; // Made with one.
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
