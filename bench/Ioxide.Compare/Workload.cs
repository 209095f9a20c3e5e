using Ioxide.Compare.Loads;

namespace Ioxide.Compare;

/// <summary>What is asked of the sides.</summary>
/// <param name="Name">Its name on the command line.</param>
/// <param name="Summary">One line for the list.</param>
/// <param name="ConnectionCount">Connections unless the command line says otherwise.</param>
internal sealed record Workload(string Name, string Summary, int ConnectionCount)
{
    /// <summary>The sides it can be run on.</summary>
    internal IReadOnlyList<Side> Sides { get; init; } = SideCatalog.Http;

    internal WorkloadKind Kind { get; init; } = WorkloadKind.Load;

    internal WorkloadEndpoint Endpoint { get; init; } = WorkloadEndpoint.Http;

    /// <summary>The bytes are the work, not the requests.</summary>
    internal bool CountsBytes { get; init; }

    /// <summary>The application calls another server.</summary>
    internal bool NeedsUpstream { get; init; }

    /// <summary>The application asks a PostgreSQL.</summary>
    internal bool NeedsDatabase { get; init; }

    /// <summary>The sides serve the folder of <see cref="FileSet"/>.</summary>
    internal bool NeedsFiles { get; init; }

    /// <summary>What produces the load. Null where the kind is none that has one.</summary>
    internal ILoad? Load { get; init; }
}
