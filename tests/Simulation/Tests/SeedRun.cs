using System.Diagnostics;
using System.Globalization;

namespace Ioxide.Simulation;

/// <summary>Many seeds on all processors, up to the first that breaks an invariant.</summary>
internal sealed class SeedRun
{
    private readonly TimeSpan _duration;

    private SeedRun(long seeds, long events, TimeSpan duration, string? failure, IEnumerable<string> missingMarks)
    {
        Seeds = seeds;
        Events = events;
        _duration = duration;
        Failure = failure;
        MissingMarks = missingMarks;
    }

    /// <summary>Says which seeds: the first and how many, such as <c>1:1000000</c>.</summary>
    private const string Variable = "IOXIDE_SEEDS";

    internal long Seeds { get; }

    /// <summary>Completions, and what peers and other threads did.</summary>
    internal long Events { get; }

    /// <summary>A seed that failed, and how; null where all held.</summary>
    internal string? Failure { get; }

    /// <summary>The marks that no seed reached. Seeds that the environment names need not reach any.</summary>
    internal IEnumerable<string> MissingMarks { get; }

    /// <summary>The seeds that the environment names, or as many as a run of the tests has time for.</summary>
    /// <param name="count">So many.</param>
    /// <param name="play">One run.</param>
    internal static SeedRun OfEnvironment(int count, Func<ulong, SeedResult> play)
    {
        if (Environment.GetEnvironmentVariable(Variable) is not { Length: > 0 } asked)
        {
            return Of(isChosen: false, 1, count, play);
        }

        string[] parts = asked.Split(':');
        return Of(isChosen: true, ulong.Parse(parts[0], CultureInfo.InvariantCulture), int.Parse(parts[1], CultureInfo.InvariantCulture), play);
    }

    private static SeedRun Of(bool isChosen, ulong firstSeed, int count, Func<ulong, SeedResult> play)
    {
        Marks? marks = null;
        var gate = new Lock();
        ulong failedSeed = ulong.MaxValue;
        string? failure = null;
        long events = 0;
        long seeds = 0;
        int next = 0;
        long started = Stopwatch.GetTimestamp();

        // Not on the thread pool: what is left when a reactor has ended goes on there, and runs wait for it.
        Thread[] threads = [.. Enumerable.Range(0, Environment.ProcessorCount).Select(_ => new Thread(RunSeeds))];
        foreach (Thread thread in threads)
        {
            thread.Start();
        }

        foreach (Thread thread in threads)
        {
            thread.Join();
        }

        return new SeedRun(seeds, events, Stopwatch.GetElapsedTime(started), failure, isChosen ? [] : marks!.Missing);

        void RunSeeds()
        {
            while (Volatile.Read(ref failedSeed) == ulong.MaxValue && Interlocked.Increment(ref next) is int number && number <= count)
            {
                ulong seed = firstSeed + (ulong)number - 1;
                SeedResult result = play(seed);
                lock (gate)
                {
                    seeds++;
                    events += result.Events;
                    if (marks is null)
                    {
                        marks = result.Marks;
                    }
                    else
                    {
                        marks.Add(result.Marks);
                    }

                    if (result.Violation is { } violation && seed < failedSeed)
                    {
                        failedSeed = seed;
                        failure = $"seed {seed}: {violation}";
                    }
                }
            }
        }
    }

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Seeds:N0} seeds, {Events:N0} events in {_duration.TotalSeconds:0.0} s ({Events / _duration.TotalSeconds:N0} a second)");
}
