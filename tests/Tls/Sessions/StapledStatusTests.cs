using System.Globalization;
using System.Net.Security;
using System.Runtime.CompilerServices;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Tls.Tests;

/// <summary>OCSP stapling, with an answer that <c>openssl ocsp</c> signs and <c>openssl s_client</c> checks.</summary>
public sealed class StapledStatusTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory().FullName;

    [Theory, Each("-tls1_2", "-tls1_3")]
    public async Task TheAnswerGoesToClientsThatAsk(string version)
    {
        byte[] status = await SignAsync();
        await using ReactorFixture fixture = ReactorFixture.Start();
        SslStreamCertificateContext certificate = SslStreamCertificateContext.Create(TestCertificates.Ecdsa, null, offline: true);
        SetStatus(certificate) = status;
        SetExpiration(certificate) = DateTimeOffset.MaxValue;
        SetNextDownload(certificate) = DateTimeOffset.MaxValue;
        SetAddresses(certificate) = ["http://127.0.0.1/"];
        SetForbidden(certificate) = false;
        await using TlsEcho echo = await TlsEcho.StartAsync(fixture, TlsEcho.Options(options =>
        {
            options.Certificate = null;
            options.Ssl.ServerCertificateContext = certificate;
        }));
        string asked = await OpenSsl.ClientAsync(echo.EndPoint, version, "-status");
        Assert.Contains("OCSP Response Status: successful", asked, StringComparison.Ordinal);
        Assert.Contains("Cert Status: good", asked, StringComparison.Ordinal);
        string unasked = await OpenSsl.ClientAsync(echo.EndPoint, version);
        Assert.DoesNotContain("OCSP", unasked, StringComparison.Ordinal);
    }

    [Fact]
    public async Task WithoutAnAnswerTheHandshakeGoesOn()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        string output = await OpenSsl.ClientAsync(echo.EndPoint, "-status");
        Assert.Contains("OCSP response: no response sent", output, StringComparison.Ordinal);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <summary>.NET fetches it from the certificate's authority; here it has done so.</summary>
    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_ocspResponse")]
    private static extern ref byte[]? SetStatus(SslStreamCertificateContext certificate);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_ocspExpiration")]
    private static extern ref DateTimeOffset SetExpiration(SslStreamCertificateContext certificate);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_nextDownload")]
    private static extern ref DateTimeOffset SetNextDownload(SslStreamCertificateContext certificate);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_ocspUrls")]
    private static extern ref List<string>? SetAddresses(SslStreamCertificateContext certificate);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_staplingForbidden")]
    private static extern ref bool SetForbidden(SslStreamCertificateContext certificate);

    private async Task<byte[]> SignAsync()
    {
        X509Certificate2 leaf = TestCertificates.Ecdsa;
        string root = TestCertificates.Root.ExportCertificatePem();
        await File.WriteAllTextAsync(At("root.pem"), root);
        await File.WriteAllTextAsync(At("root.key"), TestCertificates.Root.GetECDsaPrivateKey()!.ExportPkcs8PrivateKeyPem());
        await File.WriteAllTextAsync(At("leaf.pem"), leaf.ExportCertificatePem());
        string end = leaf.NotAfter.ToUniversalTime().ToString("yyMMddHHmmss", CultureInfo.InvariantCulture);
        await File.WriteAllTextAsync(At("index"), $"V\t{end}Z\t\t{leaf.SerialNumber}\tunknown\t/CN=localhost\n");
        string output = await OpenSsl.RunAsync(
            "", "ocsp", "-index", At("index"), "-CA", At("root.pem"), "-rsigner", At("root.pem"), "-rkey", At("root.key"),
            "-issuer", At("root.pem"), "-cert", At("leaf.pem"), "-ndays", "1", "-respout", At("status.der"), "-noverify");
        Assert.True(File.Exists(At("status.der")), output);
        return await File.ReadAllBytesAsync(At("status.der"));
    }

    private string At(string name) => Path.Combine(_folder, name);
}
