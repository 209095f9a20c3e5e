using System.Reflection;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Ioxide.Report;

namespace Ioxide.Bench.Tests;

/// <summary>What a reader gains, as the page, the summary and README's chart say it, and that the committed files are those of the results.</summary>
public sealed partial class GainTests
{
    private static readonly XNamespace s_svg = "http://www.w3.org/2000/svg";
    private static readonly string s_bench = Path.Combine(
        typeof(GainTests).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(static metadata => metadata.Key == "RepositoryRoot").Value!, "bench");

    [Fact]
    public void MoreIsBetterWhateverIsMeasured()
    {
        Gain work = Of("json", Runs.Stock(90, 100, 110), Runs.Ioxide(170, 180, 190));
        Gain memory = Of(
            "idle", Runs.Side("stock", SideKind.Stock, Metric.IdleBytesPerConnection, 200),
            Runs.Side("ioxide", SideKind.Ours, Metric.IdleBytesPerConnection, 80, 100, 160));

        Assert.Equal(("1.80x", "1.70x to 1.90x"), (work.Text, work.RangeText));
        Assert.Equal(("2.00x", "1.25x to 2.50x"), (memory.Text, memory.RangeText));
    }

    [Fact]
    public void OverlappingRangesAreNoGain()
    {
        Gain gain = Of("json", Runs.Stock(90, 110), Runs.Ioxide(105, 300));

        Assert.Equal(("no difference", 1), (gain.Text, gain.Counted));
    }

    [Fact]
    public void TheWorstComesFirstInThePageAndInTheSummary()
    {
        IReadOnlyList<WorkloadRuns> workloads = RunFolder.Choose(
        [
            Run("upload", Runs.Stock(100), Runs.Ioxide(500)),
            Run("json", Runs.Stock(90, 110), Runs.Ioxide(105, 300)),
            Run("sse", Runs.Stock(100), Runs.Ioxide(80)),
            Run("h2", Runs.Stock(90), Runs.Side("stock-inline-ic", SideKind.Stock, Metric.RequestsPerCpuSecond, 100), Runs.Ioxide(200)),
        ]);
        string page = HtmlPage.Render(workloads);
        string summary = MarkdownReport.Render(workloads);

        Assert.Equal(["sse", "json", "h2", "upload"], Sections().Matches(page).Select(static match => match.Groups[1].Value).Where(static id => id is not ("overview" or "provenance")));
        Assert.Equal(["sse", "json", "h2", "upload"], Links().Matches(summary).Select(static match => match.Groups[1].Value));
        Assert.Equal(
            "2 of 4 workloads gain 2.00x to 5.00x over stock Kestrel, half of them 3.50x or more. 1 shows no difference, 1 is worse. "
                + "Stock is Kestrel as it ships; in 1 of them its unsafe inline scheduling ran too, and the better of both counts.",
            Gain.Headline(Gain.WorstFirst(workloads)));
        Assert.Contains(Gain.Headline(Gain.WorstFirst(workloads)), page, StringComparison.Ordinal);
        Assert.Contains(Gain.Headline(Gain.WorstFirst(workloads)), summary, StringComparison.Ordinal);

        // What the numbers were made with comes after them.
        Assert.True(page.IndexOf("A CPU", StringComparison.Ordinal) > page.IndexOf("id=\"upload\"", StringComparison.Ordinal));
    }

    [Fact]
    public void AWorkloadThatCannotBeComparedIsInThePageAfterTheOthers()
    {
        string page = HtmlPage.Render(RunFolder.Choose([Run("baseline", Runs.Ioxide(80)), Run("upload", Runs.Stock(100), Runs.Ioxide(500))]));

        Assert.Equal(["overview", "upload", "baseline", "provenance"], Sections().Matches(page).Select(static match => match.Groups[1].Value));
        Assert.Contains("1 of 1 workloads", page, StringComparison.Ordinal);
    }

    /// <summary>A letter is about 0.55 of the font's size wide in the widest of the fonts; a browser was seen to agree.</summary>
    [Fact]
    public void EveryWordOfTheChartFitsIntoIt()
    {
        foreach (ReadmeChart.Palette palette in new[] { ReadmeChart.Light, ReadmeChart.Dark })
        {
            XElement chart = XElement.Parse(ReadmeChart.Render(Committed(), palette));
            double width = (double)chart.Attribute("width")!;
            Assert.NotEmpty(chart.Elements(s_svg + "rect"));
            foreach (XElement text in chart.Elements(s_svg + "text"))
            {
                double length = text.Value.Length * (double)text.Attribute("font-size")! * 0.55;
                double x = (double)text.Attribute("x")!;
                double start = (string?)text.Attribute("text-anchor") switch { "end" => x - length, "middle" => x - (length / 2), _ => x };
                Assert.True(start >= 0 && start + length <= width, text.Value);
            }
        }
    }

    [Fact]
    public void TheCommittedReportIsThatOfTheCommittedResults()
    {
        IReadOnlyList<WorkloadRuns> workloads = Committed();
        string summary = Read("RESULTS.md");

        const string How = "Run bench/report.";
        Assert.True(summary == MarkdownReport.Into(summary, MarkdownReport.Render(workloads)), $"bench/RESULTS.md is of other results. {How}");
        Assert.True(Read("results.html") == HtmlPage.Render(workloads), $"bench/results.html is of other results. {How}");
        Assert.True(Read("results/boards.md") == MarkdownReport.RenderDetails(workloads), $"bench/results/boards.md is of other results. {How}");
        Assert.True(Read("../README.md") == MarkdownReport.Into(Read("../README.md"), ReadmeTable.Render(workloads)), $"README.md's table is of other results. {How}");
        Assert.True(Read("../docs/images/results-light.svg") == ReadmeChart.Render(workloads, ReadmeChart.Light), $"The light chart is of other results. {How}");
        Assert.True(Read("../docs/images/results-dark.svg") == ReadmeChart.Render(workloads, ReadmeChart.Dark), $"The dark chart is of other results. {How}");
    }

    /// <summary>One page says what a reader gains; each document that it names is there.</summary>
    [Fact]
    public void TheSummaryIsOnePageAndItsLinksLead()
    {
        string summary = Read("RESULTS.md");

        Assert.InRange(summary.Split('\n').Length, 30, 100);
        foreach (Match link in Targets().Matches(summary))
        {
            string[] parts = link.Groups[1].Value.Split('#');
            Assert.True(File.Exists(Path.Combine(s_bench, parts[0])), link.Value);
            Assert.True(parts.Length == 1 || Read(parts[0]).Contains($"\n## {parts[1]}\n", StringComparison.Ordinal), link.Value);
        }
    }

    private static IReadOnlyList<WorkloadRuns> Committed() => RunFolder.Read(Path.Combine(s_bench, "results"));

    private static string Read(string path) => File.ReadAllText(Path.Combine(s_bench, path));

    private static RunRecord Run(string workload, params SideRecord[] sides) => Runs.Of(null, sides) with { Workload = workload };

    private static Gain Of(string workload, params SideRecord[] sides) => Gain.Of(TargetCheck.Of(Run(workload, sides)))!;

    [GeneratedRegex("<section id=\"([^\"]*)\">")]
    private static partial Regex Sections();

    [GeneratedRegex(@"boards\.md#([a-z0-9-]+)\)")]
    private static partial Regex Links();

    [GeneratedRegex(@"\]\(([^)]+)\)")]
    private static partial Regex Targets();
}
