using Ioxide.Compare.Servers;

namespace Ioxide.Compare;

/// <summary>One comparison: what is measured on which sides, and where its numbers go.</summary>
internal sealed class Session(CompareOptions options, Workload workload, IReadOnlyList<Side> sides, RoundLog log)
{
    internal CompareOptions Options { get; } = options;

    internal Workload Workload { get; } = workload;

    internal IReadOnlyList<Side> Sides { get; } = sides;

    internal Layout Layout { get; } = new(options.Root, options.Artifacts);

    internal int ConnectionCount => Options.ConnectionCount > 0 ? Options.ConnectionCount : Workload.ConnectionCount;

    internal ServerCommand Command(Side side, ServerPorts ports, int upstreamPort)
        => ServerCommand.Create(side, Workload, ports, upstreamPort, Layout, Options);

    /// <summary>Shows a round's main number and keeps all of them.</summary>
    internal void Report(Round round)
    {
        (Metric metric, double value) = Metric.All
            .Where(round.Values.ContainsKey)
            .Select(metric => (metric, round.Values[metric]))
            .First();
        string pass = round.Number == 0 ? "apart" : $"round {round.Number}";
        Note($"{pass}, {round.Side.Name}: {metric.Format(value)} {metric.Title}");
        log.Append(this, round);
    }

    /// <summary>Tells how far the run is, apart from the report so that the report can be redirected alone.</summary>
    internal static void Note(string text) => Console.Error.WriteLine($"# {text}");

    /// <summary>Tells what makes the numbers less worth, and keeps it with them.</summary>
    internal void Warn(string text)
    {
        Note($"warning: {text}");
        log.Warn(text);
    }
}
