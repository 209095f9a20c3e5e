namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// The Autobahn test suite's catalogue for servers, played to an echo on stock Kestrel and on Ioxide. Each case is written from its RFC;
/// the numbers are the suite's.
/// </summary>
/// <remarks>Takes half a minute: messages of up to 16 MiB.</remarks>
[OnRequest("eng/conformance.sh WebSocket WebSocketHttp2")]
public sealed class WebSocketBoardTests(WebSocketServers servers) : IClassFixture<WebSocketServers>
{
    private const string LateText =
        "The framework looks at a text when the whole part of the frame has come. RFC 6455, 8.1 asks for the failure, not for its moment.";

    /// <summary>Why an answer is no pass, by the case's id.</summary>
    private static readonly Dictionary<string, string> s_reasons = new()
    {
        ["6.4.3"] = LateText,
        ["6.4.4"] = LateText,
    };

    public static TheoryData<string> Ids => [.. WebSocketCatalog.Cases.Keys];

    public static TheoryData<string> FailureIds
        => [.. WebSocketCatalog.Cases.Values.Where(static @case => @case.Ending.IsFailure).Select(static @case => @case.Id)];

    [Theory, MemberData(nameof(Ids))]
    public async Task EachServerAnswersAsTheRfcAsks(string id)
    {
        WebSocketCase @case = WebSocketCatalog.Cases[id];
        string path = @case.Offers.Count > 0 ? WebSocketEcho.CompressedPath : "/";
        foreach ((string name, TestServer server) in await servers.AllAsync())
        {
            Verdict verdict = await WebSocketPlay.RunAsync(@case, offers => WebSocketLink.UpgradeAsync(server.EndPoint, path, offers), 30.Seconds());
            servers.Board.Add(id, @case.Source, name, verdict);
        }

        Assert.Empty(servers.Board.Complaints(id, s_reasons.GetValueOrDefault(id)));
    }

    /// <summary>With or without the close frame that should come before. Source: RFC 6455, section 7.1.7.</summary>
    [Theory, MemberData(nameof(FailureIds))]
    public async Task EachServerAbortsWhatBreaksTheProtocol(string id)
    {
        foreach ((string name, TestServer server) in await servers.AllAsync())
        {
            Verdict verdict = await WebSocketPlay.RunAsync(
                WebSocketCatalog.Cases[id], offers => WebSocketLink.UpgradeAsync(server.EndPoint, WebSocketEcho.HastyPath, offers), 30.Seconds());
            Assert.True(verdict.Score > Score.Fail, $"{name}: {verdict.Seen}");
        }
    }

    [Fact]
    public async Task AServerThatTakesAnythingFailsWhereTheProtocolIsBroken()
    {
        await using WrongWebSocketServer server = WrongWebSocketServer.Start(takesAnything: true);
        Assert.All(await PlayAllAsync(server, isFailure: true), static verdict => Assert.Equal(Score.Fail, verdict.Score));
    }

    [Fact]
    public async Task AServerThatSaysNothingFailsWhereAnAnswerIsDue()
    {
        await using WrongWebSocketServer server = WrongWebSocketServer.Start(takesAnything: false);
        Assert.All(await PlayAllAsync(server, isFailure: false), static verdict => Assert.Equal(Score.Fail, verdict.Score));
    }

    /// <summary>Each case without compression, which neither server has.</summary>
    private static async Task<List<Verdict>> PlayAllAsync(WrongWebSocketServer server, bool isFailure)
    {
        List<Verdict> verdicts = [];
        foreach (WebSocketCase @case in WebSocketCatalog.Cases.Values.Where(@case => @case.Ending.IsFailure == isFailure && @case.Offers.Count == 0))
        {
            verdicts.Add(await WebSocketPlay.RunAsync(
                @case, offers => WebSocketLink.UpgradeAsync(server.EndPoint, "/", offers), 300.Milliseconds()));
        }

        return verdicts;
    }
}
