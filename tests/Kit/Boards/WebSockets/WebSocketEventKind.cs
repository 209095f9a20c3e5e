namespace Ioxide.TestKit;

/// <summary>What a client of a WebSocket can see of its server.</summary>
internal enum WebSocketEventKind
{
    Text,
    Binary,
    Ping,
    Pong,
    Close,

    /// <summary>The stream has ended.</summary>
    Finished,

    /// <summary>The connection was reset.</summary>
    Reset,

    /// <summary>Nothing came for a while.</summary>
    Silence,

    /// <summary>A frame that no server may send.</summary>
    Broken,
}
