using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using System.Text;

namespace Ioxide.Tls.Tests;

/// <summary>Sessions with .NET's own client, which shares no code with this side: versions, suites, certificates, names, protocols.</summary>
public class InteropTests : ReactorTests
{
    public static TheoryData<TlsCipherSuite> Suites => [.. RecordSuite.Supported];

    [Theory, MemberData(nameof(Suites))]
    public async Task EachSuiteCarriesBytesBothWays(TlsCipherSuite suite)
    {
        bool isRsa = suite.ToString().Contains("_RSA_", StringComparison.Ordinal);
        await using TlsEcho echo = await TlsEcho.StartAsync(TlsEcho.Options(options =>
        {
            options.Certificate = isRsa ? TestCertificates.Rsa : TestCertificates.Ecdsa;
            options.CipherSuites.Add(suite);
            options.Protocols = RecordSuite.Of(suite).IsTls13 ? SslProtocols.Tls13 : SslProtocols.Tls12;
        }));
        await using SslClient client = await SslClient.ConnectAsync(
            echo.EndPoint, SslClient.Options(options => options.CipherSuitesPolicy = new CipherSuitesPolicy([suite])));
        Assert.Equal(suite, client.Stream.NegotiatedCipherSuite);
        foreach (int lengthBytes in (int[])[1, 16383, 16384, 16385, 100_000])
        {
            byte[] sent = Payload.Of(lengthBytes);
            Payload.AssertSame(sent, await client.EchoAsync(sent));
        }

        await client.FinishAsync();
        TlsEnd end = await echo.NextEndAsync();
        Assert.Null(end.Error);
        Assert.Equal(suite, end.Session!.Info.CipherSuite);
    }

    [Theory, AllValues]
    public async Task EightMebibytesGoBothWaysAtOnce(SslProtocols protocol)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        await using SslClient client = await SslClient.ConnectAsync(
            echo.EndPoint, SslClient.Options(options => options.EnabledSslProtocols = protocol));
        Assert.Equal(protocol, client.Stream.SslProtocol);
        byte[] sent = Payload.Of(8 * 1024 * 1024);
        Payload.AssertSame(sent, await client.EchoAsync(sent));
        await client.FinishAsync();
        Assert.Equal(sent.Length, (await echo.NextEndAsync()).Echoed);
    }

    [Theory]
    [InlineData(SslProtocols.Tls12, SslProtocols.Tls13)]
    [InlineData(SslProtocols.Tls13, SslProtocols.Tls12)]
    public async Task AVersionThatIsNotOfferedIsRefused(SslProtocols server, SslProtocols client)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(TlsEcho.Options(options => options.Protocols = server));
        await Assert.ThrowsAsync<AuthenticationException>(
            () => SslClient.ConnectAsync(echo.EndPoint, SslClient.Options(options => options.EnabledSslProtocols = client)));
        TlsEnd end = await echo.NextEndAsync();
        Assert.Null(end.Session);
        Assert.NotNull(end.Failure);
    }

    [Theory]
    [InlineData("named.test", "CN=named.test", "named.test")]
    [InlineData("NAMED.test", "CN=named.test", "NAMED.test")]
    [InlineData("a.wild.test", "CN=*.wild.test", "a.wild.test")]
    [InlineData("unknown.test", "CN=localhost", "unknown.test")]
    [InlineData("127.0.0.1", "CN=localhost", null)] // An address is no name.
    public async Task TheNameChoosesTheCertificate(string host, string subject, string? name)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(WithNames());
        await using SslClient client = await SslClient.ConnectAsync(echo.EndPoint, AnyName(host));
        Assert.Equal(subject, client.ServerSubject);
        await client.FinishAsync();
        Assert.Equal(name, (await echo.NextEndAsync()).Session!.Info.HostName);
    }

    [Fact]
    public async Task ANameForWhichThereIsNoCertificateIsRefused()
    {
        EchoOptions options = WithNames();
        options.Certificate = null;
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, options);
        await Assert.ThrowsAsync<AuthenticationException>(() => SslClient.ConnectAsync(echo.EndPoint, AnyName("unknown.test")));
        Assert.Equal(TlsFailure.Handshake, (await echo.NextEndAsync()).Failure);
        await using SslClient known = await SslClient.ConnectAsync(echo.EndPoint, AnyName("named.test"));
        Assert.Equal("CN=named.test", known.ServerSubject);
    }

    [Fact]
    public async Task ASelectorThatThrowsEndsTheHandshakeAlone()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(TlsEcho.Options(options => options.CertificateSelector =
            static (_, name) => name == "bad.test" ? throw new InvalidOperationException("on purpose") : null));
        await Assert.ThrowsAsync<AuthenticationException>(() => SslClient.ConnectAsync(echo.EndPoint, AnyName("bad.test")));
        Assert.Equal("on purpose", (await echo.NextEndAsync()).Error!.InnerException!.Message);
        await using SslClient good = await SslClient.ConnectAsync(echo.EndPoint);
        Assert.Equal("CN=localhost", good.ServerSubject);
    }

    [Theory]
    [InlineData("h2,http/1.1", "http/1.1,h2", "h2")]
    [InlineData("http/1.1,h2", "h2,http/1.1", "http/1.1")]
    [InlineData("h2,http/1.1", "http/1.1", "http/1.1")]
    [InlineData("h2,http/1.1", "", "")]
    [InlineData("", "h2", "")]
    public async Task TheServersFirstProtocolThatTheClientOffersIsTaken(string server, string client, string expected)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, new EchoOptions { ApplicationProtocols = Protocols(server) });
        await using SslClient ssl = await SslClient.ConnectAsync(
            echo.EndPoint, SslClient.Options(options => options.ApplicationProtocols = client == "" ? null : Protocols(client)));
        Assert.Equal(expected, Encoding.ASCII.GetString(ssl.Stream.NegotiatedApplicationProtocol.Protocol.Span));
        await ssl.FinishAsync();
        Assert.Equal(expected, Encoding.ASCII.GetString((await echo.NextEndAsync()).Session!.Info.ApplicationProtocol.Protocol.Span));
    }

    [Fact]
    public async Task NoProtocolInCommonIsRefused()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, new EchoOptions { ApplicationProtocols = Protocols("h2") });
        await Assert.ThrowsAsync<AuthenticationException>(() => SslClient.ConnectAsync(
            echo.EndPoint, SslClient.Options(options => options.ApplicationProtocols = Protocols("http/1.1"))));
        Assert.Equal(TlsFailure.Handshake, (await echo.NextEndAsync()).Failure);
    }

    [Fact]
    public async Task ANewCertificateIsShownToNewClientsAndOpenSessionsGoOn()
    {
        System.Security.Cryptography.X509Certificates.X509Certificate2 certificate = TestCertificates.Ecdsa;
        await using TlsEcho echo = await TlsEcho.StartAsync(
            Fixture, TlsEcho.Options(options => options.CertificateSelector = (_, _) => Volatile.Read(ref certificate)));
        await using SslClient before = await SslClient.ConnectAsync(echo.EndPoint);
        Volatile.Write(ref certificate, TestCertificates.Rsa);
        await using SslClient after = await SslClient.ConnectAsync(echo.EndPoint);
        Assert.Equal("CN=localhost", before.ServerSubject);
        Assert.Equal("CN=localhost rsa", after.ServerSubject);
        Payload.AssertSame(Payload.Of(1000), await before.EchoAsync(Payload.Of(1000)));
    }

    [Fact]
    public async Task ManyFreshConnectionsInARowAllWork()
    {
        const int Connections = 500;
        await using TlsEcho echo = await TlsEcho.StartAsync();
        byte[] sent = Payload.Of(100);
        for (int count = 0; count < Connections; count++)
        {
            await using SslClient client = await SslClient.ConnectAsync(echo.EndPoint);
            Payload.AssertSame(sent, await client.EchoAsync(sent));
        }
    }

    private static EchoOptions WithNames() => TlsEcho.Options(options =>
    {
        options.CertificateSelector = static (_, name) => name.ToUpperInvariant() switch
        {
            "NAMED.TEST" => TestCertificates.Named,
            "A.WILD.TEST" => TestCertificates.Wildcard,
            _ => null,
        };
    });

    /// <summary>A client that takes whatever it is shown, so that the test can look at it.</summary>
    private static SslClientAuthenticationOptions AnyName(string name) => SslClient.Options(options =>
    {
        options.TargetHost = name;
        options.CertificateChainPolicy = null;
        options.RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate is not null;
    });

    private static List<SslApplicationProtocol> Protocols(string names)
        => [.. names.Split(',', StringSplitOptions.RemoveEmptyEntries).Select(name => new SslApplicationProtocol(name))];
}
