namespace Ioxide.Report.Plots;

/// <summary>The percentiles of latency of all sides, a line a side, the time by its logarithm.</summary>
internal static class LatencyPlot
{
    private const double Width = 440;
    private const double Height = 230;
    private const double Left = 56;
    private const double Right = 152;
    private const double Top = 16;
    private const double Bottom = 196;
    private const double LabelHeight = 14;

    private static readonly (string Label, Metric Metric)[] s_percentiles =
        [("p50", Metric.P50Us), ("p90", Metric.P90Us), ("p99", Metric.P99Us), ("p99.9", Metric.P999Us)];

    /// <returns>Null where no side has all percentiles.</returns>
    internal static string? Draw(RunRecord run)
    {
        MetricTable?[] tables = [.. s_percentiles.Select(percentile => MetricTable.Of(run, percentile.Metric))];
        SideRecord[] sides = [.. run.Sides.Where(side => tables.All(table => table?.Row(side.Name) is { Spread.Minimum: > 0 }))];
        if (sides.Length == 0)
        {
            return null;
        }

        var svg = new Svg(Width, Height, $"{run.Workload}: latency in milliseconds by percentile");
        Spread[] spreads = [.. sides.SelectMany(side => tables.Select(table => table!.Row(side.Name)!.Spread))];
        Axis axis = Axis.Logarithmic(
            spreads.Min(static spread => spread.Minimum), spreads.Max(static spread => spread.Maximum), Bottom, Top);
        DrawFrame(svg, axis);
        double labelBelow = double.MaxValue;
        foreach (SideRecord side in sides.OrderBy(side => tables[^1]!.Row(side.Name)!.Spread.Median))
        {
            string style = SideStyle.Of(side);
            Spread[] line = [.. tables.Select(table => table!.Row(side.Name)!.Spread)];
            svg.Path(line.Select((spread, index) => (Column(index), axis.Place(spread.Median))), $"line {style}");
            for (int index = 0; index < line.Length; index++)
            {
                svg.Line(Column(index), axis.Place(line[index].Minimum), Column(index), axis.Place(line[index].Maximum), $"range {style}");
                svg.Dot(Column(index), axis.Place(line[index].Median), $"dot {style}");
            }

            // From the bottom up; each name has its own line.
            labelBelow = Math.Min(labelBelow - LabelHeight, axis.Place(line[^1].Median) + 4);
            svg.Text(Column(line.Length - 1) + 10, labelBelow, $"{side.Name} {Axis.Milliseconds(line[^1].Median)}", "start");
        }

        return svg.ToString();
    }

    private static void DrawFrame(Svg svg, Axis axis)
    {
        foreach (double tick in axis.Ticks)
        {
            svg.Line(Left, axis.Place(tick), Width - Right, axis.Place(tick), "grid");
            svg.Text(Left - 8, axis.Place(tick) + 4, Axis.Milliseconds(tick), "end", "tick");
        }

        for (int index = 0; index < s_percentiles.Length; index++)
        {
            svg.Text(Column(index), Bottom + 20, s_percentiles[index].Label, "middle", "tick");
        }
    }

    private static double Column(int index) => Left + 30 + (index * (Width - Left - Right - 40) / (s_percentiles.Length - 1));
}
