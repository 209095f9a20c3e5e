using System.Xml.Linq;
using Ioxide.Report;
using Ioxide.Report.Plots;

namespace Ioxide.Bench.Tests;

/// <summary>The report: which runs it takes, what it writes, and that the same files give the same text.</summary>
public class ReportTests
{
    private static readonly RunRecord s_run = Runs.Of(Runs.AtLeast(1.7), Runs.Stock(90, 100, 110), Runs.Ioxide(170, 180, 190));

    [Fact]
    public void TheNewestRunOfEachCountOfConnectionsIsTaken()
    {
        IReadOnlyList<WorkloadRuns> chosen = RunFolder.Choose(
            [s_run.At(3, 64), s_run.At(1, 512), s_run.At(2, 64), s_run.At(2, 512) with { Workload = "zebra" }, s_run with { Workload = "baseline" }]);

        Assert.Equal(["baseline", "json", "zebra"], chosen.Select(static runs => runs.Latest.Workload));
        Assert.Equal(s_run.At(3, 64).Started, chosen[1].Latest.Started);
        Assert.Equal([64, 512], chosen[1].ByConnections.Select(static run => run.Connections));
    }

    [Fact]
    public void AFileHoldsAllOfARun()
    {
        string path = Path.GetTempFileName();
        try
        {
            s_run.Sides[0].Rounds[0] = s_run.Sides[0].Rounds[0] with { Withheld = "a reason" };
            RunJson.Write(path, s_run);
            string text = File.ReadAllText(path);
            RunRecord read = RunJson.Read(path);
            RunJson.Write(path, read);

            Assert.Equal(text, File.ReadAllText(path));
            Assert.Equal(180, TargetCheck.Of(read).Ours!.Spread.Median);
            Assert.Contains("\"requests_per_cpu_s\": 100", text, StringComparison.Ordinal);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("{}")]
    [InlineData("[1]")]
    public void AFileThatHoldsNoRunIsRefused(string text)
    {
        string path = Path.GetTempFileName();
        try
        {
            File.WriteAllText(path, text);
            Assert.Throws<InvalidDataException>(() => RunJson.Read(path));
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public void TheGeneratedPartReplacesItselfAndNothingElse()
    {
        string once = MarkdownReport.Into("# By hand\ntext\n", "first\n");
        string twice = MarkdownReport.Into($"{once}after\n", "second\n");

        Assert.StartsWith("# By hand\ntext\n", twice, StringComparison.Ordinal);
        Assert.EndsWith("after\n", twice, StringComparison.Ordinal);
        Assert.Contains("second", twice, StringComparison.Ordinal);
        Assert.DoesNotContain("first", twice, StringComparison.Ordinal);
    }

    [Fact]
    public void RowsOfAFormerBoardSaySoAndStandBehindThoseOfTheBoards()
    {
        IReadOnlyList<WorkloadRuns> runs = RunFolder.Choose([s_run, s_run with { Workload = "8gbit" }]);
        string details = MarkdownReport.RenderDetails(runs);

        Assert.Equal(["8gbit", "json"], runs.Select(static run => run.Latest.Workload));
        Assert.Contains("| json (former board) | ", details, StringComparison.Ordinal);
        Assert.Contains("| 8gbit | ", details, StringComparison.Ordinal);
        Assert.Contains("(results/boards.md#json) (former board) | ", MarkdownReport.Render(runs), StringComparison.Ordinal);
        Assert.Contains(" (former board); 64 connections", HtmlPage.Render(runs), StringComparison.Ordinal);
    }

    [Fact]
    public void AtARateLessProcessorTimePerRequestIsTheGain()
    {
        RunRecord run = Runs.Of(
            null, Runs.Side("stock", SideKind.Stock, Metric.CpuUsPerRequest, 40, 42), Runs.Side("ioxide", SideKind.Ours, Metric.CpuUsPerRequest, 20, 22));
        Gain gain = Assert.Single(Gain.WorstFirst(RunFolder.Choose([run])));

        Assert.Equal("server CPU time per request, us", gain.Subject);
        Assert.Equal(41.0 / 21, gain.Value, 6);
    }

    [Fact]
    public void TheTableGivesMedianRangeRatioAndVerdict()
    {
        string text = MarkdownReport.RenderDetails(RunFolder.Choose([s_run]));

        Assert.Contains(
            "| json (former board) | requests per server CPU-second | 100 (90 to 110) | 180 (170 to 190) | 1.80 | at least 1.7 | reached |", text, StringComparison.Ordinal);
    }

    [Fact]
    public void OverlappingRangesGetNoRatio()
    {
        string text = MarkdownReport.RenderDetails(RunFolder.Choose([Runs.Of(Runs.AtLeast(1.7), Runs.Stock(90, 110), Runs.Ioxide(105, 300))]));

        Assert.Contains("| no difference | at least 1.7 | missed |", text, StringComparison.Ordinal);
    }

    [Fact]
    public void ThePageIsTheSameForTheSameRunsAndTakesNothingFromOutside()
    {
        RunRecord[] runs = [s_run, s_run.At(1, 512), s_run with { Workload = "idle", Target = null, Notes = ["a <note>"] }];
        string page = HtmlPage.Render(RunFolder.Choose(runs));

        Assert.Equal(page, HtmlPage.Render(RunFolder.Choose(runs.Reverse())));
        Assert.DoesNotContain("http", page, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain("<script", page, StringComparison.OrdinalIgnoreCase);
        Assert.Contains("a &lt;note&gt;", page, StringComparison.Ordinal);
        Assert.Contains("by connections", page, StringComparison.Ordinal);
    }

    [Fact]
    public void ABarEndsAtItsMedianAndTheTargetStandsAtItsValue()
    {
        XElement drawing = XElement.Parse(BarPlot.Draw(MetricTable.Of(s_run, Metric.RequestsPerCpuSecond)!, target: 170));
        double[] widths = [.. drawing.Elements("rect").Select(static bar => (double)bar.Attribute("width")!)];
        XElement start = drawing.Elements("rect").First();
        double target = drawing.Elements("line").Where(static line => (string)line.Attribute("class")! == "target").Select(static line => (double)line.Attribute("x1")!).Single();

        Assert.Equal(1.8, widths[1] / widths[0], 2);
        Assert.Equal(1.7, (target - (double)start.Attribute("x")!) / widths[0], 2);
    }

    [Theory]
    [InlineData(190, 5, 200)]
    [InlineData(1, 6, 1)]
    [InlineData(0, 6, 1)]
    [InlineData(123456, 6, 125000)]
    public void AnAxisEndsAtARoundNumberAtOrAboveTheHighest(double highest, int mostTicks, double last)
    {
        Axis axis = Axis.Linear(highest, 0, 100);

        Assert.InRange(axis.Ticks.Count, 4, mostTicks);
        Assert.Equal(last, axis.Ticks[^1], 6);
        Assert.Equal(100, axis.Place(axis.Ticks[^1]), 6);
    }
}
