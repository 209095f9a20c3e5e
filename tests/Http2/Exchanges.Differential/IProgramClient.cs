namespace Ioxide.Http2.Tests;

/// <summary>A client of one connection: it sends when the steps of a program say so, and keeps what it is answered.</summary>
internal interface IProgramClient : IAsyncDisposable
{
    /// <summary>Its own, by which the server knows the connection.</summary>
    int Port { get; }

    /// <summary>Sends the program's request and gives what it was answered; null where that or the handler has no end, which the session notes.</summary>
    Task<string?> AskAsync(string path, ProgramSession session);

    /// <summary>The client's part of a step. It ends when the server has read it.</summary>
    Task ActAsync(ProgramSession session, Step step);

    /// <summary>Sends another request on the same connection.</summary>
    Task<string> AskAgainAsync(string path, ProgramSession session);
}
