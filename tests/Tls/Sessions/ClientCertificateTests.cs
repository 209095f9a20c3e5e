using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Tls.Tests;

/// <summary>Certificates of clients: who is let in, who is not, and what the application learns.</summary>
public class ClientCertificateTests
{
    [Theory]
    [InlineData(SslProtocols.Tls12, true)]
    [InlineData(SslProtocols.Tls13, true)]
    [InlineData(SslProtocols.Tls13, false)]
    public async Task AValidOneIsAcceptedAndKnown(SslProtocols protocol, bool isRequired)
    {
        (TlsEnd end, Exception? error) = await RunAsync(isRequired, protocol, TestCertificates.Client);
        Assert.Null(error);
        Assert.Null(end.Error);
        Assert.True(end.Echoed > 0);
        Assert.Equal("CN=client", end.Session!.Info.PeerCertificate!.Subject);
    }

    [Theory, AllValues]
    public async Task NoneIsRefusedWhereOneIsRequired(SslProtocols protocol)
    {
        (TlsEnd end, Exception? error) = await RunAsync(true, protocol, null);
        Assert.NotNull(error);
        Assert.Null(end.Session);
        Assert.Equal(TlsFailure.Handshake, end.Failure);
    }

    [Fact]
    public async Task NoneIsServedWhereOneIsAllowed()
    {
        (TlsEnd end, Exception? error) = await RunAsync(false, SslProtocols.Tls13, null);
        Assert.Null(error);
        Assert.Null(end.Session!.Info.PeerCertificate);
        Assert.True(end.Echoed > 0);
    }

    [Theory]
    [InlineData(true, SslProtocols.Tls12, "expired")]
    [InlineData(true, SslProtocols.Tls13, "expired")]
    [InlineData(true, SslProtocols.Tls12, "strange")]
    [InlineData(true, SslProtocols.Tls13, "strange")]
    [InlineData(false, SslProtocols.Tls13, "strange")]
    [InlineData(true, SslProtocols.Tls12, "for servers")]
    [InlineData(true, SslProtocols.Tls13, "for servers")]
    public async Task ABadOneIsRefused(bool isRequired, SslProtocols protocol, string which)
    {
        X509Certificate2 certificate = which switch
        {
            "expired" => TestCertificates.ExpiredClient,
            "strange" => TestCertificates.StrangeClient,
            _ => TestCertificates.Ecdsa,
        };
        (TlsEnd end, Exception? error) = await RunAsync(isRequired, protocol, certificate);
        Assert.NotNull(error);
        Assert.Null(end.Session);
        Assert.Equal(TlsFailure.Certificate, end.Failure);
    }

    [Fact]
    public async Task TheApplicationHasTheLastWord()
    {
        (TlsEnd accepted, Exception? none) = await RunAsync(
            true, SslProtocols.Tls13, TestCertificates.StrangeClient,
            static (certificate, _, errors) =>
                certificate.Subject == "CN=strange client" && errors == SslPolicyErrors.RemoteCertificateChainErrors);
        Assert.Null(none);
        Assert.NotNull(accepted.Session);
        (TlsEnd refused, Exception? error) = await RunAsync(true, SslProtocols.Tls13, TestCertificates.Client, static (_, _, _) => false);
        Assert.NotNull(error);
        Assert.Equal(TlsFailure.Certificate, refused.Failure);
    }

    /// <summary>A callback is asked about a client without a certificate too, as SslStream asks it.</summary>
    [Theory]
    [InlineData(SslProtocols.Tls12, true, true)]
    [InlineData(SslProtocols.Tls12, true, false)]
    [InlineData(SslProtocols.Tls13, true, true)]
    [InlineData(SslProtocols.Tls13, true, false)]
    [InlineData(SslProtocols.Tls13, false, true)]
    [InlineData(SslProtocols.Tls13, false, false)]
    public async Task ACallbackDecidesAboutNone(SslProtocols protocol, bool isRequested, bool isAccepted)
    {
        SslPolicyErrors? seen = null;
        bool hadCertificate = true;
        (TlsEnd end, Exception? error) = await RunAsync(protocol, null, (_, certificate, _, errors) =>
        {
            seen = errors;
            hadCertificate = certificate is not null;
            return isAccepted;
        }, isRequested);
        Assert.Equal(SslPolicyErrors.RemoteCertificateNotAvailable, seen);
        Assert.False(hadCertificate);
        Assert.Equal(isAccepted, error is null);
        Assert.Equal(isAccepted ? null : TlsFailure.Certificate, end.Failure);
    }

    /// <summary>The check is in the last step here, behind which nothing is read or sent that would look at the time.</summary>
    [Theory, AllValues]
    public async Task AClientIsNotAcceptedAfterItsTime(bool isTooLate)
    {
        using CancellationTokenSource time = new();
        EchoOptions options = TlsEcho.Options();
        options.ClientCertificateRoots = TestCertificates.Roots;
        options.Ssl.RemoteCertificateValidationCallback = (_, certificate, _, _) =>
        {
            if (isTooLate)
            {
                time.Cancel();
            }

            return certificate is not null;
        };
        using TlsServer server = options.CreateServer();
        await using ReactorFixture fixture = ReactorFixture.Start();
        TaskCompletionSource<Exception?> end = new(TaskCreationOptions.RunContinuationsAsynchronously);
        RingListener listener = await fixture.ListenAsync(async connection => end.SetResult(await Record.ExceptionAsync(async () =>
        {
            await using TlsSession session = await server.AuthenticateAsync(connection, time.Token);
        })));
        using RecordClient client = await RecordClient.ConnectAsync(
            listener.EndPoint,
            new TlsClientOptions
            {
                Protocols = SslProtocols.Tls13,
                ClientCertificate = SslStreamCertificateContext.Create(TestCertificates.Client, null, offline: true),
            },
            configure: JoinedFlight.Watch,
            reshape: JoinedFlight.Join);

        Exception? error = await end.Task.Within(Patience.Limit);

        Assert.Equal(isTooLate, error is OperationCanceledException);
        Assert.True(isTooLate || error is null, $"{error}");
        await listener.UnbindAsync().Within(Patience.Limit);
    }

    /// <summary>Roots that a certificate context brings are those of the handshake.</summary>
    [Theory, AllValues]
    public async Task TheTrustOfACertificateContextCounts(bool isTrusted)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(TlsEcho.Options(options =>
        {
            options.Certificate = null;
            options.Ssl.ServerCertificateContext = SslStreamCertificateContext.Create(
                TestCertificates.Ecdsa, null, offline: true,
                SslCertificateTrust.CreateForX509Collection(isTrusted ? TestCertificates.Roots : [OracleCertificates.OtherRoot]));
            options.Ssl.ClientCertificateRequired = true;
        }));
        Exception? error = await Record.ExceptionAsync(async () =>
        {
            await using SslClient client = await SslClient.ConnectAsync(echo.EndPoint, SslClient.Options(static options =>
                options.LocalCertificateSelectionCallback = static (_, _, _, _, _) => TestCertificates.Client));
            await client.EchoAsync(Payload.Of(100));
        });
        Assert.Equal(isTrusted, error is null);
    }

    /// <summary>A ticket would let a client in whose certificate nobody looks at any more.</summary>
    [Theory, Each("-tls1_2", "-tls1_3")]
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
                options.ClientCertificateRoots = TestCertificates.Roots;
            }));
            await OpenSsl.ClientAsync(echo.EndPoint, version, "-cert", certificate, "-sess_out", session);
            Assert.Null((await echo.NextEndAsync()).Error);

            // TLS 1.3 gives no ticket then, so there may be no session to come back with.
            string[] again = File.Exists(session) ? ["-sess_in", session] : [];
            await OpenSsl.ClientAsync(echo.EndPoint, [version, "-cert", certificate, .. again]);
            TlsEnd end = await echo.NextEndAsync();
            Assert.Equal((false, "CN=client"), (end.Session!.Info.IsResumed, end.Session.Info.PeerCertificate!.Subject));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static Task<(TlsEnd End, Exception? Error)> RunAsync(
        bool isRequired, SslProtocols protocol, X509Certificate2? certificate,
        Func<X509Certificate2, X509Chain?, SslPolicyErrors, bool>? validation = null)
        => RunAsync(protocol, certificate, new ClientValidation(isRequired, validation).Validate);

    /// <summary>Runs a handshake and a small echo; TLS 1.3 tells a client only at its first read that its certificate was refused.</summary>
    private static async Task<(TlsEnd End, Exception? Error)> RunAsync(
        SslProtocols protocol, X509Certificate2? certificate, RemoteCertificateValidationCallback validation, bool isRequested = true)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(TlsEcho.Options(options =>
        {
            options.ClientCertificateRoots = isRequested ? TestCertificates.Roots : null;
            options.Ssl.RemoteCertificateValidationCallback = validation;
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
