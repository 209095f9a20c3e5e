namespace Ioxide.AspNetCore.Tests;

/// <summary>One endpoint of <see cref="PlacementSimulation"/>: how long its runs take, and what came of them.</summary>
internal sealed class SimulatedEndpoint(EndpointKind kind, EndpointPlacement placement, double awaits)
{
    internal EndpointKind Kind => kind;

    internal EndpointPlacement Placement => placement;

    internal int Runs { get; private set; }

    internal int RunsUntilPromoted { get; private set; }

    /// <summary>Runs on the pool after it was promoted once.</summary>
    internal int PoolRunsSince { get; private set; }

    internal int RunsSince { get; private set; }

    /// <summary>Runs that blocked a reactor, and for how long in all.</summary>
    internal int BlockingRuns { get; private set; }

    internal long BlockedUs { get; private set; }

    /// <summary>Begins a run.</summary>
    /// <returns>Its stretches between two awaits, in microseconds.</returns>
    internal long[] Begin(Random random, long nowUs)
    {
        Runs++;
        bool isInline = placement.IsInline;
        RunsUntilPromoted = RunsUntilPromoted == 0 && isInline ? Runs : RunsUntilPromoted;
        if (RunsUntilPromoted != 0)
        {
            RunsSince++;
            PoolRunsSince += isInline ? 0 : 1;
        }

        long[] stretches = random.NextDouble() < awaits || kind == EndpointKind.BecomesSlow ? [Short(random), Short(random)] : [Short(random)];
        if (Blocks(random, nowUs))
        {
            stretches[^1] = random.Next(20_000, 200_000);
            if (isInline)
            {
                BlockingRuns++;
                BlockedUs += stretches[^1];
            }
        }

        return stretches;
    }

    private static long Short(Random random) => random.Next(10, 200);

    private bool Blocks(Random random, long nowUs) => kind switch
    {
        EndpointKind.Slow => true,
        EndpointKind.BecomesSlow => nowUs > 60_000_000,
        EndpointKind.Mixed => random.Next(20) == 0,
        EndpointKind.RarelySlow => random.Next(2000) == 0,
        EndpointKind.Bursts => nowUs % 30_000_000 > 28_000_000,
        _ => false,
    };
}
