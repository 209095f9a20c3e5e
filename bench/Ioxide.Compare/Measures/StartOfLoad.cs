using Ioxide.Compare.Servers;

namespace Ioxide.Compare.Measures;

/// <summary>What had been used when a load began.</summary>
/// <param name="Stats">Null where the server is none that has such a page.</param>
/// <param name="BusySeconds">Of the server's CPUs, by anything.</param>
/// <param name="LoadSeconds">Of the load's CPUs, by anything.</param>
/// <param name="CpuSeconds">By the server.</param>
internal readonly record struct StartOfLoad(HostStats? Stats, double BusySeconds, double LoadSeconds, double CpuSeconds)
{
    internal static async Task<StartOfLoad> ReadAsync(
        ServerProcess server, CompareOptions options, HostStatsClient stats, CancellationToken cancellation)
    {
        // The page costs the server something: its time is read after it.
        HostStats? before = await stats.ReadAsync(server, cancellation);
        return new StartOfLoad(
            before, ProcessFacts.BusySeconds(options.ServerCpus), ProcessFacts.BusySeconds(options.LoadCpus), server.CpuSeconds);
    }
}
