namespace Ioxide.AspNetCore;

/// <summary>Metadata of an endpoint that says where it runs. The last one counts, as with all metadata.</summary>
internal interface IRunsOn
{
    /// <summary>Whether on the connection's reactor, always; else on the thread pool, always.</summary>
    bool IsReactor { get; }
}
