using System.Globalization;
using System.Net;
using System.Text;

namespace Ioxide.Report.Plots;

/// <summary>All gains at a glance: a list whose words stay words, so that they are as large on a phone as on a desk, with a bar each.</summary>
internal static class GainList
{
    private const double Width = 100;
    private const double Height = 10;
    private const double BarTop = 2;
    private const double Middle = 5;
    private const double Stock = 1;

    /// <param name="gains">At least one.</param>
    internal static string Draw(IReadOnlyList<Gain> gains)
    {
        double most = Math.Ceiling(gains.Max(static gain => gain.High));
        var list = new StringBuilder();
        AppendScale(list, most);
        list.Append("<ul class=\"gains\">\n");
        foreach (Gain gain in gains)
        {
            string subject = gain.Subject.EndsWith("per server CPU-second", StringComparison.Ordinal)
                ? "" : $"<span class=\"what\">{WebUtility.HtmlEncode(gain.Subject)}</span>";
            list.Append($"<li><a href=\"#{WebUtility.HtmlEncode(gain.Check.Run.Workload)}\"><span><span class=\"name\">{WebUtility.HtmlEncode(gain.Title)}</span>{subject}</span>");
            list.Append(Bar(gain, most));
            list.Append(gain.IsNoDifference ? $"<span>{gain.Text}</span>" : $"<span><b>{gain.Text}</b><span class=\"spread\">{gain.RangeText}</span></span>");
            list.Append("</a></li>\n");
        }

        return list.Append("</ul>\n").ToString();
    }

    /// <summary>The scale that all bars share; its first label says what 1.0 is.</summary>
    private static void AppendScale(StringBuilder list, double most)
    {
        list.Append("<div class=\"scale\" aria-hidden=\"true\"><span></span><span class=\"ticks\">");
        for (int value = 1; value <= most; value++)
        {
            string label = value == 1 ? "1.0 is stock" : $"{value}.0";
            list.Append(CultureInfo.InvariantCulture, $"<span style=\"left: {value / most * Width:0.##}%\">{label}</span>");
        }

        list.Append("</span><span></span></div>\n");
    }

    private static string Bar(Gain gain, double most)
    {
        double Place(double value) => value / most * Width;
        string style = gain.Counted > 1 ? "ours" : "none";
        return string.Create(
            CultureInfo.InvariantCulture,
            $"<svg viewBox=\"0 0 {Width} {Height}\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect x=\"0\" y=\"{BarTop}\" width=\"{Place(gain.Value):0.##}\" height=\"{Height - (2 * BarTop)}\" class=\"bar {style}\"/><path d=\"M{Place(gain.Low):0.##} {Middle}H{Place(gain.High):0.##}\" class=\"whisker\"/><path d=\"M{Place(Stock):0.##} 0V{Height}\" class=\"one\"/></svg>");
    }
}
