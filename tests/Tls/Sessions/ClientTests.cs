using System.Buffers;
using System.IO.Pipelines;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Tls.Tests;

/// <summary>This side as the client: chain and host name are checked unless the application says otherwise.</summary>
public class ClientTests : ReactorTests
{
    [Theory, AllValues]
    public async Task ATrustedServerIsTalkedTo(SslProtocols protocol)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture);
        await using RingConnection connection = await Fixture.Group.ConnectAsync(echo.EndPoint);
        TlsClient client = new(Options(options => options.Protocols = protocol));
        TlsSession session = await client.AuthenticateAsync(connection).Within(60.Seconds());
        Assert.Equal(protocol, session.Info.Protocol);
        Assert.Equal("CN=localhost", session.Info.PeerCertificate!.Subject);
        byte[] sent = Payload.Of(100_000);
        Task reading = ReadAsync(session.Input, sent);
        await session.Output.WriteAsync(sent).Within(60.Seconds());
        await reading.Within(60.Seconds());
        session.Output.Complete();
        TlsEnd end = await echo.NextEndAsync();
        Assert.Null(end.Error);
        Assert.Equal(sent.Length, end.Echoed);
        Assert.True((await session.Input.ReadAsync().Within(60.Seconds())).IsCompleted);
        await session.DisposeAsync();
    }

    [Fact]
    public async Task AServerOfAnUnknownAuthorityIsRefused() => await AssertRefusedAsync(Options(options => options.TrustedRoots = null));

    [Fact]
    public async Task AServerWithAnotherNameIsRefused() => await AssertRefusedAsync(Options(options => options.HostName = "another.test"));

    /// <summary>RFC 6066, section 3: in ASCII, without a dot at the end, and no address.</summary>
    [Theory]
    [InlineData("localhost", "localhost")]
    [InlineData("localhost.", "localhost")]
    [InlineData("münchen.de", "xn--mnchen-3ya.de")]
    [InlineData("127.0.0.1", null)]
    [InlineData("::1", null)]
    public async Task ItAsksForTheNameThatItChecks(string hostName, string? asked)
    {
        using X509Certificate2 certificate = CertificateMaker.Make(
            "CN=names", TestCertificates.Root, CertificateMaker.ServerUsage, names: ["localhost", "xn--mnchen-3ya.de", "127.0.0.1", "::1"]);
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, TlsEcho.Options(options => options.Certificate = certificate));
        await using RingConnection connection = await Fixture.Group.ConnectAsync(echo.EndPoint);
        TlsClient client = new(Options(options => options.HostName = hostName));

        await (await client.AuthenticateAsync(connection).Within(60.Seconds())).DisposeAsync();

        Assert.Equal(asked, (await echo.NextEndAsync()).Session!.Info.HostName);
    }

    [Theory, Each("", ".", "a..b", "münchen..de")]
    public void WhatIsNoNameIsRefused(string hostName)
        => Assert.Contains("HostName", Assert.ThrowsAny<ArgumentException>(() => new TlsClient(Options(options => options.HostName = hostName))).Message);

    /// <summary>Else each handshake would fail.</summary>
    [Theory, Each(0, -1, -50)]
    public void ATimeThatNoHandshakeCanMeetIsRefusedAtTheStart(int ticks)
    {
        TimeSpan timeout = TimeSpan.FromTicks(ticks);
        foreach (Action make in new Action[]
        {
            () => _ = new TlsClient(Options(options => options.HandshakeTimeout = timeout)),
            () => TlsEcho.Options(options => options.HandshakeTimeout = timeout).CreateServer().Dispose(),
        })
        {
            ArgumentOutOfRangeException error = Assert.Throws<ArgumentOutOfRangeException>(make);
            Assert.Equal("options.HandshakeTimeout", error.ParamName);
            Assert.Contains("above zero. Set Timeout.InfiniteTimeSpan", error.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task AHandshakeMayHaveAllTime()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, TlsEcho.Options(static options => options.HandshakeTimeout = TimeSpan.MaxValue));
        await using RingConnection connection = await Fixture.Group.ConnectAsync(echo.EndPoint);
        TlsClient client = new(Options(static options => options.HandshakeTimeout = Timeout.InfiniteTimeSpan));

        await (await client.AuthenticateAsync(connection).Within(60.Seconds())).DisposeAsync();

        Assert.Null((await echo.NextEndAsync()).Error);
    }

    /// <summary>All are signed by the authority that the client trusts.</summary>
    [Theory]
    [InlineData("expired", TlsAlert.CertificateExpired)]
    [InlineData("for clients", TlsAlert.BadCertificate)]
    public async Task AServerWithABadCertificateLearnsWhyItIsRefused(string kind, TlsAlert alert)
    {
        using X509Certificate2 bad = CertificateMaker.Make(
            "CN=bad", TestCertificates.Root, kind == "for clients" ? CertificateMaker.ClientUsage : CertificateMaker.ServerUsage,
            endDays: kind == "expired" ? -1 : 2, names: [TestCertificates.ServerName, "127.0.0.1"]);
        TlsEnd end = await AssertRefusedAsync(Options(static _ => { }), bad);
        Assert.Equal(alert, Assert.IsType<TlsException>(end.Error).Alert);
    }

    [Fact]
    public async Task TheApplicationHasTheLastWord()
    {
        SslPolicyErrors seen = default;
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture);
        await using RingConnection connection = await Fixture.Group.ConnectAsync(echo.EndPoint);
        TlsClient client = new(Options(options =>
        {
            options.HostName = "another.test";
            options.Validation = (_, _, errors) =>
            {
                seen = errors;
                return true;
            };
        }));
        await using TlsSession session = await client.AuthenticateAsync(connection).Within(60.Seconds());
        Assert.Equal(SslPolicyErrors.RemoteCertificateNameMismatch, seen);
        await AssertRefusedAsync(Options(options => options.Validation = static (_, _, _) => false));
    }

    [Fact]
    public async Task ItShowsItsCertificateWhereItIsAskedFor()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, TlsEcho.Options(options =>
        {
            options.ClientCertificateRoots = TestCertificates.Roots;
        }));
        await using RingConnection connection = await Fixture.Group.ConnectAsync(echo.EndPoint);
        TlsClient client = new(Options(options =>
            options.ClientCertificate = SslStreamCertificateContext.Create(TestCertificates.Client, null, offline: true)));
        TlsSession session = await client.AuthenticateAsync(connection).Within(60.Seconds());
        session.Output.Complete();
        Assert.Equal("CN=client", (await echo.NextEndAsync()).Session!.Info.PeerCertificate!.Subject);
        await session.DisposeAsync();
    }

    private static async Task<TlsEnd> AssertRefusedAsync(TlsClientOptions options, X509Certificate2? server = null)
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using TlsEcho echo = await TlsEcho.StartAsync(
            fixture, TlsEcho.Options(served => served.Certificate = server ?? TestCertificates.Ecdsa));
        await using RingConnection connection = await fixture.Group.ConnectAsync(echo.EndPoint);
        TlsException exception = await Assert.ThrowsAsync<TlsException>(
            () => new TlsClient(options).AuthenticateAsync(connection).Within(60.Seconds()));
        Assert.Equal(TlsFailure.Certificate, exception.Failure);
        TlsEnd end = await echo.NextEndAsync();
        Assert.Equal(TlsFailure.PeerAlert, end.Failure);
        return end;
    }

    private static async Task ReadAsync(PipeReader input, byte[] expected)
    {
        ReadResult read = await input.ReadAtLeastAsync(expected.Length);
        Payload.AssertSame(expected, read.Buffer.ToArray());
        input.AdvanceTo(read.Buffer.End);
    }

    private static TlsClientOptions Options(Action<TlsClientOptions> configure)
    {
        TlsClientOptions options = new() { HostName = TestCertificates.ServerName, TrustedRoots = TestCertificates.Roots };
        configure(options);
        return options;
    }
}
