namespace Ioxide.Report;

/// <summary>Prints a run as the table that <c>bench/RESULTS.md</c> keeps: the main metric's range, medians of the
/// others.</summary>
internal static class MarkdownTable
{
    internal static void Print(TextWriter writer, RunRecord run)
    {
        IReadOnlyList<MetricTable> tables = MetricTable.Of(run);
        if (tables.Count == 0)
        {
            return;
        }

        MetricTable main = tables[0];
        IEnumerable<string> titles = tables.Skip(1).Select(static table => table.Metric.Title);
        writer.WriteLine();
        writer.WriteLine($"| side | {main.Metric.Title}: min / median / max | ratio | {string.Join(" | ", titles)} |");
        writer.WriteLine($"|---|---|---|{string.Concat(Enumerable.Repeat("---|", tables.Count - 1))}");
        foreach (MetricRow row in main.Rows)
        {
            string range = string.Join(" / ", new[] { row.Spread.Minimum, row.Spread.Median, row.Spread.Maximum }
                .Select(main.Metric.Format));
            IEnumerable<string> medians = tables.Skip(1).Select(table => Median(table, row.Side.Name));
            writer.WriteLine($"| {row.Side.Name} | {range} | {Ratio(main, row)} | {string.Join(" | ", medians)} |");
        }

        string[] discarded = [.. Texts.Discarded(run)];
        if (discarded.Length > 0)
        {
            writer.WriteLine();
            Array.ForEach(discarded, line => writer.WriteLine($"- {line}"));
        }
    }

    private static string Median(MetricTable table, string side)
        => table.Row(side) is { } row ? table.Metric.Format(row.Spread.Median) : "";

    /// <summary>Ranges that overlap get no number: it would read as a difference.</summary>
    private static string Ratio(MetricTable table, MetricRow row)
        => row == table.Best ? "1.00"
            : table.Ratio(row) is not double ratio ? ""
            : table.IsNoDifference(row) ? "="
            : $"{ratio:0.00}";
}
