using System.Text;

namespace Ioxide.Soak;

/// <summary>One diagram over time: a title with its unit, an axis from 0, some series.</summary>
internal sealed class PlotPanel(string title, params PlotSeries[] series)
{
    internal const int Width = 960;
    internal const int Height = 190;
    private const int Left = 70;
    private const int Right = 20;
    private const int Top = 34;
    private const int Bottom = 24;
    private const int MaxTickCount = 5;
    private const int MaxPointCount = 800;

    private static readonly int[] s_steps = [1, 2, 5, 10];

    /// <summary>Draws it with its upper edge at <paramref name="y"/>.</summary>
    /// <param name="svg">What is drawn into.</param>
    /// <param name="y">Pixels from the top.</param>
    /// <param name="minutes">The end of the time axis.</param>
    /// <param name="warmUpMinutes">The part that is shaded.</param>
    internal void Draw(StringBuilder svg, int y, double minutes, double warmUpMinutes)
    {
        double highest = series.SelectMany(one => one.Points).Select(point => point.Y).DefaultIfEmpty(0).Max();
        double step = NiceStep(Math.Max(highest, 1e-6) / MaxTickCount);
        double top = Math.Max(step, Math.Ceiling(highest / step) * step);
        double plotWidth = Width - Left - Right;
        double plotHeight = Height - Top - Bottom;
        double X(double at) => Left + (at / minutes * plotWidth);
        double Y(double value) => y + Top + plotHeight - (value / top * plotHeight);

        Plot.Append(svg, $"<text x='{Left}' y='{y + 20}' class='title'>{title}</text>");
        double warmUpWidth = X(warmUpMinutes) - Left;
        Plot.Append(svg, $"<rect x='{Left}' y='{y + Top}' width='{warmUpWidth:F1}' height='{plotHeight}' fill='#f2f2ee'/>");
        for (double value = 0; value <= top * 1.0001; value += step)
        {
            Plot.Append(svg, $"<line x1='{Left}' y1='{Y(value):F1}' x2='{Width - Right}' y2='{Y(value):F1}' class='grid'/>");
            Plot.Append(svg, $"<text x='{Left - 6}' y='{Y(value) + 4:F1}' text-anchor='end'>{value:#,##0.###}</text>");
        }

        double minuteStep = NiceStep(minutes / 10);
        for (double at = 0; at <= minutes * 1.0001; at += minuteStep)
        {
            Plot.Append(svg, $"<text x='{X(at):F1}' y='{y + Height - 8}' text-anchor='middle'>{at:0.##}</text>");
        }

        int legendX = Width - Right;
        foreach (PlotSeries one in series.Reverse())
        {
            string mark = one.IsDots ? "&#9679;" : "&#8212;";
            Plot.Append(svg, $"<text x='{legendX}' y='{y + 20}' text-anchor='end' fill='{one.Colour}'>{mark} {one.Name}</text>");
            legendX -= 34 + (7 * one.Name.Length);
        }

        foreach (PlotSeries one in series)
        {
            DrawSeries(svg, one, X, Y);
        }
    }

    private static void DrawSeries(StringBuilder svg, PlotSeries one, Func<double, double> x, Func<double, double> y)
    {
        if (one.IsDots)
        {
            foreach ((double at, double value) in one.Points)
            {
                Plot.Append(svg, $"<circle cx='{x(at):F1}' cy='{y(value):F1}' r='2.5' fill='{one.Colour}'/>");
            }

            return;
        }

        string path = string.Join(' ', Thin(one.Points).Select(point => $"{x(point.X):F1},{y(point.Y):F1}"));
        Plot.Append(svg, $"<polyline points='{path}' fill='none' stroke='{one.Colour}' stroke-width='1.2'/>");
    }

    /// <summary>No more points than can be told apart: each is the highest of its neighbours, so that no peak is lost.</summary>
    private static IEnumerable<(double X, double Y)> Thin(IReadOnlyList<(double X, double Y)> points)
    {
        int together = Math.Max(1, (points.Count + MaxPointCount - 1) / MaxPointCount);
        return points.Chunk(together).Select(chunk => chunk.MaxBy(point => point.Y));
    }

    /// <summary>The next of 1, 2, 5 times a power of ten.</summary>
    private static double NiceStep(double least)
    {
        double power = Math.Pow(10, Math.Floor(Math.Log10(least)));
        return power * s_steps.First(factor => factor * power >= least * 0.9999);
    }
}
