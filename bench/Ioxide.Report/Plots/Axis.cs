using System.Globalization;

namespace Ioxide.Report.Plots;

/// <summary>Places values between two pixels, evenly or by their logarithm.</summary>
internal sealed class Axis
{
    private readonly double _first;
    private readonly double _last;
    private readonly double _from;
    private readonly double _to;
    private readonly bool _isLogarithmic;

    private Axis(double first, double last, double from, double to, bool isLogarithmic, IReadOnlyList<double> ticks)
    {
        (_first, _last, _from, _to, _isLogarithmic) = (first, last, from, to, isLogarithmic);
        Ticks = ticks;
    }

    internal IReadOnlyList<double> Ticks { get; }

    /// <summary>From 0 to a round number at or above the highest value.</summary>
    internal static Axis Linear(double highest, double from, double to)
    {
        const int mostSteps = 6;
        highest = highest > 0 ? highest : 1;
        double power = Math.Pow(10, Math.Floor(Math.Log10(highest / mostSteps)));
        double step = new[] { 1.0, 2, 2.5, 5, 10 }.Select(factor => factor * power).First(step => highest / step <= mostSteps + 0.001);
        int count = (int)Math.Ceiling((highest / step) - 0.001);
        return new Axis(0, count * step, from, to, false, [.. Enumerable.Range(0, count + 1).Select(index => index * step)]);
    }

    /// <summary>From a power of ten at or below the lowest value to one at or above the highest.</summary>
    /// <param name="lowest">Above 0.</param>
    internal static Axis Logarithmic(double lowest, double highest, double from, double to)
    {
        int first = (int)Math.Floor(Math.Log10(lowest));
        int last = Math.Max(first + 1, (int)Math.Ceiling(Math.Log10(highest)));
        double[] ticks = [.. Enumerable.Range(first, last - first + 1).Select(power => Math.Pow(10, power))];
        return new Axis(first, last, from, to, true, ticks);
    }

    internal double Place(double value)
    {
        double at = _isLogarithmic ? Math.Log10(value) : value;
        return _from + ((at - _first) / (_last - _first) * (_to - _from));
    }

    /// <summary>Microseconds as milliseconds, with two or three digits: 0.045 ms, 1.3 ms, 120 ms.</summary>
    internal static string Milliseconds(double us)
    {
        string format = us switch { >= 100_000 => "0", >= 1_000 => "0.#", >= 100 => "0.##", _ => "0.###" };
        return (us / 1_000).ToString(format, CultureInfo.InvariantCulture) + " ms";
    }

    /// <summary>Short: 1.5k, 20M.</summary>
    internal static string Label(double value)
    {
        (double divisor, string suffix) = Math.Abs(value) switch
        {
            >= 1e6 => (1e6, "M"),
            >= 1e3 => (1e3, "k"),
            _ => (1, ""),
        };
        return (value / divisor).ToString("0.##", CultureInfo.InvariantCulture) + suffix;
    }
}
