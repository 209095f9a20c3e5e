namespace Ioxide.Report.Plots;

/// <summary>One metric of all sides of a run: a bar to the median, the range over it, a line at the target.</summary>
internal static class BarPlot
{
    private const double Width = 440;
    private const double Left = 112;
    private const double Right = 76;
    private const double Top = 22;
    private const double RowHeight = 30;
    private const double BarHeight = 18;
    private const double Foot = 24;

    internal static string Draw(MetricTable table, double? target)
    {
        double bottom = Top + (table.Rows.Count * RowHeight);
        var svg = new Svg(Width, bottom + Foot, table.Metric.Title);
        Axis axis = Axis.Linear(Math.Max(target ?? 0, table.Rows.Max(static row => row.Spread.Maximum)), Left, Width - Right);
        foreach (double tick in axis.Ticks)
        {
            svg.Line(axis.Place(tick), Top, axis.Place(tick), bottom, "grid");
            svg.Text(axis.Place(tick), bottom + 16, Axis.Label(tick), "middle", "tick");
        }

        for (int index = 0; index < table.Rows.Count; index++)
        {
            MetricRow row = table.Rows[index];
            double middle = Top + ((index + 0.5) * RowHeight);
            svg.Text(Left - 8, middle + 4, row.Side.Name, "end");
            svg.Box(Left, middle - (BarHeight / 2), axis.Place(row.Spread.Median) - Left, BarHeight, $"bar {SideStyle.Of(row.Side)}");
            svg.Whisker(axis.Place(row.Spread.Minimum), axis.Place(row.Spread.Maximum), middle);
            svg.Text(Width - 4, middle + 4, table.Metric.Format(row.Spread.Median), "end");
        }

        if (target is double value)
        {
            svg.Line(axis.Place(value), Top - 4, axis.Place(value), bottom, "target");
            svg.Text(axis.Place(value), Top - 8, "target", "middle", "target-label");
        }

        return svg.ToString();
    }
}
