namespace Ioxide.Report.Plots;

/// <summary>All workloads at a glance: the ratio of the whole of Ioxide to the best stock side, and each target.</summary>
internal static class TargetPlot
{
    private const double Width = 860;
    private const double Left = 130;
    private const double Right = 210;
    private const double Top = 24;
    private const double RowHeight = 26;
    private const double BarHeight = 14;
    private const double Foot = 26;
    private const double Stock = 1;

    internal static string Draw(IReadOnlyList<TargetCheck> checks)
    {
        double bottom = Top + (checks.Count * RowHeight);
        var svg = new Svg(Width, bottom + Foot, "The whole of Ioxide against the best stock side, ratio of medians");
        Axis axis = Axis.Linear(
            checks.Max(static check => Math.Max(check.Run.Target?.Ratio ?? Stock, Highest(check))), Left, Width - Right);
        foreach (double tick in axis.Ticks)
        {
            svg.Line(axis.Place(tick), Top, axis.Place(tick), bottom, "grid");
            svg.Text(axis.Place(tick), bottom + 18, $"{Axis.Label(tick)}x", "middle", "tick");
        }

        for (int index = 0; index < checks.Count; index++)
        {
            DrawRow(svg, axis, checks[index], Top + ((index + 0.5) * RowHeight));
        }

        svg.Line(axis.Place(Stock), Top - 4, axis.Place(Stock), bottom, "one");
        svg.Text(axis.Place(Stock), Top - 8, "stock", "middle", "tick");
        return svg.ToString();
    }

    private static void DrawRow(Svg svg, Axis axis, TargetCheck check, double middle)
    {
        svg.Text(Left - 8, middle + 4, check.Run.Workload, "end");
        if (check.Ratio is double ratio)
        {
            double stock = check.Table!.Best!.Spread.Median;
            string style = check.Verdict == Verdict.Missed ? "missed" : "ours";
            svg.Box(Left, middle - (BarHeight / 2), axis.Place(ratio) - Left, BarHeight, $"bar {style}");
            svg.Whisker(axis.Place(check.Ours!.Spread.Minimum / stock), axis.Place(check.Ours.Spread.Maximum / stock), middle);
        }

        if (check.Run.Target is { } target)
        {
            svg.Line(axis.Place(target.Ratio), middle - 10, axis.Place(target.Ratio), middle + 10, "target");
        }

        string less = check.Table?.Metric.Direction == MetricDirection.LessIsBetter ? " (less is better)" : "";
        string[] parts = [Texts.Result(check), Texts.Judgement(check.Verdict)];
        svg.Text(Width - Right + 12, middle + 4, $"{string.Join(", ", parts.Where(static part => part.Length > 0))}{less}", "start");
    }

    private static double Highest(TargetCheck check)
        => check.Ratio is null ? 0 : check.Ours!.Spread.Maximum / check.Table!.Best!.Spread.Median;
}
