using System.Net;
using System.Net.Sockets;

namespace Ioxide.Tls.Tests;

/// <summary>
/// Cases of tlsfuzzer, played to stock Kestrel (SslStream) and to TLS on a ring. Each is written from its RFC; the names are those of the scripts.
/// </summary>
public sealed class TlsBoardTests(TlsServers servers) : IClassFixture<TlsServers>
{
    private const string LongHello =
        "A hello is held before its client is known, so that 32 KiB of it are the most. RFC 8446, 4.1.2 names no length that a server must take.";

    private const string OldVersion = "OpenSSL says handshake_failure for protocol_version: RFC 8446, D.5. The handshake ends.";

    private const string BrokenVersions =
        "OpenSSL finds no version in a list that is broken, and says protocol_version for decode_error: RFC 8446, 6.2. The handshake ends.";

    /// <summary>Why an answer is no pass, by the case's id.</summary>
    private static readonly Dictionary<string, string> s_reasons = new()
    {
        ["client-hello-max-size: padding of 40 KiB"] = LongHello,
        ["ccs: two, 1.2"] = "OpenSSL has no next keys, and says internal_error for unexpected_message: RFC 5246, 7.2.2. The handshake ends.",
        ["invalid-compression-methods: 1.3 without null"] = "OpenSSL says decode_error for illegal_parameter: RFC 8446, 4.1.2. The handshake ends.",
        ["tls13-empty-alert: before a hello"] = "It is no more than an alert, which is not answered: RFC 8446, 6.2. The handshake ends.",
        ["tls13-legacy-version: 0300"] = OldVersion,
        ["version-numbers: 0300"] = OldVersion,
        ["tls13-version-negotiation: none"] = BrokenVersions,
        ["tls13-version-negotiation: an odd length"] = BrokenVersions,
        ["tls13-version-negotiation: behind the list"] = BrokenVersions,
    };

    /// <summary>Where the answer is worse than the stock server's, its reason tells why.</summary>
    private static readonly string[] s_worse = ["client-hello-max-size: padding of 40 KiB"];

    public static TheoryData<string> Ids => [.. TlsCatalog.Cases.Keys];

    [Theory, MemberData(nameof(Ids))]
    public async Task EachServerAnswersAsTheRfcAsks(string id)
    {
        TlsCase @case = TlsCatalog.Cases[id];
        foreach ((string name, HttpsServer server) in await servers.AllAsync())
        {
            servers.Board.Add(id, @case.Source, name, await @case.PlayAsync(server.EndPoint));
        }

        Assert.Empty(servers.Board.Complaints(id, s_reasons.GetValueOrDefault(id), s_worse.Contains(id)));
    }

    [Fact]
    public async Task AServerThatEndsAtOnceHasNoPass()
    {
        using Socket listener = RawSocket.Listen();
        Waits.Observe(AnswerAllAsync(listener, []));
        foreach (TlsCase @case in TlsCatalog.Cases.Values)
        {
            Verdict verdict = await @case.PlayAsync((IPEndPoint)listener.LocalEndPoint!);
            Assert.True(verdict.Score < Score.Pass, $"{@case.Id}: {verdict.Seen}");
        }
    }

    /// <summary>What must be refused is no more than a warning where it is refused without an alert.</summary>
    [Fact]
    public async Task AServerThatTakesEachHelloFailsWhereOneMustBeRefused()
    {
        byte[] hello = await HelloOfAServerAsync();
        using Socket listener = RawSocket.Listen();
        Waits.Observe(AnswerAllAsync(listener, hello));
        List<string> failures = [];
        foreach (TlsCase @case in TlsCatalog.Cases.Values)
        {
            Verdict verdict = await @case.PlayAsync((IPEndPoint)listener.LocalEndPoint!);
            if (verdict.Seen.StartsWith("taken", StringComparison.Ordinal))
            {
                Assert.Equal(Score.Fail, verdict.Score);
                failures.Add(@case.Id);
            }
        }

        Assert.Contains("fallback-scsv: 1.2", failures);
        Assert.True(failures.Count > 60, $"{failures.Count} cases must be refused.");
    }

    private async Task<byte[]> HelloOfAServerAsync()
    {
        (_, HttpsServer server) = (await servers.AllAsync())[0];
        using Socket socket = await RawSocket.ConnectAsync(server.EndPoint);
        await socket.SendAllAsync(HelloBuilder.For13().Records());
        byte[] head = await socket.ReceiveExactlyAsync(RecordHeader.SizeInBytes);
        return [.. head, .. await socket.ReceiveExactlyAsync(HelloBuilder.Word(head.AsSpan(3)))];
    }

    private static async Task AnswerAllAsync(Socket listener, byte[] answer)
    {
        while (true)
        {
            Waits.Observe(AnswerAsync(await listener.AcceptAsync(), answer));
        }
    }

    private static async Task AnswerAsync(Socket accepted, byte[] answer)
    {
        using Socket socket = accepted;
        await socket.SendAllAsync(answer);

        // A reset would overtake the answer.
        socket.Shutdown(SocketShutdown.Send);
        await socket.ReceiveToEndAsync();
    }
}
