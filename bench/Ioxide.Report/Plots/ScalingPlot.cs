namespace Ioxide.Report.Plots;

/// <summary>The first metric of a workload as connections grow, a line a side.</summary>
internal static class ScalingPlot
{
    private const double Width = 440;
    private const double Height = 230;
    private const double Left = 48;
    private const double Right = 108;
    private const double Top = 16;
    private const double Bottom = 196;
    private const double LabelHeight = 14;

    /// <returns>Null where there is one count of connections.</returns>
    internal static string? Draw(WorkloadRuns workload)
    {
        MetricTable? latest = MetricTable.First(workload.Latest);
        if (workload.ByConnections.Count < 2 || latest is null)
        {
            return null;
        }

        Metric metric = latest.Metric;
        var points = workload.ByConnections
            .Select(run => (run.Connections, Table: MetricTable.Of(run, metric)))
            .Where(static point => point.Table is not null).ToArray();
        var svg = new Svg(Width, Height, $"{workload.Latest.Workload}: {metric.Title} by connections");
        Axis up = Axis.Linear(points.Max(static point => point.Table!.Rows.Max(static row => row.Spread.Maximum)), Bottom, Top);
        Axis across = Axis.Logarithmic(points[0].Connections, points[^1].Connections, Left + 20, Width - Right - 20);
        foreach (double tick in up.Ticks)
        {
            svg.Line(Left, up.Place(tick), Width - Right, up.Place(tick), "grid");
            svg.Text(Left - 8, up.Place(tick) + 4, Axis.Label(tick), "end", "tick");
        }

        foreach ((int connections, _) in points)
        {
            svg.Text(across.Place(connections), Bottom + 20, Axis.Label(connections), "middle", "tick");
        }

        double labelBelow = double.MaxValue;
        foreach (SideRecord side in latest.Rows.OrderBy(static row => row.Spread.Median).Select(static row => row.Side))
        {
            string style = SideStyle.Of(side);
            var line = points.Where(point => point.Table!.Row(side.Name) is not null)
                .Select(point => (X: across.Place(point.Connections), point.Table!.Row(side.Name)!.Spread)).ToArray();
            svg.Path(line.Select(point => (point.X, up.Place(point.Spread.Median))), $"line {style}");
            foreach ((double x, Spread spread) in line)
            {
                svg.Line(x, up.Place(spread.Minimum), x, up.Place(spread.Maximum), $"range {style}");
                svg.Dot(x, up.Place(spread.Median), $"dot {style}");
            }

            labelBelow = Math.Min(labelBelow - LabelHeight, up.Place(line[^1].Spread.Median) + 4);
            svg.Text(line[^1].X + 10, labelBelow, side.Name, "start");
        }

        return svg.ToString();
    }
}
