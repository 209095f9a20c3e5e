using System.IO.Pipelines;
using System.Net;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>The start of a session against a scripted server: what is sent, what is accepted, what is refused and in which words.</summary>
public class StartupTests
{
    private static readonly TimeSpan s_limit = TimeSpan.FromMinutes(1);

    [Theory]
    [InlineData(false, 4)]
    [InlineData(true, 4)]
    [InlineData(true, 256)]
    public async Task StartsWithoutAProof(bool isSlow, int secretBytes)
    {
        var peer = new ScriptedPeer(isSlow);
        Task<string> server = RunAsync(peer, async () =>
        {
            string startup = Encoding.UTF8.GetString(await peer.ReadUntypedAsync());
            await peer.SendAsync([
                ScriptedPeer.Message('v', ScriptedPeer.Int32(0), ScriptedPeer.Int32(1), ScriptedPeer.Text("_pq_.x")),
                ScriptedPeer.Authentication(0), .. ScriptedPeer.Welcome(secretBytes), [(byte)'X'],
            ]);
            return startup;
        });
        await using StartedSession session = await StartAsync(peer, "user=u dbname=d application_name=a options='-c x=y'", "sch");
        Assert.Equal("\0\u0003\0\0user\0u\0database\0d\0client_encoding\0UTF8\0application_name\0a\0search_path\0sch\0options\0-c x=y\0\0", await server);
        Assert.Equal((4711, secretBytes, (byte)'I', "trust"), (session.ProcessId, session.SecretKey.Length, session.TransactionStatus, session.Authentication));
        Assert.Equal(("15.18", "off"), (session.Parameters["server_version"], session.Parameters["in_hot_standby"]));
        Assert.Equal("be careful", Assert.Single(session.Notices).Message);
        Assert.Null(session.Tls);
        ReadResult rest = await session.Input.ReadAsync().AsTask().WaitAsync(s_limit);
        Assert.Equal((byte)'X', Assert.Single(rest.Buffer.FirstSpan.ToArray()));
    }

    [Theory]
    [InlineData(3, "secret\0")]
    [InlineData(5, "md5")]
    public async Task AnswersWithThePassword(int request, string expected)
    {
        var peer = new ScriptedPeer();
        Task<string> server = RunAsync(peer, async () =>
        {
            await peer.ReadUntypedAsync();
            await peer.SendAsync(ScriptedPeer.Authentication(request, 1, 2, 3, 4));
            string answer = Encoding.UTF8.GetString(await peer.ReadPasswordAsync());
            await peer.SendAsync([ScriptedPeer.Authentication(0), .. ScriptedPeer.Welcome()]);
            return answer;
        });
        await using StartedSession session = await StartAsync(peer, "user=alice password=secret allow_cleartext_password=1");
        string sent = await server;
        Assert.Equal(expected == "md5" ? Encoding.ASCII.GetString(Md5Password.Answer("alice", "secret"u8, [1, 2, 3, 4])) + "\0" : expected, sent);
    }

    [Theory, AllValues]
    public async Task ProvesItselfByScramAndChecksTheServer(bool isSlow)
    {
        var peer = new ScriptedPeer(isSlow);
        var scram = new ScramServer("secret");
        Task<string> server = RunAsync(peer, () => scram.RunAsync(peer, [ScramClient.Plain]));
        await using StartedSession session = await StartAsync(peer, "user=u password=secret");
        Assert.Equal("n,,", await server);
        Assert.Equal("scram-sha-256", session.Authentication);
    }

    [Theory]
    [InlineData(ScramLie.WrongSignature, "impostor")]
    [InlineData(ScramLie.NoSignature, "without proving")]
    [InlineData(ScramLie.OtherNonce, "nonce")]
    [InlineData(ScramLie.HugeCount, "iteration")]
    [InlineData(ScramLie.SmallCount, "iteration")]
    public async Task RefusesAServerThatLiesInScram(ScramLie lie, string expected)
    {
        var peer = new ScriptedPeer();
        var scram = new ScramServer("secret") { Lie = lie };
        _ = RunAsync(peer, () => scram.RunAsync(peer, [ScramClient.Plain]));
        var error = await Assert.ThrowsAsync<PgAuthenticationException>(() => StartAsync(peer, "user=u password=secret"));
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("user=u require_auth=scram-sha-256", 0, "ScramSha256 only")]
    [InlineData("user=u require_auth=!none", 0, "no proof")]
    [InlineData("user=u password=p require_auth=scram-sha-256", 5, "asks for md5")]
    [InlineData("user=u password=p require_auth=!password", 3, "asks for password")]
    [InlineData("user=u password=p", 3, "clear text")]
    [InlineData("user=u", 5, "none is known")]
    [InlineData("user=u", 7, "GSSAPI")]
    [InlineData("user=u password=p", 99, "unknown authentication 99")]
    public async Task RefusesAProofThatIsNotAllowed(string text, int request, string expected)
    {
        var peer = new ScriptedPeer();
        _ = RunAsync(peer, async () =>
        {
            await peer.ReadUntypedAsync();
            await peer.SendAsync([ScriptedPeer.Authentication(request, 1, 2, 3, 4), .. ScriptedPeer.Welcome()]);
            return "";
        });
        var error = await Assert.ThrowsAsync<PgAuthenticationException>(() => StartAsync(peer, text));
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(5, 3)]
    [InlineData(3, 5)]
    [InlineData(5, 5)]
    public async Task RefusesAServerThatAsksForASecondProof(int first, int second)
    {
        var peer = new ScriptedPeer();
        _ = RunAsync(peer, async () =>
        {
            await peer.ReadUntypedAsync();
            await peer.SendAsync(ScriptedPeer.Authentication(first, 1, 2, 3, 4));
            await peer.ReadPasswordAsync();
            await peer.SendAsync([ScriptedPeer.Authentication(second, 1, 2, 3, 4), ScriptedPeer.Authentication(0), .. ScriptedPeer.Welcome()]);
            return "";
        });
        var error = await Assert.ThrowsAsync<PgProtocolException>(() => StartAsync(peer, "user=alice password=secret allow_cleartext_password=1"));
        Assert.Contains("second proof", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task TakesThePasswordOfTheProviderAndOfTheFile()
    {
        foreach (bool isFile in new[] { true, false })
        {
            var peer = new ScriptedPeer();
            var environment = new FakeEnvironment { Files = { ["/home/osuser/.pgpass"] = ("db.example:5432:d:u:secret", UnixFileMode.UserRead) } };
            PgDataSourceOptions options = PgDataSourceOptions.Parse("host=db.example user=u dbname=d");
            options.PasswordProvider = isFile ? null : async _ =>
            {
                await Task.Yield();
                return "secret";
            };
            Task<string> server = RunAsync(peer, () => new ScramServer("secret").RunAsync(peer, [ScramClient.Plain]));
            await using StartedSession session = await StartAsync(peer, options, environment);
            await server;
        }
    }

    [Theory]
    [InlineData("57P03", true)]
    [InlineData("53300", true)]
    [InlineData("28P01", false)]
    [InlineData("3D000", false)]
    public async Task TellsTheServersRefusal(string sqlState, bool isTransient)
    {
        foreach (bool isSignedIn in new[] { false, true })
        {
            var peer = new ScriptedPeer(isSlow: true);
            _ = RunAsync(peer, async () =>
            {
                await peer.ReadUntypedAsync();
                await peer.SendAsync(isSignedIn ? ScriptedPeer.Authentication(0) : [], ScriptedPeer.Error(sqlState, "no"));
                return "";
            });
            var error = await Assert.ThrowsAsync<PgException>(() => StartAsync(peer, "user=u"));
            Assert.Equal((sqlState, "no", "do this", isTransient), (error.SqlState, error.MessageText, error.Hint, error.IsTransient));
        }
    }

    /// <summary>Every cut of a whole start ends with an error that says so; none hangs, and none is taken for a session.</summary>
    [Fact]
    public async Task SaysDuringWhatTheConnectionEnded()
    {
        byte[] whole = [.. ScriptedPeer.Authentication(0), .. ScriptedPeer.Welcome().SelectMany(static message => message)];
        for (int cut = 0; cut < whole.Length; cut++)
        {
            var peer = new ScriptedPeer();
            await peer.SendAsync(whole[..cut]);
            peer.End(cut % 2 == 0 ? null : new IOException("reset"));
            var error = await Assert.ThrowsAsync<PgConnectionException>(() => StartAsync(peer, "user=u"));
            Assert.Contains(cut % 2 == 0 ? "closed the connection" : "was lost", error.Message, StringComparison.Ordinal);
            Assert.Contains("starting", error.Message, StringComparison.Ordinal);
        }
    }

    public static TheoryData<string, byte[]> Breaches => new()
    {
        { "type 0x44", ScriptedPeer.Message('D', [0, 0]) },
        { "impossible length", [(byte)'R', 0, 0, 0, 3] },
        { "limit is", [(byte)'R', 0x7f, 0, 0, 0] },
        { "shorter than its fields", ScriptedPeer.Message('R', [0, 0]) },
        { "shorter than its fields", ScriptedPeer.Authentication(5, 1, 2) },
        { "not begun", ScriptedPeer.Authentication(11, 1) },
        { "without an end", ScriptedPeer.Message('R', ScriptedPeer.Int32(10), "SCRAM"u8.ToArray()) },
        { "without an end", ScriptedPeer.Message('E', "Sx"u8.ToArray()) },
        { "type 0x53", ScriptedPeer.Welcome()[0] },
        { "cancel key of 3", [.. ScriptedPeer.Authentication(0), .. ScriptedPeer.Welcome(3).SelectMany(static message => message)] },
        { "cancel key of 257", [.. ScriptedPeer.Authentication(0), .. ScriptedPeer.Welcome(257).SelectMany(static message => message)] },
        { "without an end", [.. ScriptedPeer.Authentication(0), .. ScriptedPeer.Message('S', "a\0b"u8.ToArray())] },
        { "256 names", [.. ScriptedPeer.Authentication(0), .. Enumerable.Range(0, 257).SelectMany(static i => Setting($"s{i}", "x"))] },
        { "1048576 characters", [.. ScriptedPeer.Authentication(0), .. Enumerable.Range(0, 20).SelectMany(static i => Setting($"s{i}", new string('x', 60_000)))] },
        { "4096 messages", [.. Enumerable.Repeat(ScriptedPeer.Error("01000", "x", 'N'), 4100).SelectMany(static message => message)] },
    };

    [Theory, MemberData(nameof(Breaches))]
    public async Task RefusesBreachesOfTheProtocol(string expected, byte[] sent)
    {
        var peer = new ScriptedPeer();
        _ = peer.SendAsync(sent);
        var error = await Assert.ThrowsAsync<PgProtocolException>(() => StartAsync(peer, "user=u password=p"));
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
    }

    /// <summary>The control: a session has as many settings as there may be, and each changes for as long as it lasts.</summary>
    [Fact]
    public async Task KeepsTheLastValueOfEachSetting()
    {
        var peer = new ScriptedPeer();
        _ = peer.SendAsync(
        [
            ScriptedPeer.Authentication(0), .. Enumerable.Range(0, 254).Select(static i => Setting($"s{i}", "x")),
            .. Enumerable.Range(0, 40).Select(static i => Setting("s0", new string((char)('a' + i % 26), 60_000))), Setting("s0", "last"), .. ScriptedPeer.Welcome(),
        ]);
        await using StartedSession session = await StartAsync(peer, "user=u");
        Assert.Equal((256, "last", "x", "15.18"), (session.Parameters.Count, session.Parameters["s0"], session.Parameters["s253"], session.Parameters["server_version"]));
    }

    [Fact]
    public async Task SendsACancelRequestAndWaitsForTheEnd()
    {
        var peer = new ScriptedPeer();
        ConnectContext context = Context(PgDataSourceOptions.Parse("host=10.0.0.9 user=u"), new FakeEnvironment());
        Task cancel = CancelMessage.RunAsync(peer.Client, context, Server(context), 258, [9, 8, 7, 6, 5], isEncrypted: false, static () => true, default).AsTask();
        Assert.Equal([0, 0, 0, 17, 4, 210, 22, 46, 0, 0, 1, 2, 9, 8, 7, 6, 5], await peer.ReadAsync(17).WaitAsync(s_limit));
        Assert.False(cancel.IsCompleted);
        peer.End();
        await cancel.WaitAsync(s_limit);
    }

    [Fact]
    public async Task EndsWhenItIsCancelled()
    {
        using var source = new CancellationTokenSource();
        var peer = new ScriptedPeer();
        ConnectContext context = Context(PgDataSourceOptions.Parse("host=10.0.0.9 user=u sslmode=disable"), new FakeEnvironment());
        Task<StartedSession> start = Startup.RunAsync(peer.Client, context, Server(context), source.Token).AsTask();
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => start.WaitAsync(s_limit));
    }

    private static byte[] Setting(string name, string value) => ScriptedPeer.Message('S', ScriptedPeer.Text(name), ScriptedPeer.Text(value));

    /// <summary>Runs a peer's part. A test that has seen enough need not await it.</summary>
    internal static Task<T> RunAsync<T>(ScriptedPeer peer, Func<Task<T>> script)
    {
        Task<T> running = RunToItsEndAsync(peer, script);
        Waits.Observe(running);
        return running;
    }

    private static async Task<T> RunToItsEndAsync<T>(ScriptedPeer peer, Func<Task<T>> script)
    {
        try
        {
            return await script().WaitAsync(s_limit);
        }
        catch (Exception exception)
        {
            peer.End(new IOException("The script failed: " + exception.Message));
            throw;
        }
    }

    internal static Task<StartedSession> StartAsync(ScriptedPeer peer, string text, string? searchPath = null)
    {
        PgDataSourceOptions options = PgDataSourceOptions.Parse("host=db.example sslmode=disable " + text);
        options.SearchPath = searchPath;
        return StartAsync(peer, options, new FakeEnvironment());
    }

    internal static async Task<StartedSession> StartAsync(ScriptedPeer peer, PgDataSourceOptions options, FakeEnvironment environment)
    {
        options.SslMode ??= PgSslMode.Disable;
        ConnectContext context = Context(options, environment);
        return await Startup.RunAsync(peer.Client, context, Server(context), default).AsTask().WaitAsync(s_limit);
    }

    private static ConnectContext Context(PgDataSourceOptions options, FakeEnvironment environment) => new(options.Resolve(environment), environment);

    private static ServerEndpoint Server(ConnectContext context) => new(new IPEndPoint(IPAddress.Parse("10.0.0.9"), 5432), context.Options.Hosts[0]);
}
