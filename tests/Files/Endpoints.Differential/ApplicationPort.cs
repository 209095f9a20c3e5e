namespace Ioxide.Files.Tests;

/// <summary>The ports of one application, each by its address on loopback.</summary>
internal enum ApplicationPort
{
    /// <summary>Kestrel over the framework's sockets: what is right.</summary>
    Stock = 1,

    /// <summary>Kestrel over the ring.</summary>
    Ring,
}
