using Ioxide.Report;

namespace Ioxide.Bench.Tests;

/// <summary>The report's arithmetic over invented rounds: spreads, what counts, ratios, and verdicts against targets.</summary>
public class ArithmeticTests
{
    [Theory]
    [InlineData(new double[] { 3, 1, 2 }, 1, 2, 3)]
    [InlineData(new double[] { 4, 1, 2, 3 }, 1, 2.5, 4)]
    [InlineData(new double[] { 5 }, 5, 5, 5)]
    public void ASpreadIsTheLowestTheMiddleAndTheHighest(double[] values, double minimum, double median, double maximum)
        => Assert.Equal(new Spread(minimum, median, maximum), Spread.Of(values));

    [Fact]
    public void RangesThatTouchOverlap()
    {
        Assert.True(new Spread(1, 2, 3).Overlaps(new Spread(3, 4, 5)));
        Assert.True(new Spread(3, 4, 5).Overlaps(new Spread(1, 2, 3)));
        Assert.True(new Spread(1, 5, 9).Overlaps(new Spread(4, 5, 6)));
        Assert.False(new Spread(1, 2, 3).Overlaps(new Spread(3.1, 4, 5)));
    }

    [Fact]
    public void RefusedAndWithheldRoundsDoNotCount()
    {
        SideRecord side = Runs.Stock(100, 200);
        side.Rounds.Add(Runs.Round(3, Metric.RequestsPerCpuSecond, 900) with { Refused = "an error" });
        side.Rounds.Add(Runs.Round(4, Metric.RequestsPerCpuSecond, null) with { Withheld = "the load was the limit" });

        Assert.Equal([100, 200], side.Values(Metric.RequestsPerCpuSecond));
        Assert.True(side.HasRefusedRounds);
    }

    [Fact]
    public void TheRatioIsToTheStockSideThatIsBestForTheMetric()
    {
        SideRecord faster = Runs.Side("stock-inline", SideKind.Stock, Metric.RequestsPerCpuSecond, 120);
        SideRecord limit = Runs.Side("nginx", SideKind.Limit, Metric.RequestsPerCpuSecond, 999);
        MetricTable more = MetricTable.Of(Runs.Of(null, Runs.Stock(100), faster, limit, Runs.Ioxide(240)), Metric.RequestsPerCpuSecond)!;
        MetricTable less = MetricTable.Of(
            Runs.Of(
                null,
                Runs.Side("stock", SideKind.Stock, Metric.P99Us, 50),
                Runs.Side("stock-inline", SideKind.Stock, Metric.P99Us, 80),
                Runs.Side("ioxide", SideKind.Ours, Metric.P99Us, 25)),
            Metric.P99Us)!;

        Assert.Equal(("stock-inline", 2.0), (more.Best!.Side.Name, more.Ratio(more.Row("ioxide")!)));
        Assert.Equal(("stock", 0.5), (less.Best!.Side.Name, less.Ratio(less.Row("ioxide")!)));
    }

    [Theory]
    [InlineData(new double[] { 170, 180, 190 }, nameof(Verdict.Reached))]
    [InlineData(new double[] { 160, 165, 169 }, nameof(Verdict.Missed))]
    [InlineData(new double[] { 109, 300, 400 }, nameof(Verdict.Missed))] // The lowest round lies in stock's range.
    public void ATargetIsReachedByMediansWhoseRangesAreApart(double[] ours, string expected)
        => Assert.Equal(expected, TargetCheck.Of(Runs.Of(Runs.AtLeast(1.7), Runs.Stock(90, 100, 110), Runs.Ioxide(ours))).Verdict.ToString());

    [Theory]
    [InlineData(new double[] { 40, 45, 49 }, nameof(Verdict.Reached))]
    [InlineData(new double[] { 55, 58, 61 }, nameof(Verdict.Reached))] // No difference: not more than stock's.
    [InlineData(new double[] { 61, 62, 63 }, nameof(Verdict.Missed))]
    public void ALatencyThatIsToBeNoHigherMayOverlap(double[] ours, string expected)
    {
        RunRecord run = Runs.Of(
            new TargetRecord(Metric.P99Us.Key, 1),
            Runs.Side("stock", SideKind.Stock, Metric.P99Us, 50, 55, 60),
            Runs.Side("ioxide", SideKind.Ours, Metric.P99Us, ours));

        Assert.Equal(expected, TargetCheck.Of(run).Verdict.ToString());
    }

    [Fact]
    public void ARefusedRoundOrAMissingSideIsNotMeasured()
    {
        SideRecord spoilt = Runs.Ioxide(300);
        spoilt.Rounds.Add(new RoundRecord(2, new Dictionary<string, double?>(), Refused: "a wrong answer"));

        Assert.Equal(Verdict.NotMeasured, TargetCheck.Of(Runs.Of(Runs.AtLeast(1.7), Runs.Stock(100), spoilt)).Verdict);
        Assert.Equal(Verdict.NotMeasured, TargetCheck.Of(Runs.Of(Runs.AtLeast(1.7), Runs.Stock(100))).Verdict);
        Assert.Equal(Verdict.NotMeasured, TargetCheck.Of(Runs.Of(Runs.AtLeast(1.7), Runs.Ioxide(100))).Verdict);
        Assert.Equal(Verdict.None, TargetCheck.Of(Runs.Of(null, Runs.Stock(100), Runs.Ioxide(300))).Verdict);
    }
}
