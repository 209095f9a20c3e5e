using System.Globalization;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// What endpoints earn and lose over minutes of simulated load. A failure names its seed. <c>IOXIDE_PLACEMENT_SEEDS=200</c> makes the figures of
/// bench/results/scheduling.md, which the last test prints.
/// </summary>
/// <remarks>Takes 11 s in Release: 200 seeds of minutes of load.</remarks>
[Once]
public class PlacementSimulationTests(ITestOutputHelper output)
{
    private static readonly int s_seeds = Scale.Of(200);
    private static readonly SimulatedMachine s_quiet = new(Shortage: 0, Collections: 0, FirstCompilation: 30_000);
    private static readonly SimulatedMachine s_short = new(Shortage: 0.08, Collections: 0.02, FirstCompilation: 300_000);

    [Fact]
    public void WithoutBlockingCodeNoneIsEverDemotedAndAllArePromoted()
    {
        for (int seed = 0; seed < s_seeds; seed++)
        {
            using PlacementSimulation run = Run(seed, s_short, [.. Enumerable.Repeat(EndpointKind.Quick, 8)]);
            Assert.All(run.Of(EndpointKind.Quick), endpoint =>
            {
                Assert.True(endpoint.Placement.Demotions == 0, $"seed {seed}: a quick endpoint was demoted");
                Assert.True(endpoint.Placement.IsInline, $"seed {seed}: {endpoint.Placement.QuickRuns} quick runs of {endpoint.Runs} counted");
            });
        }
    }

    [Fact]
    public void WhatAlwaysBlocksNeverRunsOnAReactor()
    {
        for (int seed = 0; seed < s_seeds; seed++)
        {
            using PlacementSimulation run = Run(seed, s_short, EndpointKind.Slow, EndpointKind.Quick, EndpointKind.Slow);
            Assert.All(run.Of(EndpointKind.Slow), endpoint => Assert.True(endpoint.BlockingRuns == 0, $"seed {seed}: blocked a reactor"));
        }
    }

    /// <remarks>A second run may be in flight on the reactor, and another on the other reactor, when the first blocks.</remarks>
    [Fact]
    public void WhatBeginsToBlockLeavesTheReactorsWithItsFirstRuns()
    {
        for (int seed = 0; seed < s_seeds; seed++)
        {
            using PlacementSimulation run = Run(seed, s_quiet, EndpointKind.BecomesSlow, EndpointKind.Quick, EndpointKind.Quick, EndpointKind.Quick);
            SimulatedEndpoint slow = Assert.Single(run.Of(EndpointKind.BecomesSlow));
            Assert.True(slow.Placement.State == PlacementState.Demoted, $"seed {seed}: {slow.Placement.State}");
            Assert.True(slow.BlockingRuns <= 40, $"seed {seed}: {slow.BlockingRuns} runs blocked a reactor");
        }
    }

    /// <remarks>One may share its turns with what blocks for a while: at most half of its runs are on the pool, and a quarter of all.</remarks>
    [Fact]
    public void QuickOnesBesideThemComeBack()
    {
        for (int seed = 0; seed < s_seeds; seed++)
        {
            using PlacementSimulation run = Run(
                seed, s_quiet, [EndpointKind.BecomesSlow, EndpointKind.Mixed, EndpointKind.Bursts, .. Enumerable.Repeat(EndpointKind.Quick, 6)]);
            List<SimulatedEndpoint> quick = [.. run.Of(EndpointKind.Quick)];
            int onPool = quick.Sum(static endpoint => endpoint.PoolRunsSince);
            int all = quick.Sum(static endpoint => endpoint.RunsSince);
            Assert.True(onPool <= all / 4, $"seed {seed}: {onPool} of {all} runs on the pool");
            Assert.All(quick, endpoint => Assert.True(
                endpoint.PoolRunsSince <= endpoint.RunsSince / 2, $"seed {seed}: {endpoint.PoolRunsSince} of {endpoint.RunsSince} runs on the pool"));
        }
    }

    [Fact]
    public void PrintsItsFigures()
    {
        int seeds = int.Parse(Environment.GetEnvironmentVariable("IOXIDE_PLACEMENT_SEEDS") ?? "1", CultureInfo.InvariantCulture);
        foreach ((string name, SimulatedMachine machine) in new[] { ("quiet", s_quiet), ("short of CPU", s_short) })
        {
            Print(seeds, $"{name}, quick alone", machine, [.. Enumerable.Repeat(EndpointKind.Quick, 8)]);
            Print(seeds, $"{name}, one becomes slow", machine, [EndpointKind.BecomesSlow, .. Enumerable.Repeat(EndpointKind.Quick, 7)]);
            Print(seeds, $"{name}, one is slow at times", machine, [EndpointKind.RarelySlow, .. Enumerable.Repeat(EndpointKind.Quick, 7)]);
            Print(seeds, $"{name}, one comes in bursts", machine, [EndpointKind.Bursts, .. Enumerable.Repeat(EndpointKind.Quick, 7)]);
            Print(
                seeds, $"{name}, all kinds", machine,
                [.. Enum.GetValues<EndpointKind>(), EndpointKind.Quick, EndpointKind.Quick, EndpointKind.Quick, EndpointKind.Quick]);
        }
    }

    private static PlacementSimulation Run(int seed, SimulatedMachine machine, params ReadOnlySpan<EndpointKind> kinds)
    {
        var run = new PlacementSimulation(seed, machine, kinds);

        // A reactor that waits for processors can do less, and is not to be overloaded.
        run.Run(180.Seconds(), requestsPerSecond: (machine.Shortage > 0 ? 25 : 100) * kinds.Length);
        return run;
    }

    private void Print(int seeds, string name, SimulatedMachine machine, EndpointKind[] kinds)
    {
        List<SimulatedEndpoint> all = [];
        for (int seed = 0; seed < seeds; seed++)
        {
            using PlacementSimulation run = Run(seed, machine, kinds);
            all.AddRange(kinds.Distinct().SelectMany(run.Of));
        }

        SimulatedEndpoint[] quick = [.. all.Where(static endpoint => endpoint.Kind == EndpointKind.Quick)];
        SimulatedEndpoint[] others = [.. all.Where(static endpoint => endpoint.Kind != EndpointKind.Quick)];
        int[] until = [.. quick.Select(static endpoint => endpoint.RunsUntilPromoted).Order()];
        double demotions = quick.Sum(static endpoint => endpoint.Placement.Demotions) / (double)seeds / 3;
        double onPool = quick.Sum(static endpoint => (double)endpoint.PoolRunsSince) / Math.Max(1, quick.Sum(static endpoint => (double)endpoint.RunsSince));
        double blocking = others.Sum(static endpoint => (double)endpoint.BlockingRuns) / seeds / 3;
        double blockedMs = others.Sum(static endpoint => endpoint.BlockedUs / 1000.0) / seeds / 3;
        Assert.True(quick.All(static endpoint => endpoint.RunsSince > 0), name);
        output.WriteLine(FormattableString.Invariant(
            $"| {name} | {demotions:F2} | {onPool:P1} | {until[until.Length / 2]}, {until[^1]} | {blocking:F1} | {blockedMs:F0} |"));
    }
}
