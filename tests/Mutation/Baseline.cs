using System.Diagnostics;

namespace Ioxide.Mutation;

/// <summary>Without a fault everything must pass, and well within its limit: else what is noticed means nothing.</summary>
internal static class Baseline
{
    // Two runs of the same differ by less on a machine that has nothing else to do.
    private const int LimitInRuns = 2;

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(10);

    /// <summary>Runs the classes that have not passed in this build, each alone, as a fault's run does.</summary>
    /// <param name="copy">The build.</param>
    /// <param name="classes">Full names.</param>
    /// <param name="results">What is known of them; more is added.</param>
    /// <param name="limit">How long a class may run with a fault.</param>
    /// <param name="jobs">How many run at a time.</param>
    /// <returns>What is wrong; null where all is well.</returns>
    internal static string? OfClasses(FaultyCopy copy, IReadOnlyList<string> classes, Results results, TimeSpan limit, int jobs)
    {
        string? problem = null;
        string[] open = [.. classes.Where(name => results.SoundSeconds(name) is null)];
        Parallel.ForEach(open, new ParallelOptions { MaxDegreeOfParallelism = jobs }, (name, loop) =>
        {
            long begun = Stopwatch.GetTimestamp();
            if (copy.RunTests(name, 0, s_patience) is { } failed)
            {
                problem = $"{name} fails without a fault: {failed}";
                loop.Stop();
                return;
            }

            results.AddSound(name, (int)Math.Ceiling(Stopwatch.GetElapsedTime(begun).TotalSeconds));
        });
        Console.WriteLine($"{open.Length} classes ran without a fault");
        return problem ?? classes
            .Select(name => (Name: name, Seconds: results.SoundSeconds(name) ?? 0))
            .Where(each => LimitInRuns * each.Seconds > limit.TotalSeconds)
            .Select(static each => $"{each.Name} takes {each.Seconds} s without a fault: give --limit {LimitInRuns * each.Seconds} or more")
            .FirstOrDefault();
    }

    /// <summary>Runs the simulation without a fault.</summary>
    /// <returns>What is wrong; null where all is well.</returns>
    internal static string? OfSimulation(SimulatedCopy copy)
    {
        long begun = Stopwatch.GetTimestamp();
        if (copy.Run(0) is { } failed)
        {
            return $"the simulation fails without a fault: {failed}";
        }

        TimeSpan time = Stopwatch.GetElapsedTime(begun);
        Console.WriteLine($"the simulation passes without a fault ({time.TotalSeconds:0} s)");
        return LimitInRuns * time > SimulatedCopy.RunLimit
            ? $"the simulation takes {time.TotalSeconds:0} s without a fault, and counts as one that hangs after {SimulatedCopy.RunLimit.TotalSeconds:0} s: "
                + "run this where nothing else uses the machine"
            : null;
    }
}
