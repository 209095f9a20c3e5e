using System.Diagnostics;
using System.Runtime;
using Ioxide.PgBench.Sides;

namespace Ioxide.PgBench.Turns;

/// <summary>Runs the turns of one side.</summary>
internal sealed class TurnRunner(BenchSide side, BenchOptions options)
{
    private const int SteadyMethodCount = 3;
    private const double MaxWarmupFactor = 5;

    private static readonly TimeSpan s_slice = TimeSpan.FromSeconds(1);

    // Longer than the 100 ms without a new method after which the runtime compiles what it has counted.
    private static readonly TimeSpan s_rest = TimeSpan.FromMilliseconds(400);

    /// <summary>Asks until the code is compiled; between the slices the compiler gets the CPU for itself.</summary>
    internal async Task WarmUpAsync()
    {
        double seconds = 0;
        while (true)
        {
            long before = JitInfo.GetCompiledMethodCount();
            await RunAsync(s_slice).ConfigureAwait(false);
            await Task.Delay(s_rest).ConfigureAwait(false);
            seconds += s_slice.TotalSeconds;
            bool isSteady = JitInfo.GetCompiledMethodCount() - before <= SteadyMethodCount;
            if ((isSteady && seconds >= options.WarmupSeconds) || seconds >= options.WarmupSeconds * MaxWarmupFactor)
            {
                return;
            }
        }
    }

    internal Task<TurnResult> MeasureAsync() => RunAsync(TimeSpan.FromSeconds(options.Seconds));

    /// <exception cref="WrongAnswerException">An answer was wrong.</exception>
    private async Task<TurnResult> RunAsync(TimeSpan duration)
    {
        var turn = new Turn(side.Workload.CallerCount);
        GC.Collect();
        double? serverBefore = options.ServerId > 0 ? ServerCpu.Seconds(options.ServerId) : null;
        int collections = GC.CollectionCount(0);
        long bytes = GC.GetTotalAllocatedBytes(precise: true);
        double cpu = Environment.CpuUsage.TotalTime.TotalSeconds;
        long began = Stopwatch.GetTimestamp();

        Task callers = side.RunAsync(turn);
        await Task.WhenAny(callers, Task.Delay(duration)).ConfigureAwait(false);
        turn.Stop();
        await callers.ConfigureAwait(false);

        double seconds = Stopwatch.GetElapsedTime(began).TotalSeconds;
        cpu = Environment.CpuUsage.TotalTime.TotalSeconds - cpu;
        bytes = GC.GetTotalAllocatedBytes(precise: true) - bytes;
        double? server = serverBefore is { } serverSeconds ? ServerCpu.Seconds(options.ServerId) - serverSeconds : null;
        long queries = turn.Count * side.Workload.QueriesACall;
        double perQuery = 1.0 / Math.Max(1, queries);
        return new TurnResult(
            side.Name, side.Workload.Name, queries, seconds, cpu, cpu * 1e6 * perQuery, queries / seconds, bytes * perQuery,
            server * 1e6 * perQuery, turn.LatencyUs(0.5), turn.LatencyUs(0.99), GC.CollectionCount(0) - collections);
    }
}
