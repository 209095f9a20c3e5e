namespace Ioxide.Compare;

/// <summary>Prints a run for a terminal: every metric's range and relation to the best stock side.</summary>
internal static class TerminalReport
{
    private const int LeastNameWidth = 18;

    internal static void Print(TextWriter writer, Session session)
    {
        writer.WriteLine(
            $"{session.Workload.Name} ({session.Workload.Summary}), {session.ConnectionCount} connections, "
            + $"{session.Options.RoundCount} rounds, server on CPU {session.Options.ServerCpus}, "
            + $"load on CPU {session.Options.LoadCpus}");
        int nameWidth = Math.Max(LeastNameWidth, session.Run.Sides.Max(static side => side.Name.Length));
        foreach (SideRecord side in session.Run.Sides)
        {
            foreach (RoundRecord round in side.Rounds.Where(static round => round.Refused is not null))
            {
                writer.WriteLine($"refused: round {round.Number} of {side.Name}: {round.Refused}");
            }
        }

        foreach (string line in Texts.Discarded(session.Run))
        {
            writer.WriteLine(line);
        }

        foreach (MetricTable table in MetricTable.Of(session.Run))
        {
            writer.WriteLine();
            writer.WriteLine(table.Metric.Title);
            writer.WriteLine($"  {"".PadRight(nameWidth)}{"min",14}{"median",14}{"max",14}");
            foreach (MetricRow row in table.Rows)
            {
                string name = row.Side.Name.PadRight(nameWidth);
                string minimum = table.Metric.Format(row.Spread.Minimum);
                string median = table.Metric.Format(row.Spread.Median);
                string maximum = table.Metric.Format(row.Spread.Maximum);
                writer.WriteLine($"  {name}{minimum,14}{median,14}{maximum,14}{Verdict(table, row)}");
            }
        }
    }

    private static string Verdict(MetricTable table, MetricRow row)
    {
        if (row == table.Best)
        {
            return "   best stock";
        }

        if (table.Ratio(row) is not double ratio)
        {
            return "";
        }

        bool isMore = row.Spread.Median > table.Best!.Spread.Median;
        string relation = table.IsNoDifference(row) ? "ranges overlap: no difference"
            : isMore == (table.Metric.Direction == MetricDirection.MoreIsBetter) ? "better"
            : "worse";
        return $"   {ratio:0.00}  {relation}";
    }
}
