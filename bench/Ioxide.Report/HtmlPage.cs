using System.Net;
using System.Text;
using Ioxide.Report.Plots;

namespace Ioxide.Report;

/// <summary>The page <c>bench/results.html</c>: one file, without scripts and without anything from outside.</summary>
internal static class HtmlPage
{
    internal static string Render(IReadOnlyList<WorkloadRuns> workloads)
    {
        TargetCheck[] checks = [.. workloads.Select(static workload => TargetCheck.Of(workload.Latest))];
        var page = new StringBuilder();
        page.Append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.Append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Ioxide, measured</title>\n");
        page.Append($"<style>\n{Style()}</style>\n</head>\n<body>\n<h1>Ioxide, measured</h1>\n");
        if (checks.Length == 0)
        {
            return page.Append("<p>Not measured yet: <code>bench/run.sh</code>.</p>\n</body>\n</html>\n").ToString();
        }

        page.Append("<p>One application with the same handlers on stock Kestrel and on Ioxide. Rounds take turns, server and load have CPUs of their own. ");
        page.Append("Bars are medians, whiskers the range of all rounds; ranges that overlap are no difference.</p>\n");
        foreach (string where in workloads.Select(static workload => Texts.Where(workload.Latest)).Distinct())
        {
            page.Append($"<p class=\"soft\">{Text(where)}</p>\n");
        }

        AppendOverview(page, checks);
        for (int index = 0; index < checks.Length; index++)
        {
            AppendWorkload(page, workloads[index], checks[index]);
        }

        return page.Append("</body>\n</html>\n").ToString();
    }

    private static void AppendOverview(StringBuilder page, TargetCheck[] checks)
    {
        int targets = checks.Count(static check => check.Run.Target is not null);
        int reached = checks.Count(static check => check.Verdict == Verdict.Reached);
        page.Append($"<section>\n<h2>Ratio to stock <span class=\"mark\">{reached} of {targets} targets reached</span></h2>\n");
        page.Append("<p class=\"soft\">The whole of Ioxide against the best stock side: requests per server CPU-second unless the workload says otherwise. ");
        page.Append("Dashed: the target.</p>\n<div class=\"scroll\">").Append(TargetPlot.Draw(checks)).Append("</div>\n</section>\n");
    }

    private static void AppendWorkload(StringBuilder page, WorkloadRuns workload, TargetCheck check)
    {
        RunRecord run = workload.Latest;
        string judgement = Texts.Judgement(check.Verdict);
        page.Append($"<section id=\"{Text(run.Workload)}\">\n<h2>{Text(run.Workload)}");
        if (judgement.Length > 0)
        {
            string result = Texts.Result(check);
            page.Append($" <span class=\"mark {judgement.Replace(' ', '-')}\">{(result.Length > 0 ? $"{result}, " : "")}{judgement} ({Texts.Target(check)})</span>");
        }

        page.Append($"</h2>\n<p class=\"soft\">{Text(run.Summary)}; {Text(Texts.Load(run))}</p>\n");
        IReadOnlyList<MetricTable> tables = MetricTable.Of(run);
        if (check.Table is { } main)
        {
            AppendFigure(page, main.Metric.Title, BarPlot.Draw(main, check.TargetValue));
        }

        AppendFigure(page, "latency by percentile", LatencyPlot.Draw(run));
        AppendFigure(page, $"{check.Table?.Metric.Title} by connections", ScalingPlot.Draw(workload));
        AppendTable(page, run, tables);
        IReadOnlyList<string> remarks = Texts.Remarks(run);
        if (remarks.Count > 0)
        {
            page.Append($"<ul>\n{string.Concat(remarks.Select(static remark => $"<li>{Text(remark)}</li>\n"))}</ul>\n");
        }

        page.Append("</section>\n");
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
