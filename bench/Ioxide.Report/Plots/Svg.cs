using System.Globalization;
using System.Net;
using System.Text;

namespace Ioxide.Report.Plots;

/// <summary>Writes one drawing. Colours come from the classes of the page.</summary>
internal sealed class Svg(double width, double height, string title)
{
    private readonly StringBuilder _shapes = new();

    internal void Line(double x1, double y1, double x2, double y2, string style)
        => Add($"<line x1=\"{x1:0.#}\" y1=\"{y1:0.#}\" x2=\"{x2:0.#}\" y2=\"{y2:0.#}\" class=\"{style}\"/>\n");

    internal void Box(double x, double y, double boxWidth, double boxHeight, string style)
        => Add($"<rect x=\"{x:0.#}\" y=\"{y:0.#}\" width=\"{Math.Max(0, boxWidth):0.#}\" height=\"{boxHeight:0.#}\" rx=\"2\" class=\"{style}\"/>\n");

    internal void Dot(double x, double y, string style) => Add($"<circle cx=\"{x:0.#}\" cy=\"{y:0.#}\" r=\"3.5\" class=\"{style}\"/>\n");

    /// <param name="anchor"><c>start</c>, <c>middle</c> or <c>end</c>.</param>
    internal void Text(double x, double y, string text, string anchor, string style = "label")
        => Add($"<text x=\"{x:0.#}\" y=\"{y:0.#}\" text-anchor=\"{anchor}\" class=\"{style}\">{WebUtility.HtmlEncode(text)}</text>\n");

    internal void Path(IEnumerable<(double X, double Y)> points, string style)
        => Add($"<polyline points=\"{string.Join(' ', points.Select(static point => string.Create(CultureInfo.InvariantCulture, $"{point.X:0.#},{point.Y:0.#}")))}\" class=\"{style}\"/>\n");

    /// <summary>A range with its ends: left to right.</summary>
    internal void Whisker(double from, double to, double y)
    {
        const double end = 4;
        Line(from, y, to, y, "whisker");
        Line(from, y - end, from, y + end, "whisker");
        Line(to, y - end, to, y + end, "whisker");
    }

    public override string ToString()
    {
        string label = WebUtility.HtmlEncode(title);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"<svg viewBox=\"0 0 {width:0.#} {height:0.#}\" role=\"img\" aria-label=\"{label}\">\n<title>{label}</title>\n{_shapes}</svg>\n");
    }

    private void Add(FormattableString shape) => _shapes.Append(shape.ToString(CultureInfo.InvariantCulture));
}
