namespace Ioxide.TestKit;

/// <summary>What a client sends, and what comes back before it sends more.</summary>
/// <param name="Make">The bytes, made when it is their turn; where compression was negotiated, with the client's end of it.</param>
/// <param name="Expected">Messages and control frames in order.</param>
internal sealed record WebSocketTurn(Func<MessageDeflater?, byte[]> Make, params WebSocketEvent[] Expected)
{
    /// <summary>The bytes go out in pieces of this size; 0 for whole.</summary>
    internal int ChopBytes { get; init; }

    /// <summary>The server knows by now that it must fail the connection, and may also notice it later.</summary>
    internal bool ShouldEnd { get; init; }

    internal static WebSocketTurn Of(byte[] bytes, params WebSocketEvent[] expected) => new(_ => bytes, expected);
}
