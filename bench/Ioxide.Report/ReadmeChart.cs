using System.Globalization;
using System.Net;
using System.Text;

namespace Ioxide.Report;

/// <summary>
/// The picture of README.md: work for the same processor time against the best stock side. One file for each colour scheme, because an image in
/// a README cannot ask for the reader's.
/// </summary>
internal static class ReadmeChart
{
    private const double Width = 760;
    private const double Left = 234;
    private const double Right = 160;
    private const double Top = 84;
    private const double RowHeight = 32;
    private const double BarHeight = 16;
    private const double Foot = 62;

    /// <summary>Everyday work, with what gains little among it.</summary>
    private static readonly string[] s_workloads =
        ["upload", "async-db", "static", "crud", "echo-websocket", "baseline", "limited-conn", "json-tls", "sse", "json"];

    internal static readonly Palette Light = new("#1d2326", "#5d686e", "#e2e5e4", "#0f8a7e", "#b3bcc1");
    internal static readonly Palette Dark = new("#e6eaea", "#98a4a9", "#2c3438", "#2bb3a3", "#56626a");

    internal static string Render(IReadOnlyList<WorkloadRuns> workloads, Palette palette)
    {
        Gain[] gains = [.. Gain.WorstFirst(workloads).Where(static gain => s_workloads.Contains(gain.Check.Run.Workload)).Reverse()];
        double bottom = Top + (gains.Length * RowHeight);
        double height = bottom + Foot;
        var svg = new StringBuilder();
        svg.Append(Invariant($"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{Width}\" height=\"{height}\" viewBox=\"0 0 {Width} {height}\" role=\"img\""));
        svg.Append(" font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\">\n");
        svg.Append("<title>Work per second of processor time, against stock Kestrel</title>\n");
        Text(svg, 0, 22, "Work per second of processor time", "start", 19, palette.Text, "bold");
        Text(svg, 0, 46, "Times that of stock Kestrel. Bars: medians. Lines: lowest to highest round.", "start", 14, palette.Soft);
        double most = Math.Ceiling(gains.Select(static gain => gain.High).DefaultIfEmpty(1).Max());
        double Place(double value) => Left + (value / most * (Width - Left - Right));
        for (double tick = 0; tick <= most; tick++)
        {
            bool isStock = tick == 1;
            svg.Append(Invariant($"<path d=\"M{Place(tick):0.#} {Top - 8}V{bottom}\" stroke=\"{(isStock ? palette.Soft : palette.Grid)}\" stroke-width=\"{(isStock ? 1.5 : 1)}\"/>\n"));
            Text(svg, Place(tick), bottom + 20, isStock ? "stock" : Invariant($"{tick}x"), "middle", 13, palette.Soft);
        }

        for (int index = 0; index < gains.Length; index++)
        {
            Row(svg, gains[index], Top + ((index + 0.5) * RowHeight), Place, palette);
        }

        if (gains.Length > 0)
        {
            Text(svg, 0, bottom + 48, Where(gains), "start", 13, palette.Soft);
        }

        return svg.Append("</svg>\n").ToString();
    }

    private static void Row(StringBuilder svg, Gain gain, double middle, Func<double, double> place, Palette palette)
    {
        Text(svg, Left - 14, middle + 5, gain.Title, "end", 15, palette.Text);
        string fill = gain.IsNoDifference ? palette.None : palette.Ours;
        svg.Append(Invariant($"<rect x=\"{Left}\" y=\"{middle - (BarHeight / 2):0.#}\" width=\"{place(gain.Value) - Left:0.#}\" height=\"{BarHeight}\" rx=\"2\" fill=\"{fill}\"/>\n"));
        svg.Append(Invariant($"<path d=\"M{place(gain.Low):0.#} {middle}H{place(gain.High):0.#}M{place(gain.Low):0.#} {middle - 4}v8M{place(gain.High):0.#} {middle - 4}v8\" "));
        svg.Append(Invariant($"stroke=\"{palette.Text}\" stroke-width=\"1.3\" fill=\"none\"/>\n"));
        string weight = gain.IsNoDifference ? "normal" : "bold";
        double end = place(gain.High) + 10;
        if (gain.IsNoDifference)
        {
            Text(svg, end, middle + 5, gain.Text, "start", 14, palette.Soft, weight);
            return;
        }

        // The ratio in full, its range smaller beside it.
        svg.Append(Invariant($"<text x=\"{end:0.#}\" y=\"{middle + 5:0.#}\" font-size=\"15\" fill=\"{palette.Text}\"><tspan font-weight=\"bold\">{gain.Text}</tspan>"));
        svg.Append(Invariant($"<tspan dx=\"7\" font-size=\"12\" fill=\"{palette.Soft}\">{gain.RangeText}</tspan></text>\n"));
    }

    private static string Where(Gain[] gains)
    {
        RunRecord[] runs = [.. gains.Select(static gain => gain.Check.Run)];
        string[] days = [.. runs.Select(static run => run.Started.UtcDateTime.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture)).Distinct().Order(StringComparer.Ordinal)];
        MachineRecord machine = runs[0].Machine;
        return $"Server on one CPU ({machine.Cpu}), {machine.Runtime}, {days[0]}{(days.Length > 1 ? $" to {days[^1]}" : "")}. All rows: bench/RESULTS.md";
    }

    private static void Text(StringBuilder svg, double x, double y, string text, string anchor, int size, string fill, string weight = "normal")
        => svg.Append(Invariant($"<text x=\"{x:0.#}\" y=\"{y:0.#}\" text-anchor=\"{anchor}\" font-size=\"{size}\" font-weight=\"{weight}\" fill=\"{fill}\">{WebUtility.HtmlEncode(text)}</text>\n"));

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    /// <summary>The colours of one scheme.</summary>
    internal sealed record Palette(string Text, string Soft, string Grid, string Ours, string None);
}
