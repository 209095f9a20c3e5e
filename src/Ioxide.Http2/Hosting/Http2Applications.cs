namespace Ioxide.Http2;

/// <summary>The application of the host's server; one per container.</summary>
internal sealed class Http2Applications
{
    /// <summary>Set before the server binds.</summary>
    internal Http2Application? Current { get; set; }

    /// <summary>Whether the engine serves every endpoint that does not say otherwise.</summary>
    internal bool ServesAll { get; set; }
}
