namespace Ioxide.Report;

/// <summary>The range and the middle of a few numbers.</summary>
internal readonly record struct Spread(double Minimum, double Median, double Maximum)
{
    /// <param name="values">At least one.</param>
    internal static Spread Of(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        int middle = sorted.Length / 2;
        double median = sorted.Length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(sorted[0], median, sorted[^1]);
    }

    internal bool Overlaps(Spread other) => Minimum <= other.Maximum && other.Minimum <= Maximum;
}
