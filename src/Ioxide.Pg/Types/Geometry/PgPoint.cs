namespace Ioxide.Pg;

/// <summary>A <c>point</c>.</summary>
/// <param name="X">The first coordinate.</param>
/// <param name="Y">The second coordinate.</param>
public readonly record struct PgPoint(double X, double Y)
{
    /// <summary>Returns the server's text: <c>(1,2)</c>.</summary>
    public override string ToString() => GeometryText.Print(this);
}
