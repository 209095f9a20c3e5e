namespace Ioxide.Report;

/// <summary>The runs of a folder.</summary>
internal static class RunFolder
{
    /// <summary>The order of the report: the boards' workloads, those of the former boards, then others. What is not here comes after them by name.</summary>
    private static readonly string[] s_order =
    [
        "baseline", "pipelined", "limited-conn", "latency-1m", "latency-10k", "8gbit", "json-comp", "json-tls", "static-tls", "async-db",
        "echo-websocket", "h2", "h2-tls", "h2-many", "h2-json", "h2-one",
        "files30k-h2", "grpc", "grpc-stream", "json", "static", "upload", "crud", "api-4", "api-16", "sse", "http-ring", "yarp-ring", "latency", "h2-latency", "idle",
        "h2-idle", "startup", "h2-cores",
    ];

    /// <exception cref="InvalidDataException">A file holds no run.</exception>
    internal static IReadOnlyList<WorkloadRuns> Read(string folder)
        => Directory.Exists(folder) ? Choose(Directory.EnumerateFiles(folder, "*.json").Order(StringComparer.Ordinal).Select(RunJson.Read)) : [];

    /// <summary>The newest run of each workload and count of connections.</summary>
    internal static IReadOnlyList<WorkloadRuns> Choose(IEnumerable<RunRecord> runs)
        =>
        [
            .. runs.GroupBy(static run => run.Workload)
                .OrderBy(static group => Array.IndexOf(s_order, group.Key) is int place && place >= 0 ? place : s_order.Length)
                .ThenBy(static group => group.Key, StringComparer.Ordinal)
                .Select(static group => new WorkloadRuns(
                    group.MaxBy(static run => run.Started)!,
                    [.. group.GroupBy(static run => run.Connections)
                        .OrderBy(static same => same.Key)
                        .Select(static same => same.MaxBy(static run => run.Started)!)])),
        ];
}
