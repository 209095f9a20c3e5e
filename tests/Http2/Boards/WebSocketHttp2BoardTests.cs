namespace Ioxide.Http2.Tests;

/// <summary>
/// The Autobahn test suite's catalogue for servers, over streams of HTTP/2 (RFC 8441): stock Kestrel, Kestrel on the ring, and the engine.
/// </summary>
/// <remarks>Takes a minute: messages of up to 16 MiB.</remarks>
[OnRequest("eng/conformance.sh WebSocket WebSocketHttp2")]
public sealed class WebSocketHttp2BoardTests(WebSocketHttp2Servers servers) : IClassFixture<WebSocketHttp2Servers>
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

    [Theory, MemberData(nameof(Ids))]
    public async Task EachServerAnswersAsTheRfcAsks(string id)
    {
        WebSocketCase @case = WebSocketCatalog.Cases[id];
        string path = @case.Offers.Count > 0 ? WebSocketEcho.CompressedPath : "/";
        foreach ((string name, _, HttpClient client) in await servers.AllAsync())
        {
            Verdict verdict = await WebSocketPlay.RunAsync(@case, offers => WebSocketHttp2Servers.ConnectAsync(client, path, offers), 30.Seconds());
            servers.Board.Add(id, @case.Source, name, verdict);
        }

        Assert.Empty(servers.Board.Complaints(id, s_reasons.GetValueOrDefault(id)));
    }
}
