using System.Globalization;

namespace Ioxide.Report;

/// <summary>One number that a round yields.</summary>
/// <param name="Key">Its name in the results file.</param>
/// <param name="Title">Its name in the printed report, with its unit.</param>
/// <param name="Direction">Which way is better.</param>
/// <param name="Decimals">Digits after the point in the printed report.</param>
internal sealed record Metric(string Key, string Title, MetricDirection Direction, int Decimals = 0)
{
    /// <summary>Of loads that keep to a rate.</summary>
    internal static readonly Metric CpuUsPerRequest =
        new("cpu_us_per_request", "server CPU time per request, us", MetricDirection.LessIsBetter, 1);

    internal static readonly Metric RequestsPerCpuSecond =
        new("requests_per_cpu_s", "requests per server CPU-second", MetricDirection.MoreIsBetter);

    internal static readonly Metric MegabytesPerCpuSecond =
        new("mb_per_cpu_s", "MB (10^6 bytes) per server CPU-second", MetricDirection.MoreIsBetter);

    internal static readonly Metric RequestsPerSecond =
        new("requests_per_s", "requests per second", MetricDirection.MoreIsBetter);

    internal static readonly Metric MegabytesPerSecond =
        new("mb_per_s", "MB (10^6 bytes) per second", MetricDirection.MoreIsBetter);

    internal static readonly Metric P50Us = new("p50_us", "latency p50, us", MetricDirection.LessIsBetter);

    internal static readonly Metric P90Us = new("p90_us", "latency p90, us", MetricDirection.LessIsBetter);

    internal static readonly Metric P99Us = new("p99_us", "latency p99, us", MetricDirection.LessIsBetter);

    internal static readonly Metric P999Us = new("p999_us", "latency p99.9, us", MetricDirection.LessIsBetter);

    internal static readonly Metric P99AloneUs =
        new("p99_alone_us", "latency p99 alone, us", MetricDirection.LessIsBetter);

    internal static readonly Metric P99Growth =
        new("p99_growth", "latency p99 beside the others / alone", MetricDirection.LessIsBetter, 2);

    internal static readonly Metric MeanUs = new("mean_us", "latency mean, us", MetricDirection.LessIsBetter);

    internal static readonly Metric AllocatedPerRequest =
        new("allocated_bytes_per_request", "allocated bytes per request", MetricDirection.LessIsBetter, 1);

    internal static readonly Metric Gen0Collections =
        new("gen0_collections", "generation 0 collections a round", MetricDirection.LessIsBetter, 1);

    /// <summary>Near 1 the server answered as much as was asked; below 0.95 the round is of a lighter load.</summary>
    internal static readonly Metric RateHeld = new("rate_held", "share of the rate that was held", MetricDirection.None, 3);

    /// <summary>Near 1 the server is the limit; below, the load is, and requests per second say little.</summary>
    internal static readonly Metric ServerUse =
        new("server_use", "share of the server's CPUs used by the server", MetricDirection.None, 2);

    /// <summary>A quiet machine shows 0; a round above 0.05 was disturbed.</summary>
    internal static readonly Metric OtherUse =
        new("other_use", "share of the server's CPUs used by others", MetricDirection.None, 2);

    /// <summary>Near 1 with a server below that, the load was the limit.</summary>
    internal static readonly Metric LoadUse =
        new("load_use", "share of the load's CPUs in use", MetricDirection.None, 2);

    internal static readonly Metric ResidentMb =
        new("rss_mb", "resident memory, MB (10^6 bytes)", MetricDirection.LessIsBetter, 1);

    internal static readonly Metric StartMs =
        new("start_ms", "process start to first reply, ms", MetricDirection.LessIsBetter);

    internal static readonly Metric StartCpuMs =
        new("start_cpu_ms", "CPU time to first reply, ms", MetricDirection.LessIsBetter);

    internal static readonly Metric StartResidentMb =
        new("start_rss_mb", "resident memory at first reply, MB (10^6 bytes)", MetricDirection.LessIsBetter, 1);

    internal static readonly Metric IdleBytesPerConnection =
        new("idle_bytes_per_connection", "resident bytes per idle connection", MetricDirection.LessIsBetter);

    internal static readonly Metric IdleResidentMb =
        new("idle_rss_mb", "resident memory with all connections, MB (10^6 bytes)", MetricDirection.LessIsBetter, 1);

    internal static readonly Metric SystemCallsPerThousand =
        new("syscalls_per_1000", "system calls per 1,000 requests", MetricDirection.LessIsBetter);

    internal static readonly Metric FirstFiveSeconds =
        new("first_5_s", "requests per server CPU-second in the first 5 s", MetricDirection.MoreIsBetter);

    /// <summary>Of each second of a process that has just started, from the first on.</summary>
    internal static readonly IReadOnlyList<Metric> FirstSeconds =
    [
        .. Enumerable.Range(1, 30).Select(static second => new Metric(
            string.Create(CultureInfo.InvariantCulture, $"second_{second:00}"),
            string.Create(CultureInfo.InvariantCulture, $"requests per server CPU-second in second {second}"),
            MetricDirection.MoreIsBetter)),
    ];

    /// <summary>All of them, in the order of the report.</summary>
    internal static readonly IReadOnlyList<Metric> All =
    [
        FirstFiveSeconds, .. FirstSeconds,
        CpuUsPerRequest, RequestsPerCpuSecond, MegabytesPerCpuSecond, RequestsPerSecond, MegabytesPerSecond, P50Us, P90Us, P99Us, P999Us,
        P99AloneUs, P99Growth, MeanUs, StartMs, StartCpuMs, StartResidentMb, IdleBytesPerConnection, IdleResidentMb,
        AllocatedPerRequest, Gen0Collections, ResidentMb, SystemCallsPerThousand, RateHeld, ServerUse, OtherUse, LoadUse,
    ];

    internal string Format(double value) => value.ToString($"N{Decimals}", CultureInfo.InvariantCulture);
}
