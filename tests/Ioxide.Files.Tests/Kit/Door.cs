namespace Ioxide.Files.Tests;

/// <summary>The ways in which a file is served.</summary>
public enum Door
{
    /// <summary>The pipeline over the sockets transport.</summary>
    Sockets,

    /// <summary>The pipeline over the ring.</summary>
    Pipeline,

    /// <summary>The front door over the ring.</summary>
    Front,

    /// <summary>The front door over the sockets transport.</summary>
    SocketsFront,
}
