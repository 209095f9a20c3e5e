namespace Ioxide.Http2;

/// <summary>The application of the host's server; one per container.</summary>
internal sealed class Http2Applications
{
    /// <summary>Set before the server binds.</summary>
    internal Http2Application? Current { get; set; }
}
