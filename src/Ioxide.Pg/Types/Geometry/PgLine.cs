namespace Ioxide.Pg;

/// <summary>An infinite <c>line</c>: all points where A x + B y + C = 0.</summary>
/// <param name="A">Factor of x.</param>
/// <param name="B">Factor of y.</param>
/// <param name="C">The constant.</param>
public readonly record struct PgLine(double A, double B, double C)
{
    /// <summary>Returns the server's text: <c>{1,2,3}</c>.</summary>
    public override string ToString() => GeometryText.Print(this);
}
