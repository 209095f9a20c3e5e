namespace Ioxide.Report;

/// <summary>The runs of one workload.</summary>
/// <param name="Latest">What stands for the workload.</param>
/// <param name="ByConnections">The newest run of each count of connections, in rising order.</param>
internal sealed record WorkloadRuns(RunRecord Latest, IReadOnlyList<RunRecord> ByConnections);
