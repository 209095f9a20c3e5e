namespace Ioxide.TestKit;

/// <summary>A case of the catalogue of WebSockets.</summary>
/// <param name="Id">The catalogue's name: "6.4.1".</param>
/// <param name="Source">Where the requirement stands.</param>
/// <param name="Ending">How it ends.</param>
/// <param name="Turns">What is sent, made when the case is played.</param>
internal sealed record WebSocketCase(string Id, string Source, WebSocketEnding Ending, Func<IEnumerable<WebSocketTurn>> Turns)
{
    /// <summary>What the client asks for in Sec-WebSocket-Extensions, most wanted first; empty for nothing.</summary>
    internal IReadOnlyList<string> Offers { get; init; } = [];
}
