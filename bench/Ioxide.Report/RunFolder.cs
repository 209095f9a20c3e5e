namespace Ioxide.Report;

/// <summary>The runs of a folder.</summary>
internal static class RunFolder
{
    /// <summary>The order of the report; what is not here comes after it by name.</summary>
    private static readonly string[] s_order =
    [
        "baseline", "pipelined", "limited-conn", "json", "json-comp", "json-tls", "static", "upload", "crud", "async-db", "api-4", "api-16",
        "echo-websocket", "sse", "h2", "h2-tls", "latency", "idle", "startup",
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
