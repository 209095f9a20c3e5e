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

    /// <summary>Those that <c>bench/run.sh</c> compares; empty where it leaves the workload out.</summary>
    internal IReadOnlyList<string> RunSides { get; init; } = [];

    internal TargetRecord? Target { get; init; }

    /// <summary>Added to the arguments of the load host.</summary>
    internal IReadOnlyList<string> HostArguments { get; init; } = [];

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

    /// <summary>What the rounds run instead, in requests a second: <see cref="Load"/> only warms, and finds stock's peak where
    /// there is no <see cref="RatePerCpu"/>.</summary>
    internal Func<double, ILoad>? AtRate { get; init; }

    /// <summary>Requests a second for each CPU of the server. Null stands for half of stock's peak; <c>--rate</c> wins over both.</summary>
    internal double? RatePerCpu { get; init; }
}
