using Ioxide.Compare.Quiet;
using Ioxide.Compare.Servers;

namespace Ioxide.Compare;

/// <summary>One comparison: what is measured on which sides, and where its numbers go.</summary>
internal sealed class Session(CompareOptions options, Workload workload, IReadOnlyList<Side> sides, RunRecord run, string path)
{
    private QuietRounds? _quiet;

    internal CompareOptions Options { get; } = options;

    internal Workload Workload { get; } = workload;

    internal IReadOnlyList<Side> Sides { get; } = sides;

    /// <summary>What was measured so far.</summary>
    internal RunRecord Run { get; } = run;

    /// <summary>The CPUs of the server and of the load, watched for others.</summary>
    internal QuietRounds Quiet => _quiet ??= new QuietRounds(new SpinCalibrator(), Options.ServerCpus.Cpus.Concat(Options.LoadCpus.Cpus));

    internal Layout Layout { get; } = new(options.Root, options.Artifacts);

    internal int ConnectionCount => Run.Connections;

    internal ServerCommand Command(Side side, ServerPorts ports, int upstreamPort)
        => ServerCommand.Create(side, Workload, ports, upstreamPort, Layout, Options);

    /// <summary>Runs one round in quiet, which may be disturbed by the machine alone, and reports it.</summary>
    internal async Task RunRoundAsync(Side side, int number, Func<Task<Dictionary<Metric, double>>> measure)
    {
        (Dictionary<Metric, double> values, string? disturbance) = await Quiet.RunAsync(
            measure, static _ => null, reason => Discard(side, number, reason));
        WarnIfDisturbed(side, number, disturbance);
        Report(side, number, values);
    }

    /// <summary>Shows a round's main number and keeps all of them.</summary>
    internal void Report(Side side, int number, IReadOnlyDictionary<Metric, double> values, string? withheld = null)
    {
        (Metric metric, double value) = Metric.All.Where(values.ContainsKey).Select(metric => (metric, values[metric])).First();
        string pass = number == 0 ? "apart" : $"round {number}";
        Note($"{pass}, {side.Name}: {metric.Format(value)} {metric.Title}{(withheld is null ? "" : $" ({withheld})")}");
        Dictionary<string, double?> kept = Metric.All.Where(values.ContainsKey).ToDictionary(
            static metric => metric.Key, metric => double.IsNaN(values[metric]) ? null : (double?)Math.Round(values[metric], 3));
        Keep(side, new RoundRecord(number, kept, withheld));
    }

    /// <summary>Keeps a round that does not count, with its reason.</summary>
    internal void Refuse(Side side, int number, string reason)
    {
        Note($"round {number}, {side.Name}: refused: {reason}");
        Keep(side, new RoundRecord(number, new Dictionary<string, double?>(), Refused: reason));
    }

    /// <summary>Keeps that a round was disturbed and is run again.</summary>
    internal void Discard(Side side, int number, string reason)
    {
        Note($"round {number}, {side.Name}: discarded: {reason}");
        Run.Discarded.Add(new DiscardedRound(side.Name, number, reason));
    }

    /// <summary>Says that no attempt of a round was quiet, and that the last one counts.</summary>
    internal void WarnIfDisturbed(Side side, int number, string? disturbance)
    {
        if (disturbance is not null)
        {
            Warn($"{side.Name}: round {number} counts although it was disturbed {QuietRounds.MaxAttempts} times: {disturbance}");
        }
    }

    /// <summary>Tells how far the run is, apart from the report so that the report can be redirected alone.</summary>
    internal static void Note(string text) => Console.Error.WriteLine($"# {text}");

    /// <summary>Tells what makes the numbers less worth, and keeps it with them.</summary>
    internal void Warn(string text)
    {
        Note($"warning: {text}");
        Run.Notes.Add(text);
    }

    /// <summary>Writes the file; also done after each round, so that a run which is cut short leaves what it had.</summary>
    internal void Save() => RunJson.Write(path, Run);

    private void Keep(Side side, RoundRecord round)
    {
        Run.Sides.First(kept => kept.Name == side.Name).Rounds.Add(round);
        Save();
    }
}
