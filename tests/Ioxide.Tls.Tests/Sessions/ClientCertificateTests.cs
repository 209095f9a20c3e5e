using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Tls.Tests;

/// <summary>Certificates of clients: who is let in, who is not, and what the application learns.</summary>
public class ClientCertificateTests
{
    [Theory]
    [InlineData(SslProtocols.Tls12, TlsClientCertificateMode.Require)]
    [InlineData(SslProtocols.Tls13, TlsClientCertificateMode.Require)]
    [InlineData(SslProtocols.Tls13, TlsClientCertificateMode.Allow)]
    public async Task AValidOneIsAcceptedAndKnown(SslProtocols protocol, TlsClientCertificateMode mode)
    {
        (TlsEnd end, Exception? error) = await RunAsync(mode, protocol, TestCertificates.Client);
        Assert.Null(error);
        Assert.Null(end.Error);
        Assert.True(end.Echoed > 0);
        Assert.Equal("CN=client", end.Session!.Info.PeerCertificate!.Subject);
    }

    [Theory]
    [InlineData(SslProtocols.Tls12)]
    [InlineData(SslProtocols.Tls13)]
    public async Task NoneIsRefusedWhereOneIsRequired(SslProtocols protocol)
    {
        (TlsEnd end, Exception? error) = await RunAsync(TlsClientCertificateMode.Require, protocol, null);
        Assert.NotNull(error);
        Assert.Null(end.Session);
        Assert.Equal(TlsFailure.Handshake, end.Failure);
    }

    [Fact]
    public async Task NoneIsServedWhereOneIsAllowed()
    {
        (TlsEnd end, Exception? error) = await RunAsync(TlsClientCertificateMode.Allow, SslProtocols.Tls13, null);
        Assert.Null(error);
        Assert.Null(end.Session!.Info.PeerCertificate);
        Assert.True(end.Echoed > 0);
    }

    [Theory]
    [InlineData(TlsClientCertificateMode.Require, SslProtocols.Tls12, "expired")]
    [InlineData(TlsClientCertificateMode.Require, SslProtocols.Tls13, "expired")]
    [InlineData(TlsClientCertificateMode.Require, SslProtocols.Tls12, "strange")]
    [InlineData(TlsClientCertificateMode.Require, SslProtocols.Tls13, "strange")]
    [InlineData(TlsClientCertificateMode.Allow, SslProtocols.Tls13, "strange")]
    [InlineData(TlsClientCertificateMode.Require, SslProtocols.Tls12, "for servers")]
    [InlineData(TlsClientCertificateMode.Require, SslProtocols.Tls13, "for servers")]
    public async Task ABadOneIsRefused(TlsClientCertificateMode mode, SslProtocols protocol, string which)
    {
        X509Certificate2 certificate = which switch
        {
            "expired" => TestCertificates.ExpiredClient,
            "strange" => TestCertificates.StrangeClient,
            _ => TestCertificates.Ecdsa,
        };
        (TlsEnd end, Exception? error) = await RunAsync(mode, protocol, certificate);
        Assert.NotNull(error);
        Assert.Null(end.Session);
        Assert.Equal(TlsFailure.Certificate, end.Failure);
    }

    [Fact]
    public async Task TheApplicationHasTheLastWord()
    {
        (TlsEnd accepted, Exception? none) = await RunAsync(
            TlsClientCertificateMode.Require, SslProtocols.Tls13, TestCertificates.StrangeClient,
            static (certificate, _, errors) =>
                certificate.Subject == "CN=strange client" && errors == SslPolicyErrors.RemoteCertificateChainErrors);
        Assert.Null(none);
        Assert.NotNull(accepted.Session);
        (TlsEnd refused, Exception? error) = await RunAsync(
            TlsClientCertificateMode.Require, SslProtocols.Tls13, TestCertificates.Client, static (_, _, _) => false);
        Assert.NotNull(error);
        Assert.Equal(TlsFailure.Certificate, refused.Failure);
    }

    /// <summary>A ticket would let a client in whose certificate nobody looks at any more.</summary>
    [Theory]
    [InlineData("-tls1_2")]
    [InlineData("-tls1_3")]
    public async Task ASessionWithACertificateIsNotResumed(string version)
    {
        string folder = Directory.CreateTempSubdirectory().FullName;
        try
        {
            string certificate = Path.Combine(folder, "client.pem");
            string session = Path.Combine(folder, "session");
            await File.WriteAllTextAsync(
                certificate,
                $"{TestCertificates.Client.ExportCertificatePem()}\n{TestCertificates.Client.GetECDsaPrivateKey()!.ExportPkcs8PrivateKeyPem()}\n");
            await using ReactorFixture fixture = ReactorFixture.Start();
            await using TlsEcho echo = await TlsEcho.StartAsync(fixture, TlsEcho.Options(options =>
            {
                options.ClientCertificateMode = TlsClientCertificateMode.Require;
                options.ClientCertificateRoots = TestCertificates.Roots;
            }));
            await OpenSsl.ClientAsync(echo.EndPoint, version, "-cert", certificate, "-sess_out", session);
            Assert.Null((await echo.NextEndAsync()).Error);

            // TLS 1.3 gives no ticket then, so there may be no session to come back with.
            string[] again = File.Exists(session) ? ["-sess_in", session] : [];
            await OpenSsl.ClientAsync(echo.EndPoint, [version, "-cert", certificate, .. again]);
            TlsEnd end = await echo.NextEndAsync();
            Assert.False(end.Session!.Info.IsResumed);
            Assert.Equal("CN=client", end.Session.Info.PeerCertificate!.Subject);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>Runs a handshake and a small echo; TLS 1.3 tells a client only at its first read that its certificate was refused.</summary>
    private static async Task<(TlsEnd End, Exception? Error)> RunAsync(
        TlsClientCertificateMode mode, SslProtocols protocol, X509Certificate2? certificate,
        Func<X509Certificate2, X509Chain, SslPolicyErrors, bool>? validation = null)
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using TlsEcho echo = await TlsEcho.StartAsync(fixture, TlsEcho.Options(options =>
        {
            options.ClientCertificateMode = mode;
            options.ClientCertificateRoots = TestCertificates.Roots;
            options.ClientCertificateValidation = validation;
        }));
        Exception? error = null;
        try
        {
            await using SslClient client = await SslClient.ConnectAsync(echo.EndPoint, SslClient.Options(options =>
            {
                options.EnabledSslProtocols = protocol;
                options.ClientCertificates = certificate is null ? null : [certificate];
                options.LocalCertificateSelectionCallback = certificate is null ? null : (_, _, _, _, _) => certificate;
            }));
            await client.EchoAsync(Payload.Of(100));
            await client.FinishAsync();
        }
        catch (Exception exception) when (exception is IOException or AuthenticationException)
        {
            error = exception;
        }

        return (await echo.NextEndAsync(), error);
    }
}
