namespace Ioxide.Http2.Tests;

/// <summary>In what way a <see cref="WrongHttp2Server"/> is wrong.</summary>
public enum WrongHttp2Kind
{
    /// <summary>Each head is answered with 200, each PING and SETTINGS is acknowledged, and nothing is an error.</summary>
    TakesEverything,

    /// <summary>Settings are exchanged; nothing more is said.</summary>
    IsMute,

    /// <summary>Settings are exchanged; the next frame ends the connection.</summary>
    EndsConnections,

    /// <summary>Settings are exchanged; each frame is answered with a PING that asks for an answer.</summary>
    Chatters,

    /// <summary>The first frame is a PING.</summary>
    OpensWithPing,

    /// <summary>Settings are exchanged; each frame is answered with GOAWAY and the wrong code, and the connection stays.</summary>
    SaysWrongCodes,
}
