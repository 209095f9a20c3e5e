using System.Globalization;

namespace Ioxide.Report;

/// <summary>How numbers and verdicts read, in both forms of the report.</summary>
internal static class Texts
{
    internal static string Range(Metric metric, Spread spread) => spread.Minimum == spread.Maximum
        ? metric.Format(spread.Median)
        : $"{metric.Format(spread.Median)} ({metric.Format(spread.Minimum)} to {metric.Format(spread.Maximum)})";

    /// <summary>The best stock side, with its setting where that is not Kestrel's own.</summary>
    internal static string Stock(MetricTable table) => table.Best is not { } best ? ""
        : best.Side switch
        {
            { Name: "stock" } => Range(table.Metric, best.Spread),
            { IsInline: true } => $"{Range(table.Metric, best.Spread)}, inline",
            _ => $"{Range(table.Metric, best.Spread)}, {best.Side.Name}",
        };

    internal static string Ratio(double ratio) => string.Create(CultureInfo.InvariantCulture, $"{ratio:0.00}");

    internal static string Target(TargetCheck check) => check.Run.Target is not { } target ? ""
        : $"{(check.Table?.Metric.Direction == MetricDirection.LessIsBetter ? "at most" : "at least")} {target.Ratio.ToString("0.0#", CultureInfo.InvariantCulture)}";

    /// <summary>The ratio, or why there is none.</summary>
    internal static string Result(TargetCheck check) => check.IsNoDifference ? "no difference" : check.Ratio is double ratio ? Ratio(ratio) : "";

    internal static string Judgement(Verdict verdict) => verdict switch
    {
        Verdict.Reached => "reached",
        Verdict.Missed => "missed",
        Verdict.NotMeasured => "not measured",
        _ => "",
    };

    internal static string Load(RunRecord run) => string.Create(
        CultureInfo.InvariantCulture,
        $"{run.Connections:N0} {(run.Connections == 1 ? "connection" : "connections")}{(run.Rate is double rate ? $", {rate:N0} requests per second" : "")}, {RoundCount(run)} {(RoundCount(run) == 1 ? "round" : "rounds")}{(IsTimed(run) ? $" of {run.Seconds} s" : "")}");

    internal static string Where(RunRecord run) => string.Create(
        CultureInfo.InvariantCulture,
        $"{run.Started.UtcDateTime:yyyy-MM-dd}, commit {run.Commit}, {run.Machine.Cpu}, {run.Machine.CpuCount} CPUs, {run.Machine.MemoryGb:0} GB, {run.Machine.Kernel}, {run.Machine.Runtime}; server on CPU {run.ServerCpus}, load on CPU {run.LoadCpus}");

    /// <summary>What was refused or withheld, and what makes the numbers less worth.</summary>
    internal static IReadOnlyList<string> Remarks(RunRecord run)
    {
        var remarks = new List<string>();
        if (run.Refused is not null)
        {
            remarks.Add($"Refused: {run.Refused}");
        }

        foreach (SideRecord side in run.Sides)
        {
            remarks.AddRange(side.Rounds.Where(static round => round.Refused is not null)
                .Select(round => $"{side.Name}: round {round.Number} refused: {round.Refused}"));
            remarks.AddRange(side.Rounds.Where(static round => round.Withheld is not null).GroupBy(static round => round.Number == 0)
                .Select(group => group.Key
                    ? $"{side.Name}: {group.First().Withheld}"
                    : $"{side.Name}: speed and latencies withheld in {group.Count()} of {RoundCount(run)} rounds, {group.First().Withheld}"));
        }

        remarks.AddRange(Discarded(run));
        remarks.AddRange(run.Notes);
        return remarks;
    }

    /// <summary>What was discarded: how many rounds, then each with its reason.</summary>
    internal static IEnumerable<string> Discarded(RunRecord run) => run.Discarded.Count == 0 ? [] :
    [
        $"{run.Discarded.Count} {(run.Discarded.Count == 1 ? "round was" : "rounds were")} discarded and run again, because the machine was disturbed",
        .. run.Discarded.Select(static round => $"{round.Side}: round {round.Number} discarded: {round.Reason}"),
    ];

    /// <summary>Rounds of memory and of starts end by themselves.</summary>
    private static bool IsTimed(RunRecord run) => MetricTable.Of(run, Metric.ServerUse) is not null;

    private static int RoundCount(RunRecord run) => run.Sides.Max(static side => side.Rounds.Count(static round => round.Number > 0));
}
