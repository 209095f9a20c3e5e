using System.Globalization;
using Ioxide.PgBench.Turns;

namespace Ioxide.PgBench.Comparing;

/// <summary>The table that <c>bench/RESULTS.md</c> keeps.</summary>
/// <remarks>A ratio is another side's CPU time over the first side's, of each round by itself: minimum, median and maximum.</remarks>
internal static class ResultTable
{
    internal static void PrintHead(TextWriter writer)
    {
        writer.WriteLine(
            "| work | side | client CPU a query, us: min / median / max | side / first side: min / **median** / max | queries per second "
            + "| allocated bytes a query | server CPU a query, us | call p50, us | call p99, us |");
        writer.WriteLine("|---|---|---|---|---|---|---|---|---|");
    }

    internal static void Print(TextWriter writer, BenchWorkload workload, IReadOnlyList<TurnResult> results)
    {
        List<List<TurnResult>> sides = [.. results.GroupBy(static result => result.Side).Select(static group => group.ToList())];
        foreach (List<TurnResult> side in sides)
        {
            string cpu = Range([.. side.Select(static turn => turn.CpuUs)]);
            string ratio = side == sides[0] || side[0].Side == workload.Sides[0] || sides[0][0].Side != workload.Sides[0]
                ? ""
                : Ratio(side, sides[0]);
            writer.WriteLine(
                $"| {workload.Title} | {side[0].Side} | {cpu} | {ratio} | {Median(side, static turn => turn.PerSecond)} "
                + $"| {Median(side, static turn => turn.AllocatedBytes)} | {Median(side, static turn => turn.ServerCpuUs)} "
                + $"| {Median(side, static turn => turn.P50Us)} | {Median(side, static turn => turn.P99Us)} |");
        }
    }

    private static string Ratio(List<TurnResult> side, List<TurnResult> first)
    {
        double[] ratios = [.. side.Zip(first, static (other, own) => other.CpuUs / own.CpuUs).Order()];
        return FormattableString.Invariant($"{ratios[0]:0.00} / **{MedianOf(ratios):0.00}** / {ratios[^1]:0.00}");
    }

    private static string Range(double[] values)
    {
        Array.Sort(values);
        return $"{Text(values[0])} / {Text(MedianOf(values))} / {Text(values[^1])}";
    }

    private static string Median(List<TurnResult> side, Func<TurnResult, double?> value)
    {
        double[] known = [.. side.Select(value).OfType<double>().Order()];
        return known.Length == 0 ? "" : Text(MedianOf(known));
    }

    /// <param name="ordered">At least one.</param>
    private static double MedianOf(double[] ordered) => (ordered[(ordered.Length - 1) / 2] + ordered[ordered.Length / 2]) / 2;

    private static string Text(double value) => value.ToString(value < 100 ? "0.00" : "N0", CultureInfo.InvariantCulture);
}
