namespace Ioxide.Soak;

/// <summary>One line, or one set of dots, of a panel.</summary>
/// <param name="Name">In the legend.</param>
/// <param name="Colour">As SVG names it.</param>
/// <param name="Points">Minutes and values, by time.</param>
/// <param name="IsDots">Dots instead of a line.</param>
internal sealed record PlotSeries(string Name, string Colour, IReadOnlyList<(double X, double Y)> Points, bool IsDots = false);
