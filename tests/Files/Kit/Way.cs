namespace Ioxide.Files.Tests;

/// <summary>The ways in which a file is served.</summary>
public enum Way
{
    /// <summary>Over the sockets transport.</summary>
    Sockets,

    /// <summary>Over the ring.</summary>
    Ring,

    /// <summary>Over the ring, without the middleware behind routing.</summary>
    ShortCircuit,
}
