using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>A server that takes a bearer token, as PostgreSQL 18 does by <c>oauth</c> in pg_hba.conf: what it is sent, and who is not sent it.</summary>
public sealed class OAuthTests : IDisposable
{
    private const string Token = "eyJhbGciOiJSUzI1NiJ9.e30-._~+/abc=";

    private readonly TlsAuthority _authority = new();

    public void Dispose() => _authority.Dispose();

    [Theory, AllValues]
    public async Task ATokenSignsIn(bool isSlow)
    {
        var peer = new ScriptedPeer(isSlow);
        Task<string> server = ServeAsync(peer, async () =>
        {
            string first = await OfferAsync(peer);
            await peer.SendAsync([ScriptedPeer.Authentication(0), .. ScriptedPeer.Welcome()]);
            return first;
        });
        int asked = 0;
        await using StartedSession session = await StartAsync(peer, Verified, _ =>
        {
            asked++;
            return new ValueTask<string>(Token);
        });
        string message = $"n,,\x01auth=Bearer {Token}\x01\x01";
        Assert.Equal($"OAUTHBEARER\0\0\0\0{(char)message.Length}{message}", await server);
        Assert.Equal((1, "oauth"), (asked, session.Authentication));
    }

    [Theory]
    [InlineData("""{"status":"invalid_token","scope":"openid","openid-configuration":"https://issuer.example/.well-known"}""", "status invalid_token, scope openid")]
    [InlineData("what?\u0007", "token: what?.")]
    [InlineData("[]", "token: [].")]
    [InlineData("""{"status":"half a pair: \ud800"}""", "token: {\"status\":\"half a pair")]
    [InlineData("""{"\udc00":"invalid_token"}""", "invalid_token\"}.")]
    public async Task ARefusalSaysWhatTheServerSaid(string said, string expected)
    {
        var peer = new ScriptedPeer();
        Task<string> server = ServeAsync(peer, async () =>
        {
            await OfferAsync(peer);
            await peer.SendAsync(ScriptedPeer.Authentication(11, Encoding.UTF8.GetBytes(said)));
            byte[] answer = await peer.ReadPasswordAsync();
            await peer.SendAsync(BackendMessages.ErrorResponse("28000", "OAuth bearer authentication failed for user \"u\"", "FATAL"));
            return Convert.ToHexString(answer);
        });
        var error = await Assert.ThrowsAsync<PgException>(() => StartAsync(peer, Verified, static _ => new ValueTask<string>(Token)));
        Assert.Equal("01", await server);
        Assert.Equal("28000", error.SqlState);
        Assert.Contains(expected, error.InnerException?.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(Token, error.ToString(), StringComparison.Ordinal);
    }

    [Theory, Each("sslmode=verify-ca", "sslmode=require")]
    public async Task AServerThatWasNotVerifiedGetsNoToken(string mode)
    {
        var peer = new ScriptedPeer();
        _ = ServeAsync(peer, () => OfferAsync(peer));
        int asked = 0;
        var error = await Assert.ThrowsAsync<PgAuthenticationException>(() => StartAsync(peer, $"{mode} sslrootcert={_authority.RootFile}", _ =>
        {
            asked++;
            return new ValueTask<string>(Token);
        }));
        Assert.Contains("verify-full", error.Message, StringComparison.Ordinal);
        Assert.Equal(0, asked);
    }

    [Fact]
    public async Task WithoutEncryptionThereIsNoToken()
    {
        var peer = new ScriptedPeer();
        _ = StartupTests.RunAsync(peer, () => OfferAsync(peer));
        var error = await Assert.ThrowsAsync<PgAuthenticationException>(
            () => StartAsync(peer, "sslmode=disable", static _ => new ValueTask<string>(Token)));
        Assert.Contains("only over TLS", error.Message, StringComparison.Ordinal);
    }

    [Theory, Each("", "Bearer abc", "abc\u0001auth=Bearer other", "\u00fcber")]
    public async Task WhatIsNoTokenIsNotSent(string token)
    {
        var peer = new ScriptedPeer();
        _ = ServeAsync(peer, () => OfferAsync(peer));
        var error = await Assert.ThrowsAsync<PgAuthenticationException>(() => StartAsync(peer, Verified, _ => new ValueTask<string>(token)));
        Assert.Contains("no bearer token", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", "TokenProvider")]
    [InlineData("require_auth=scram-sha-256", "asks for oauth")]
    [InlineData("require_auth=!oauth", "asks for oauth")]
    [InlineData("channel_binding=require", "Channel binding is required")]
    public async Task WhoDoesNotTakePartSaysWhy(string text, string expected)
    {
        var peer = new ScriptedPeer();
        _ = ServeAsync(peer, () => OfferAsync(peer));
        var error = await Assert.ThrowsAsync<PgAuthenticationException>(() => StartAsync(peer, $"{Verified} {text}", null));
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task WhoAllowsNothingElseIsNotSignedInWithoutIt()
    {
        var peer = new ScriptedPeer();
        _ = ServeAsync(peer, async () =>
        {
            await peer.ReadUntypedAsync();
            await peer.SendAsync([ScriptedPeer.Authentication(0), .. ScriptedPeer.Welcome()]);
            return "";
        });
        var error = await Assert.ThrowsAsync<PgAuthenticationException>(
            () => StartAsync(peer, $"{Verified} require_auth=oauth", static _ => new ValueTask<string>(Token)));
        Assert.Contains("no proof", error.Message, StringComparison.Ordinal);
    }

    private string Verified => $"sslmode=verify-full sslrootcert={_authority.RootFile}";

    private static async Task<string> OfferAsync(ScriptedPeer peer)
    {
        await peer.ReadUntypedAsync();
        await peer.SendAsync(ScriptedPeer.Authentication(10, [.. ScriptedPeer.Text("OAUTHBEARER"), 0]));
        return Encoding.UTF8.GetString(await peer.ReadPasswordAsync());
    }

    private Task<string> ServeAsync(ScriptedPeer peer, Func<Task<string>> script)
        => StartupTests.RunAsync(peer, () => TlsUpgradeTests.EncryptAsync(peer, new() { ServerCertificate = _authority.Issue(TlsUpgradeTests.Host) }, script));

    private static Task<StartedSession> StartAsync(ScriptedPeer peer, string text, Func<CancellationToken, ValueTask<string>>? provider)
    {
        PgDataSourceOptions options = PgDataSourceOptions.Parse($"host={TlsUpgradeTests.Host} user=u {text}");
        options.TokenProvider = provider;
        return StartupTests.StartAsync(peer, options, new FakeEnvironment());
    }
}
