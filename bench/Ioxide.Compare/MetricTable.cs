namespace Ioxide.Compare;

/// <summary>One metric of all sides that have it.</summary>
/// <param name="Rows">In the order of the sides, at least one.</param>
/// <param name="Best">The stock side with the best median. Null where no side is stock, or nothing is better.</param>
internal sealed record MetricTable(Metric Metric, IReadOnlyList<MetricRow> Rows, MetricRow? Best)
{
    /// <summary>The metrics that the rounds have, in the order of the report.</summary>
    internal static IReadOnlyList<MetricTable> Of(Session session, IReadOnlyList<Round> rounds)
    {
        var tables = new List<MetricTable>();
        foreach (Metric metric in Metric.All)
        {
            var rows = new List<MetricRow>();
            foreach (Side side in session.Sides)
            {
                double[] values =
                [
                    .. rounds.Where(round => round.Side == side && round.Values.ContainsKey(metric))
                        .Select(round => round.Values[metric]),
                ];
                if (values.Length > 0)
                {
                    rows.Add(new MetricRow(side, Spread.Of(values)));
                }
            }

            if (rows.Count > 0)
            {
                tables.Add(new MetricTable(metric, rows, BestStock(metric, rows)));
            }
        }

        return tables;
    }

    /// <summary>The row's median against the best stock side's. Null where there is none to divide by.</summary>
    internal double? Ratio(MetricRow row)
        => Best is null || Best.Spread.Median == 0 ? null : row.Spread.Median / Best.Spread.Median;

    private static MetricRow? BestStock(Metric metric, List<MetricRow> rows)
    {
        IEnumerable<MetricRow> stock = rows.Where(static row => row.Side.IsStock);
        return metric.Direction switch
        {
            MetricDirection.MoreIsBetter => stock.MaxBy(static row => row.Spread.Median),
            MetricDirection.LessIsBetter => stock.MinBy(static row => row.Spread.Median),
            _ => null,
        };
    }
}
