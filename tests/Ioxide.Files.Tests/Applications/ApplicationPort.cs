namespace Ioxide.Files.Tests;

/// <summary>The ports of one application, each by its address on loopback.</summary>
internal enum ApplicationPort
{
    /// <summary>Kestrel over the framework's sockets: what is right.</summary>
    Stock = 1,

    /// <summary>The pipeline over the ring.</summary>
    Ring,

    /// <summary>The front door over the ring.</summary>
    Front,

    /// <summary>Over sockets, without the middleware that files go around: what is right where the front door answers.</summary>
    Around,
}
