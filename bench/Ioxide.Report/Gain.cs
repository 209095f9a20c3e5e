using System.Globalization;

namespace Ioxide.Report;

/// <summary>What a reader gains in one workload: the whole of Ioxide against the best stock side that was run, turned so that more is better.</summary>
/// <param name="Value">Median by median: 2 is twice the work for the same processor time, or half the latency or memory.</param>
/// <param name="Low">The worst round of Ioxide against stock's median.</param>
/// <param name="High">The best one.</param>
/// <param name="IsNoDifference">The ranges of both sides overlap: then <paramref name="Value"/> tells nothing.</param>
internal sealed record Gain(TargetCheck Check, double Value, double Low, double High, bool IsNoDifference)
{
    /// <summary>The ratio that counts: 1 without a difference.</summary>
    internal double Counted => IsNoDifference ? 1 : Value;

    /// <summary>Stock ran inline too.</summary>
    internal bool IsOfInline => Check.Run.Sides.Any(static side => side.IsInline);

    internal string Title => WorkloadTitles.Of(Check.Run.Workload);

    /// <summary>What is compared, without the word for the unit's form.</summary>
    internal string Subject => Check.Table!.Metric.Title;

    /// <summary>Short: 2.2x, or that there is none.</summary>
    internal string Text => IsNoDifference ? "no difference" : Times(Value);

    internal string RangeText => $"{Times(Low)} to {Times(High)}";

    /// <summary>Null where one of both sides was not measured.</summary>
    internal static Gain? Of(TargetCheck check)
    {
        if (check.Ratio is not double ratio || ratio <= 0)
        {
            return null;
        }

        double stock = check.Table!.Best!.Spread.Median;
        Spread ours = check.Ours!.Spread;
        return check.Table.Metric.Direction == MetricDirection.LessIsBetter
            ? new Gain(check, 1 / ratio, stock / ours.Maximum, stock / ours.Minimum, check.IsNoDifference)
            : new Gain(check, ratio, ours.Minimum / stock, ours.Maximum / stock, check.IsNoDifference);
    }

    /// <summary>The worst first; what shows no difference before what gains.</summary>
    internal static IReadOnlyList<Gain> WorstFirst(IEnumerable<WorkloadRuns> workloads)
        =>
        [
            .. workloads.Select(static workload => Of(TargetCheck.Of(workload.Latest))).OfType<Gain>()
                .OrderBy(static gain => gain.Counted).ThenBy(static gain => gain.Value).ThenBy(static gain => gain.Check.Run.Workload, StringComparer.Ordinal),
        ];

    /// <summary>All gains in two sentences.</summary>
    /// <param name="gains">At least one.</param>
    internal static string Headline(IReadOnlyList<Gain> gains)
    {
        Gain[] better = [.. gains.Where(static gain => gain.Counted > 1)];
        int same = gains.Count(static gain => gain.IsNoDifference);
        int worse = gains.Count - better.Length - same;
        string what = better.Length == 0
            ? $"None of {gains.Count} workloads shows a gain over stock Kestrel."
            : $"{better.Length} of {gains.Count} workloads gain {Times(better.Min(static gain => gain.Value))} to "
                + $"{Times(better.Max(static gain => gain.Value))} over stock Kestrel, half of them {Times(Median(better))} or more.";
        string rest = worse == 0 ? "none is worse" : $"{worse} {(worse == 1 ? "is" : "are")} worse";
        int inline = gains.Count(static gain => gain.IsOfInline);
        return $"{what} {same} {(same == 1 ? "shows" : "show")} no difference, {rest}. "
            + (inline == 0 ? "Stock is Kestrel as it ships."
                : $"Stock is Kestrel as it ships; in {inline} of them its unsafe inline scheduling ran too, and the better of both counts.");
    }

    private static double Median(Gain[] gains) => Spread.Of(gains.Select(static gain => gain.Value)).Median;

    private static string Times(double value) => value.ToString(value < 10 ? "0.00" : "0.0", CultureInfo.InvariantCulture) + "x";
}
