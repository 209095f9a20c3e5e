using System.Text;

namespace Ioxide.Soak;

/// <summary>Draws a run as SVG: throughput, latency, memory, descriptors, connections and operations over the minutes.</summary>
internal static class Plot
{
    private const double Mebibyte = 1024 * 1024;
    private const int FooterHeight = 30;

    internal static string Draw(IReadOnlyList<Sample> samples, TimeSpan warmUp, string caption)
    {
        Sample[] seconds = [.. samples.Where(sample => !sample.IsQuiet)];
        Sample[] loaded = [.. seconds.Where(sample => !sample.IsResting)];
        Sample[] quiet = [.. samples.Where(sample => sample.IsQuiet)];
        Sample[] timed = [.. loaded.Where(sample => sample.P99Ms is not null)];
        Sample[] timedOfPackages = [.. loaded.Where(sample => sample.PackagesP99Ms is not null)];
        PlotPanel[] panels =
        [
            new("requests a second", Line("all loads", "#1f6fb4", loaded, sample => sample.Requests)),
            new(
                "p99 of each second, milliseconds",
                Line("small requests", "#b4561f", timed, sample => sample.P99Ms!.Value),
                Line("TLS, files, rows, through", "#2b8a8a", timedOfPackages, sample => sample.PackagesP99Ms!.Value)),
            new(
                "memory of the server, MiB",
                Line("RSS", "#8f7cc8", seconds, sample => sample.ResidentBytes / Mebibyte),
                Dots("RSS at rest", "#3a2373", quiet, sample => sample.ResidentBytes / Mebibyte),
                Dots("pools at rest", "#b59a1a", quiet, sample => sample.Stats.PooledBytes / Mebibyte),
                Line("managed heap", "#7cbf8a", seconds, sample => sample.Stats.ManagedBytes / Mebibyte),
                Dots("heap at rest", "#1d5f2c", quiet, sample => sample.Stats.ManagedBytes / Mebibyte)),
            new(
                "open at the server",
                Line("descriptors", "#d0798c", seconds, sample => sample.Descriptors),
                Dots("descriptors at rest", "#6e1226", quiet, sample => sample.Descriptors),
                Line("connections", "#2b8a8a", seconds, sample => sample.Stats.Connections)),
            new(
                "in flight at the server",
                Line("operations", "#4a6fa5", seconds, sample => sample.Stats.Operations),
                Dots("operations at rest", "#152a4a", quiet, sample => sample.Stats.Operations)),
        ];
        double minutes = Math.Max(samples.Count > 0 ? samples[^1].Minutes : 0, 0.1);
        StringBuilder svg = new();
        int height = (panels.Length * PlotPanel.Height) + FooterHeight;
        Append(svg, $"<svg xmlns='http://www.w3.org/2000/svg' width='{PlotPanel.Width}' height='{height}'>");
        Append(svg, $"<style>text {{ font: 12px sans-serif }} .title {{ font-weight: bold }} .grid {{ stroke: #ddd }}</style>");
        Append(svg, $"<rect width='100%' height='100%' fill='white'/>");
        for (int i = 0; i < panels.Length; i++)
        {
            panels[i].Draw(svg, i * PlotPanel.Height, minutes, warmUp.TotalMinutes);
        }

        string footer = $"minutes; shaded: warm-up. {caption}";
        Append(svg, $"<text x='{PlotPanel.Width / 2}' y='{height - 10}' text-anchor='middle'>{footer}</text>");
        Append(svg, $"</svg>");
        return svg.ToString();
    }

    /// <summary>One line of the file. Attributes are written with apostrophes, which XML takes as it takes quotes.</summary>
    internal static void Append(StringBuilder svg, string line) => svg.Append(line).Append('\n');

    private static PlotSeries Line(string name, string colour, Sample[] samples, Func<Sample, double> value)
        => new(name, colour, [.. samples.Select(sample => (sample.Minutes, value(sample)))]);

    private static PlotSeries Dots(string name, string colour, Sample[] samples, Func<Sample, double> value)
        => Line(name, colour, samples, value) with { IsDots = true };
}
