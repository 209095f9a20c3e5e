using System.Globalization;
using Ioxide.Compare.Servers;

namespace Ioxide.Compare;

/// <summary>Says where, when and of what a run is made.</summary>
internal static class RunRecords
{
    private static readonly TimeSpan s_gitTimeout = TimeSpan.FromSeconds(10);

    internal static async Task<RunRecord> CreateAsync(
        CompareOptions options, Workload workload, IReadOnlyList<Side> sides, CancellationToken cancellation)
    {
        var run = new RunRecord(
            workload.Name,
            workload.Summary,
            DateTimeOffset.FromUnixTimeSeconds(DateTimeOffset.UtcNow.ToUnixTimeSeconds()),
            ProcessFacts.Machine(),
            await CommitAsync(options.Root, cancellation),
            options.Flags,
            options.ConnectionCount > 0 ? options.ConnectionCount : workload.ConnectionCount,
            options.Seconds,
            options.ServerCpus.ToString(),
            options.LoadCpus.ToString(),
            workload.Target,
            [.. sides.Select(static side => new SideRecord(side.Name, side.Kind, []))]);
        return run;
    }

    /// <summary>Such as <c>20261121T201500Z-json.json</c>.</summary>
    internal static string FileName(RunRecord run)
        => $"{run.Started.UtcDateTime.ToString("yyyyMMdd'T'HHmmss'Z'", CultureInfo.InvariantCulture)}-{run.Workload}.json";

    private static async Task<string> CommitAsync(string root, CancellationToken cancellation)
    {
        CommandOutput output = await CommandRunner.RunAsync(
            "git", ["-C", root, "describe", "--always", "--dirty", "--exclude=*"], s_gitTimeout, cancellation);
        return output.ExitCode == 0 ? output.Output.Trim() : "unknown";
    }
}
