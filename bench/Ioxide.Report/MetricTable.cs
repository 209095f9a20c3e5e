namespace Ioxide.Report;

/// <summary>One metric of all sides that have it.</summary>
/// <param name="Rows">In the order of the sides, at least one.</param>
/// <param name="Best">The stock side with the best median. Null where no side is stock, or nothing is better.</param>
internal sealed record MetricTable(Metric Metric, IReadOnlyList<MetricRow> Rows, MetricRow? Best)
{
    /// <summary>The metrics that the run has, in the order of the report.</summary>
    internal static IReadOnlyList<MetricTable> Of(RunRecord run)
        => [.. Metric.All.Select(metric => Of(run, metric)).OfType<MetricTable>()];

    /// <summary>The first metric that the run has. Null where nothing was measured.</summary>
    internal static MetricTable? First(RunRecord run)
        => Metric.All.Select(metric => Of(run, metric)).FirstOrDefault(static table => table is not null);

    /// <returns>Null where no side has it.</returns>
    internal static MetricTable? Of(RunRecord run, Metric metric)
    {
        var rows = new List<MetricRow>();
        foreach (SideRecord side in run.Sides)
        {
            double[] values = [.. side.Values(metric)];
            if (values.Length > 0)
            {
                rows.Add(new MetricRow(side, Spread.Of(values)));
            }
        }

        return rows.Count > 0 ? new MetricTable(metric, rows, BestStock(metric, rows)) : null;
    }

    /// <summary>The row of a side. Null where it lacks the metric.</summary>
    internal MetricRow? Row(string side) => Rows.FirstOrDefault(row => row.Side.Name == side);

    /// <summary>Whether the ranges overlap: then the medians tell no difference.</summary>
    internal bool IsNoDifference(MetricRow row) => Best is not null && row != Best && row.Spread.Overlaps(Best.Spread);

    /// <summary>The row's median against the best stock side's. Null where there is none to divide by.</summary>
    internal double? Ratio(MetricRow row)
        => Best is null || Best.Spread.Median == 0 ? null : row.Spread.Median / Best.Spread.Median;

    private static MetricRow? BestStock(Metric metric, List<MetricRow> rows)
    {
        IEnumerable<MetricRow> stock = rows.Where(static row => row.Side.Kind == SideKind.Stock);
        return metric.Direction switch
        {
            MetricDirection.MoreIsBetter => stock.MaxBy(static row => row.Spread.Median),
            MetricDirection.LessIsBetter => stock.MinBy(static row => row.Spread.Median),
            _ => null,
        };
    }
}
