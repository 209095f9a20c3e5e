using System.Globalization;

namespace Ioxide.Compare.Quiet;

/// <summary>
/// Runs rounds on a machine that others share: each CPU is timed before and after a round, and a round beside which one of them was slow is
/// discarded and run again, at most <see cref="MaxAttempts"/> times.
/// </summary>
/// <remarks>
/// What is quiet is the shortest time that a CPU was seen to need. It is looked for at first, and taken over whenever a shorter one is seen, so
/// that a start beside a neighbour does not count as quiet. Threads: one.
/// </remarks>
internal sealed class QuietRounds
{
    /// <summary>How often a round is tried that the machine disturbs; then it counts as it is, and is named.</summary>
    internal const int MaxAttempts = 8;

    /// <summary>A CPU that needs this much longer than in quiet shares its time or its core.</summary>
    internal const double MaxSlowdown = 1.15;

    private const int FirstLooks = 5;

    private readonly ICalibrator _calibrator;
    private readonly SortedDictionary<int, TimeSpan> _quiet = [];

    /// <param name="calibrator">Times a CPU.</param>
    /// <param name="cpus">Those of the server and of the load.</param>
    internal QuietRounds(ICalibrator calibrator, IEnumerable<int> cpus)
    {
        _calibrator = calibrator;
        foreach (int cpu in cpus.Distinct())
        {
            _quiet[cpu] = Enumerable.Range(0, FirstLooks).Min(_ => calibrator.Measure(cpu));
        }
    }

    /// <summary>Runs a round until it was quiet.</summary>
    /// <param name="round">The round. A <see cref="LateLoadException"/> is a disturbance too, until the last attempt.</param>
    /// <param name="disturbance">What the round's own numbers tell of others, or null.</param>
    /// <param name="discard">Takes the reason of each attempt that does not count.</param>
    /// <returns>The numbers, and what disturbed them where no attempt was quiet.</returns>
    internal async Task<(T Values, string? Disturbance)> RunAsync<T>(Func<Task<T>> round, Func<T, string?> disturbance, Action<string> discard)
    {
        for (int attempt = 1; ; attempt++)
        {
            string? reason = Slowest("before");
            try
            {
                T values = await round();
                reason ??= Slowest("after") ?? disturbance(values);
                if (reason is null || attempt == MaxAttempts)
                {
                    return (values, reason);
                }
            }
            catch (LateLoadException exception) when (attempt < MaxAttempts)
            {
                reason = exception.Message;
            }

            discard(reason);
        }
    }

    /// <summary>Times every CPU. Null where all are as quick as in quiet.</summary>
    private string? Slowest(string when)
    {
        (int Cpu, double Slowdown) worst = (0, 0);
        foreach (int cpu in _quiet.Keys.ToArray())
        {
            TimeSpan taken = _calibrator.Measure(cpu);
            _quiet[cpu] = taken < _quiet[cpu] ? taken : _quiet[cpu];
            double slowdown = taken / _quiet[cpu];
            worst = slowdown > worst.Slowdown ? (cpu, slowdown) : worst;
        }

        return worst.Slowdown <= MaxSlowdown ? null
            : string.Create(CultureInfo.InvariantCulture, $"CPU {worst.Cpu} was {worst.Slowdown:0.00} times slower than in quiet {when} it");
    }
}
