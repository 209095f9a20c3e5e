namespace Ioxide.TestKit;

/// <summary>How a case of a WebSocket ends.</summary>
/// <param name="IsFailure">The server must fail the connection (RFC 6455, section 7.1.7); else it answers the client's close frame.</param>
/// <param name="Codes">What its close frame may say.</param>
internal sealed record WebSocketEnding(bool IsFailure, params int[] Codes)
{
    internal const int Normal = 1000;
    internal const int ProtocolError = 1002;
    internal const int InvalidData = 1007;

    /// <summary>The client closes, and is answered.</summary>
    internal static readonly WebSocketEnding Clean = new(false, Normal);

    internal static readonly WebSocketEnding BrokenProtocol = new(true, ProtocolError);

    internal static readonly WebSocketEnding BrokenText = new(true, InvalidData);

    /// <summary>The case's own bytes hold the client's close frame, and maybe more behind it.</summary>
    internal bool IsCloseSent { get; init; }

    /// <summary>What is expected before the close frame may be missing: the server need not read on once it closes.</summary>
    internal bool MayMiss { get; init; }

    /// <summary>The case's own bytes hold a close frame; the server answers with one of these codes.</summary>
    internal static WebSocketEnding Answered(params int[] codes) => new(false, codes) { IsCloseSent = true };
}
