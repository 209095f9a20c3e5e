using System.Net;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Pg.Tests;

/// <summary>TLS against a scripted server with an authority of the test's own: what is asked, what is checked, what is refused.</summary>
public sealed class TlsUpgradeTests : IDisposable
{
    internal const string Host = "db.example";

    private readonly TlsAuthority _authority = new();
    private readonly TlsAuthority _stranger = new();

    public void Dispose()
    {
        _authority.Dispose();
        _stranger.Dispose();
    }

    [Theory]
    [InlineData("sslmode=require", "N", "does not offer TLS")]
    [InlineData("sslmode=require", "E", "with an error")]
    [InlineData("sslmode=prefer", "E", "with an error")]
    [InlineData("sslmode=require", "H", "may not be a PostgreSQL server")]
    [InlineData("sslmode=require", "", "closed the connection when it was asked for TLS")]
    [InlineData("sslmode=require", "Sx", "Somebody may be in between")]
    [InlineData("sslmode=require", "Nx", "Somebody may be in between")]
    [InlineData("sslmode=prefer", "Sx", "Somebody may be in between")]
    [InlineData("sslmode=prefer", "NR", "Somebody may be in between")]
    [InlineData("sslmode=require", "S", "TLS handshake")]
    public async Task RefusesOtherAnswersThanOneByte(string text, string answer, string expected)
    {
        var peer = new ScriptedPeer();
        Task<string> server = StartupTests.RunAsync(peer, async () =>
        {
            byte[] request = await peer.ReadUntypedAsync();
            await peer.SendAsync(System.Text.Encoding.ASCII.GetBytes(answer));
            peer.End();
            return Convert.ToHexString(request);
        });
        var error = await Assert.ThrowsAnyAsync<PgConnectionException>(() => StartAsync(peer, text));
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
        Assert.Equal("04D2162F", await server);
    }

    [Fact]
    public async Task GoesOnInClearTextWhereTlsIsOnlyPreferred()
    {
        var peer = new ScriptedPeer();
        Task<string> server = StartupTests.RunAsync(peer, async () =>
        {
            await peer.ReadUntypedAsync();
            await peer.SendAsync("N"u8.ToArray());
            await peer.ReadUntypedAsync();
            await peer.SendAsync([ScriptedPeer.Authentication(0), .. ScriptedPeer.Welcome()]);
            return "";
        });
        await using StartedSession session = await StartAsync(peer, "sslmode=prefer");
        Assert.Null(session.Tls);
        await server;
    }

    [Theory]
    [InlineData("sslmode=verify-full", Host, true, true)]
    [InlineData("sslmode=verify-ca", "other.example", true, true)]
    [InlineData("sslmode=require", "other.example", true, true)]
    [InlineData("sslmode=prefer", Host, false, false)]
    [InlineData("sslmode=require", "other.example", false, false)]
    [InlineData("sslmode=verify-full host=10.0.0.9", "10.0.0.9", true, true)]
    [InlineData("sslmode=verify-full", "*.example", true, true)]
    public async Task AcceptsACertificateThatFits(string text, string certificateHost, bool hasRoot, bool isVerified)
    {
        var peer = new ScriptedPeer(isSlow: true);
        Task<string> server = ServeAsync(peer, certificateHost, () => SignInByPasswordAsync(peer));
        await using StartedSession session = await StartAsync(peer, text + (hasRoot ? $" sslrootcert={_authority.RootFile}" : ""));
        Assert.Equal(isVerified, session.Tls?.IsVerified);
        Assert.Equal("secret\0", await server);
    }

    [Theory]
    [InlineData("sslmode=verify-full", "other.example", true, "not for the host \"db.example\"")]
    [InlineData("sslmode=verify-full host=10.0.0.9", Host, true, "not for the host \"10.0.0.9\"")]
    [InlineData("sslmode=verify-full", Host, false, "trusted root")]
    [InlineData("sslmode=verify-ca", Host, false, "trusted root")]
    [InlineData("sslmode=require", Host, false, "trusted root")]
    public async Task RefusesACertificateThatDoesNotFit(string text, string certificateHost, bool isRootRight, string expected)
    {
        var peer = new ScriptedPeer();
        _ = ServeAsync(peer, certificateHost, () => SignInByPasswordAsync(peer));
        string root = (isRootRight ? _authority : _stranger).RootFile;
        var error = await Assert.ThrowsAsync<PgAuthenticationException>(() => StartAsync(peer, $"{text} sslrootcert={root}"));
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AsksTheSystemsRootsWhereNoOtherIsKnown()
    {
        var peer = new ScriptedPeer();
        _ = ServeAsync(peer, Host, () => SignInByPasswordAsync(peer));
        var error = await Assert.ThrowsAsync<PgAuthenticationException>(() => StartAsync(peer, "sslmode=verify-full"));
        Assert.Contains("trusted root", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task RefusesACertificateThatIsNotForServers()
    {
        var peer = new ScriptedPeer();
        X509Certificate2 certificate = _authority.Issue(Host, isForClients: true);
        _ = StartupTests.RunAsync(peer, () => EncryptAsync(peer, new() { ServerCertificate = certificate }, () => SignInByPasswordAsync(peer)));
        var error = await Assert.ThrowsAsync<PgAuthenticationException>(() => StartAsync(peer, $"sslmode=verify-ca sslrootcert={_authority.RootFile}"));
        Assert.Contains("trusted root", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("prefer", "SCRAM-SHA-256-PLUS,SCRAM-SHA-256", "p=tls-server-end-point,,", "scram-sha-256-plus")]
    [InlineData("require", "SCRAM-SHA-256-PLUS,SCRAM-SHA-256", "p=tls-server-end-point,,", "scram-sha-256-plus")]
    [InlineData("prefer", "SCRAM-SHA-256", "y,,", "scram-sha-256")]
    [InlineData("disable", "SCRAM-SHA-256-PLUS,SCRAM-SHA-256", "n,,", "scram-sha-256")]
    public async Task BindsTheProofToTheCertificate(string binding, string mechanisms, string header, string way)
    {
        var peer = new ScriptedPeer();
        X509Certificate2 certificate = _authority.Issue(Host);
        var scram = new ScramServer("secret", SHA256.HashData(certificate.RawDataMemory.Span));
        Task<string> server = StartupTests.RunAsync(
            peer, () => EncryptAsync(peer, new() { ServerCertificate = certificate }, () => scram.RunAsync(peer, mechanisms.Split(','))));
        await using StartedSession session = await StartAsync(peer, $"sslmode=require channel_binding={binding}");
        Assert.Equal(header, await server);
        Assert.Equal(way, session.Authentication);
    }

    [Theory, Each("SCRAM-SHA-256", "password", "trust")]
    public async Task RefusesAProofThatIsNotBoundWhereItMustBe(string way)
    {
        var peer = new ScriptedPeer();
        _ = ServeAsync(peer, Host, async () => way switch
        {
            "password" => await SignInByPasswordAsync(peer),
            "trust" => await SignInAsync(peer),
            _ => await new ScramServer("secret").RunAsync(peer, [way]),
        });
        var error = await Assert.ThrowsAsync<PgAuthenticationException>(() => StartAsync(peer, "sslmode=require channel_binding=require"));
        Assert.Contains("Channel binding is required", error.Message, StringComparison.Ordinal);
    }

    [Theory, AllValues]
    public async Task BeginsAtOnceWhereTheServerAgreesToTheProtocol(bool hasProtocol)
    {
        var peer = new ScriptedPeer();
        X509Certificate2 certificate = _authority.Issue(Host);
        var options = new SslServerAuthenticationOptions { ServerCertificate = certificate };
        options.ApplicationProtocols = hasProtocol ? [new SslApplicationProtocol("postgresql")] : null;
        Task<string> server = StartupTests.RunAsync(peer, () => EncryptAsync(peer, options, () => SignInAsync(peer), isDirect: true));
        Task<StartedSession> start = StartAsync(peer, "sslmode=require sslnegotiation=direct");
        if (hasProtocol)
        {
            await using StartedSession session = await start;
            Assert.NotNull(session.Tls);
            await server;
            return;
        }

        Assert.Contains("ALPN", (await Assert.ThrowsAsync<PgConnectionException>(() => start)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ShowsItsOwnCertificate()
    {
        var peer = new ScriptedPeer();
        (string certificate, string key) = _authority.Write(_authority.Issue("alice", isForClients: true), "alice");
        var options = new SslServerAuthenticationOptions
        {
            ServerCertificate = _authority.Issue(Host),
            ClientCertificateRequired = true,
            RemoteCertificateValidationCallback = static (_, shown, _, _) => shown?.Subject == "CN=alice",
        };
        Task<string> server = StartupTests.RunAsync(peer, () => EncryptAsync(peer, options, () => SignInAsync(peer)));
        await using StartedSession session = await StartAsync(peer, $"sslmode=require sslcert={certificate} sslkey={key}");
        await server;
    }

    [Fact]
    public async Task NamesTheFileThatCannotBeUsed()
    {
        var peer = new ScriptedPeer();
        _ = ServeAsync(peer, Host, () => SignInAsync(peer));
        var error = await Assert.ThrowsAsync<PgConnectionException>(() => StartAsync(peer, "sslmode=require sslrootcert=/nowhere.pem"));
        Assert.Contains("The root certificates in /nowhere.pem cannot be used", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task CarriesMoreThanOneRecordEachWay()
    {
        byte[] large = RandomNumberGenerator.GetBytes(300_000);
        var peer = new ScriptedPeer();
        Task<string> server = ServeAsync(peer, Host, async () =>
        {
            await SignInAsync(peer);
            byte[] received = await peer.ReadAsync(large.Length);
            await peer.SendAsync(received);
            return "";
        });
        await using StartedSession session = await StartAsync(peer, "sslmode=require");
        await session.Output.WriteAsync(large);
        var echoed = await session.Input.ReadAtLeastAsync(large.Length);
        Assert.Equal(large, System.Buffers.BuffersExtensions.ToArray(echoed.Buffer));
        await server;
    }

    [Fact]
    public async Task EncryptsACancelRequest()
    {
        var peer = new ScriptedPeer();
        Task<string> server = ServeAsync(peer, Host, async () =>
        {
            byte[] request = await peer.ReadAsync(16);
            peer.End();
            return Convert.ToHexString(request);
        });
        var context = new ConnectContext(PgDataSourceOptions.Parse("host=db.example user=u sslmode=require").Resolve(new FakeEnvironment()));
        await CancelMessage.RunAsync(peer.Client, context, Server(context), 1, [1, 2, 3, 4], isEncrypted: true, static () => true, default).AsTask().Within(20.Seconds());
        Assert.Equal("0000001004D2162E0000000101020304", await server);
    }

    [Fact]
    public void HashesTheCertificateByItsSignature()
    {
        using var rsa = RSA.Create(2048);
        using var ec = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        Check(new CertificateRequest("CN=a", rsa, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1), SHA256.HashData);
        Check(new CertificateRequest("CN=a", rsa, HashAlgorithmName.SHA384, RSASignaturePadding.Pkcs1), SHA384.HashData);
        Check(new CertificateRequest("CN=a", rsa, HashAlgorithmName.SHA256, RSASignaturePadding.Pss), SHA256.HashData);
        Check(new CertificateRequest("CN=a", rsa, HashAlgorithmName.SHA512, RSASignaturePadding.Pss), SHA512.HashData);
        Check(new CertificateRequest("CN=a", ec, HashAlgorithmName.SHA384), SHA384.HashData);
        Check(new CertificateRequest("CN=a", ec, HashAlgorithmName.SHA256), SHA256.HashData);

        static void Check(CertificateRequest request, Func<byte[], byte[]> hash)
        {
            using X509Certificate2 certificate = request.CreateSelfSigned(DateTimeOffset.UtcNow, DateTimeOffset.UtcNow.AddDays(1));
            Assert.Equal(hash(certificate.RawData), ChannelBindingHash.Of(certificate));
        }
    }

    private Task<string> ServeAsync(ScriptedPeer peer, string host, Func<Task<string>> script)
        => StartupTests.RunAsync(peer, () => EncryptAsync(peer, new() { ServerCertificate = _authority.Issue(host) }, script));

    internal static async Task<string> EncryptAsync(
        ScriptedPeer peer, SslServerAuthenticationOptions options, Func<Task<string>> script, bool isDirect = false)
    {
        if (!isDirect)
        {
            await peer.ReadUntypedAsync();
            await peer.SendAsync("S"u8.ToArray());
        }

        var stream = new SslStream(peer.Stream);
        await stream.AuthenticateAsServerAsync(options);
        peer.Stream = stream;
        return await script();
    }

    private static async Task<string> SignInAsync(ScriptedPeer peer)
    {
        await peer.ReadUntypedAsync();
        await peer.SendAsync([ScriptedPeer.Authentication(0), .. ScriptedPeer.Welcome()]);
        return "";
    }

    private static async Task<string> SignInByPasswordAsync(ScriptedPeer peer)
    {
        await peer.ReadUntypedAsync();
        await peer.SendAsync(ScriptedPeer.Authentication(3));
        string password = System.Text.Encoding.UTF8.GetString(await peer.ReadPasswordAsync());
        await peer.SendAsync([ScriptedPeer.Authentication(0), .. ScriptedPeer.Welcome()]);
        return password;
    }

    private static Task<StartedSession> StartAsync(ScriptedPeer peer, string text)
        => StartupTests.StartAsync(peer, PgDataSourceOptions.Parse($"host={Host} user=u password=secret {text}"), new FakeEnvironment());

    private static ServerEndpoint Server(ConnectContext context) => new(new IPEndPoint(IPAddress.Parse("10.0.0.9"), 5432), context.Options.Hosts[0]);
}
