namespace Ioxide.Soak;

/// <summary>The line of least squares through some points.</summary>
/// <param name="Slope">What is added a unit of x.</param>
/// <param name="SlopeError">Its standard error; not a number below three points.</param>
internal readonly record struct LinearFit(double Slope, double SlopeError)
{
    /// <summary>Fits it; the slope is 0 below two points.</summary>
    internal static LinearFit Of(IReadOnlyCollection<(double X, double Y)> points)
    {
        if (points.Count < 2)
        {
            return new(0, double.NaN);
        }

        double meanX = points.Average(point => point.X);
        double meanY = points.Average(point => point.Y);
        double spread = points.Sum(point => (point.X - meanX) * (point.X - meanX));
        double slope = points.Sum(point => (point.X - meanX) * (point.Y - meanY)) / spread;
        double residue = points.Sum(point => Math.Pow(point.Y - meanY - (slope * (point.X - meanX)), 2));
        return new(slope, Math.Sqrt(residue / (points.Count - 2) / spread));
    }
}
