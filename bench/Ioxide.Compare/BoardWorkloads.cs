using Ioxide.Compare.Loads;

namespace Ioxide.Compare;

/// <summary>
/// Workloads of HttpArena that pin the rate and ask what a request costs. Their connections are the board's; their rates are its share for one of the 64
/// hardware threads that its server has.
/// </summary>
internal static class BoardWorkloads
{
    private const double BoardThreads = 64;

    internal static IReadOnlyList<Workload> All { get; } =
    [
        Latency("latency-1m", 1_000_000, "sums at a rate that keeps the server busy: 1,000,000 per second for 64 CPUs"),
        Latency("latency-500k", 500_000 * 8, "sums at a rate above what most servers answer: 500,000 per second for 8 CPUs"),
        Latency("latency-10k", 10_000, "sums at a rate that leaves the server nearly idle: 10,000 per second for 64 CPUs"),
        new("8gbit", "10 KB echoed over TLS: 50,000 per second for 64 CPUs", 512)
        {
            RunSides = WorkloadCatalog.AllParts, Endpoint = WorkloadEndpoint.Https, RatePerCpu = 50_000 / BoardThreads,
            Load = new CheckedLoad(new WrkLoad(Question.Echo.Path) { Script = "echo.lua" }, Question.Echo),
            AtRate = static rate => new FixedRateLoad(Question.Echo, rate),
        },
    ];

    private static Workload Latency(string name, int boardRate, string summary)
        => new(name, summary, 1_024)
        {
            RunSides = WorkloadCatalog.TransportAlone,
            RatePerCpu = boardRate / BoardThreads,
            Load = new WrkLoad(Question.SumPath),
            AtRate = static rate => new FixedRateLoad(Question.Sum, rate),
        };
}
