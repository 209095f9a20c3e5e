using System.Text;

namespace Ioxide.Report;

/// <summary>The generated part of <c>bench/RESULTS.md</c>, and <c>bench/results/boards.md</c> with all numbers.</summary>
internal static class MarkdownReport
{
    private const string Begin = "<!-- bench/report writes from here -->";
    private const string End = "<!-- to here -->";

    /// <summary>Puts the part between its marks, or at the end of a document that has none.</summary>
    internal static string Into(string document, string part)
    {
        int begin = document.IndexOf(Begin, StringComparison.Ordinal);
        int end = document.IndexOf(End, StringComparison.Ordinal);
        string block = $"{Begin}\n{part}{End}";
        return begin >= 0 && end > begin
            ? document[..begin] + block + document[(end + End.Length)..]
            : $"{document.TrimEnd('\n')}\n\n{block}\n";
    }

    /// <summary>What a reader gains, the worst first.</summary>
    internal static string Render(IReadOnlyList<WorkloadRuns> workloads)
    {
        var text = new StringBuilder();
        IReadOnlyList<Gain> gains = Gain.WorstFirst(workloads);
        if (gains.Count == 0)
        {
            return text.Append("Not measured yet: `bench/run.sh`.\n").ToString();
        }

        text.Append($"**{Gain.Headline(gains)}**\n\n");
        text.Append("The worst rows come first. Gain is the ratio of medians, turned so that more is better; in brackets the range of Ioxide's rounds against\n");
        text.Append("stock's median. Ranges that overlap are no difference. The public boards no longer have the rows of a former board.\n\n");
        text.Append("| workload | gain | what is compared | stock | Ioxide |\n|---|---|---|---|---|\n");
        foreach (Gain gain in gains)
        {
            MetricTable table = gain.Check.Table!;
            string range = gain.IsNoDifference ? gain.Text : $"**{gain.Text}** ({gain.RangeText})";
            text.Append($"| [{gain.Title}](results/boards.md#{gain.Check.Run.Workload}){WorkloadTitles.MarkOf(gain.Check.Run.Workload)} | {range} | {gain.Subject} | ");
            text.Append($"{Texts.Stock(table)} | {Texts.Range(table.Metric, gain.Check.Ours!.Spread)} |\n");
        }

        return text.ToString();
    }

    /// <summary>The whole of <c>bench/results/boards.md</c>: targets, then each workload with all its numbers, machine and command.</summary>
    internal static string RenderDetails(IReadOnlyList<WorkloadRuns> workloads)
    {
        var text = new StringBuilder();
        text.Append("# The workloads of the public boards\n`bench/report` writes this file from the files beside it; [RESULTS.md](../RESULTS.md) is the summary.\n");
        text.Append("Medians with their ranges; the ratio is the whole of Ioxide to the best stock side, and overlapping ranges are no difference.\n\n");
        text.Append("| workload | metric | stock | ioxide | ratio | target | |\n|---|---|---|---|---|---|---|\n");
        foreach (WorkloadRuns workload in workloads)
        {
            AppendSummary(text, TargetCheck.Of(workload.Latest));
        }

        foreach (WorkloadRuns workload in workloads)
        {
            AppendDetails(text, workload.Latest);
        }

        return text.ToString();
    }

    private static void AppendSummary(StringBuilder text, TargetCheck check)
    {
        string metric = check.Table?.Metric.Title ?? "";
        string stock = check.Table is { } table ? Texts.Stock(table) : "";
        string ours = check.Ours is { } row ? Texts.Range(check.Table!.Metric, row.Spread) : "";
        text.Append($"| {check.Run.Workload}{WorkloadTitles.MarkOf(check.Run.Workload)} | {metric} | {stock} | {ours} | {Texts.Result(check)} | {Texts.Target(check)} | {Texts.Judgement(check.Verdict)} |\n");
    }

    private static void AppendDetails(StringBuilder text, RunRecord run)
    {
        text.Append($"\n## {run.Workload}\n{run.Summary}{WorkloadTitles.MarkOf(run.Workload)}; {Texts.Load(run)}. {Texts.Where(run)}; `{run.Flags}`\n");
        IReadOnlyList<MetricTable> tables = MetricTable.Of(run);
        if (tables.Count > 0)
        {
            text.Append($"\n| | {string.Join(" | ", run.Sides.Select(static side => side.Name))} |\n");
            text.Append($"|---|{string.Concat(Enumerable.Repeat("---|", run.Sides.Count))}\n");
            foreach (MetricTable table in tables)
            {
                IEnumerable<string> cells = run.Sides.Select(
                    side => table.Row(side.Name) is { } row ? Texts.Range(table.Metric, row.Spread) : "");
                text.Append($"| {table.Metric.Title} | {string.Join(" | ", cells)} |\n");
            }
        }

        IReadOnlyList<string> remarks = Texts.Remarks(run);
        text.Append(remarks.Count > 0 ? "\n" : "");
        foreach (string remark in remarks)
        {
            text.Append($"- {remark.ReplaceLineEndings(" ").Replace("|", "\\|", StringComparison.Ordinal)}\n");
        }
    }
}
