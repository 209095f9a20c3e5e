namespace Ioxide.Report;

/// <summary>The whole of Ioxide against the best stock side of a run, by the metric of its target or by its first one.</summary>
/// <param name="Table">Null where no side has the metric.</param>
/// <param name="Ours">Null where it was not measured.</param>
/// <param name="Ratio">Median by median. Null where one of both lacks.</param>
/// <param name="IsNoDifference">The ranges overlap.</param>
internal sealed record TargetCheck(
    RunRecord Run, MetricTable? Table, MetricRow? Ours, double? Ratio, bool IsNoDifference, Verdict Verdict)
{
    /// <summary>The side that targets are about.</summary>
    internal const string Whole = "ioxide";

    /// <summary>The same with its own HTTP/2, which an endpoint asks for: in a run that has it, the comparison is about it.</summary>
    internal const string Engine = "http2";

    /// <summary>Where the target lies in the metric's unit. Null where there is none.</summary>
    internal double? TargetValue => Run.Target?.Ratio * Table?.Best?.Spread.Median;

    internal static TargetCheck Of(RunRecord run)
    {
        MetricTable? table = run.Target is { } target
            ? MetricTable.Of(run, Metric.All.First(metric => metric.Key == target.Metric))
            : MetricTable.First(run);
        MetricRow? ours = table?.Row(Engine) ?? table?.Row(Whole);
        double? ratio = ours is null ? null : table!.Ratio(ours);
        bool isNoDifference = ours is not null && table!.IsNoDifference(ours);
        return new TargetCheck(run, table, ours, ratio, isNoDifference, Judge(run, table, ours, ratio, isNoDifference));
    }

    private static Verdict Judge(RunRecord run, MetricTable? table, MetricRow? ours, double? ratio, bool isNoDifference)
    {
        if (run.Target is not { } target)
        {
            return Verdict.None;
        }

        if (ratio is not double reached || run.Refused is not null || ours!.Side.HasRefusedRounds || table!.Best!.Side.HasRefusedRounds)
        {
            return Verdict.NotMeasured;
        }

        // Overlapping ranges are no difference: a ratio of 1, whatever the medians say.
        double counted = isNoDifference ? 1 : reached;
        bool isReached = table.Metric.Direction == MetricDirection.LessIsBetter ? counted <= target.Ratio : counted >= target.Ratio;
        return isReached ? Verdict.Reached : Verdict.Missed;
    }
}
