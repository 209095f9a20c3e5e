using System.Net;
using System.Text;
using Ioxide.Report.Plots;

namespace Ioxide.Report;

/// <summary>The page <c>bench/results.html</c>: one file, without scripts and without anything from outside.</summary>
internal static class HtmlPage
{
    internal static string Render(IReadOnlyList<WorkloadRuns> workloads)
    {
        IReadOnlyList<Gain> gains = Gain.WorstFirst(workloads);
        var page = new StringBuilder();
        page.Append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.Append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>What Ioxide gains</title>\n");
        page.Append($"<style>\n{Style()}</style>\n</head>\n<body>\n<h1>What Ioxide gains</h1>\n");
        if (workloads.Count == 0)
        {
            return page.Append("<p>Not measured yet: <code>bench/run.sh</code>.</p>\n</body>\n</html>\n").ToString();
        }

        if (gains.Count > 0)
        {
            AppendOverview(page, gains);
        }

        // In the order of the overview, then what has no other side to be compared with.
        string[] order = [.. gains.Select(static gain => gain.Check.Run.Workload)];
        foreach (WorkloadRuns workload in workloads.OrderBy(workload => Array.IndexOf(order, workload.Latest.Workload) is int place && place >= 0 ? place : order.Length))
        {
            AppendWorkload(page, workload);
        }

        AppendProvenance(page, workloads);
        return page.Append("</body>\n</html>\n").ToString();
    }

    private static void AppendOverview(StringBuilder page, IReadOnlyList<Gain> gains)
    {
        page.Append($"<p class=\"lead\">{Text(Gain.Headline(gains))}</p>\n");
        page.Append("<nav><a href=\"#overview\">Overview</a> <a href=\"#details\">All workloads</a> <a href=\"#provenance\">Machine and method</a></nav>\n<section id=\"overview\">\n");
        page.Append("<p class=\"soft\">One application with the same handlers on both. Work per second of the server's processor time, unless a row says otherwise; ");
        page.Append("the worst first. Bar: ratio of medians. Line: lowest to highest round. A row leads to its numbers.</p>\n");
        page.Append(GainList.Draw(gains)).Append("</section>\n");
        AppendLegend(page);
    }

    /// <summary>What the colours of all plots below stand for.</summary>
    private static void AppendLegend(StringBuilder page)
    {
        page.Append("<h2 id=\"details\">All workloads</h2>\n<p class=\"legend\">");
        foreach ((string style, string meaning) in SideStyle.Legend)
        {
            page.Append($"<span class=\"{style}\">{meaning}</span> ");
        }

        page.Append("</p>\n");
    }

    private static void AppendWorkload(StringBuilder page, WorkloadRuns workload)
    {
        RunRecord run = workload.Latest;
        var check = TargetCheck.Of(run);
        Gain? gain = Gain.Of(check);
        page.Append($"<section id=\"{Text(run.Workload)}\">\n<h2>{Text(WorkloadTitles.Of(run.Workload))}");
        page.Append(gain is null ? "" : $" <span class=\"mark {(gain.Counted > 1 ? "gain" : "none")}\">{gain.Text}</span>");
        page.Append($"</h2>\n<p class=\"soft\">{Text(run.Summary)}{WorkloadTitles.MarkOf(run.Workload)}; {Text(Texts.Load(run))}</p>\n<div class=\"figures\">\n");
        if (check.Table is { } main)
        {
            string less = main.Metric.Direction == MetricDirection.LessIsBetter ? " (less is better)" : "";
            AppendFigure(page, main.Metric.Title + less, BarPlot.Draw(main, check.TargetValue));
        }

        AppendFigure(page, "latency by percentile", LatencyPlot.Draw(run));
        AppendFigure(page, $"{check.Table?.Metric.Title} by connections", ScalingPlot.Draw(workload));
        page.Append("</div>\n");
        AppendTable(page, run, MetricTable.Of(run));
        IReadOnlyList<string> remarks = Texts.Remarks(run);
        if (remarks.Count > 0)
        {
            page.Append($"<details>\n<summary>notes of the measurement ({remarks.Count})</summary>\n");
            page.Append($"<ul>\n{string.Concat(remarks.Select(static remark => $"<li>{Text(remark)}</li>\n"))}</ul>\n</details>\n");
        }

        page.Append("</section>\n");
    }

    private static void AppendProvenance(StringBuilder page, IReadOnlyList<WorkloadRuns> workloads)
    {
        page.Append("<section id=\"provenance\">\n<h2>Machine and method</h2>\n<p>Rounds of the sides take turns; server and load have processors of their own. ");
        page.Append("Whiskers are the range of all rounds; ranges that overlap are no difference. Run <code>bench/run.sh</code> to measure again.</p>\n<details>\n<summary>machines, dates and commits</summary>\n<ul>\n");
        foreach (IGrouping<string, WorkloadRuns> same in workloads.GroupBy(static workload => Texts.Where(workload.Latest)))
        {
            page.Append($"<li>{Text(string.Join(", ", same.Select(static workload => workload.Latest.Workload)))}: {Text(same.Key)}</li>\n");
        }

        page.Append("</ul>\n</details>\n</section>\n");
    }

    private static void AppendFigure(StringBuilder page, string caption, string? drawing)
    {
        if (drawing is not null)
        {
            page.Append($"<figure>\n<figcaption>{Text(caption)}</figcaption>\n{drawing}</figure>\n");
        }
    }

    private static void AppendTable(StringBuilder page, RunRecord run, IReadOnlyList<MetricTable> tables)
    {
        if (tables.Count == 0)
        {
            return;
        }

        page.Append("<details>\n<summary>all numbers: median (lowest to highest)</summary>\n<div class=\"scroll\"><table>\n<tr><th></th>");
        page.Append(string.Concat(run.Sides.Select(static side => $"<th>{Text(side.Name)}</th>"))).Append("</tr>\n");
        foreach (MetricTable table in tables)
        {
            IEnumerable<string> cells = run.Sides.Select(
                side => $"<td>{(table.Row(side.Name) is { } row ? Texts.Range(table.Metric, row.Spread) : "")}</td>");
            page.Append($"<tr><td>{Text(table.Metric.Title)}</td>{string.Concat(cells)}</tr>\n");
        }

        page.Append($"</table></div>\n<p class=\"soft\"><code>bench/compare.sh {Text(run.Flags)}</code></p>\n</details>\n");
    }

    private static string Text(string text) => WebUtility.HtmlEncode(text);

    private static string Style()
    {
        using Stream stream = typeof(HtmlPage).Assembly.GetManifestResourceStream("page.css")!; // The project embeds it.
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd();
    }
}
