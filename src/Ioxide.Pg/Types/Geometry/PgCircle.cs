namespace Ioxide.Pg;

/// <summary>A <c>circle</c>.</summary>
/// <param name="Center">Its centre.</param>
/// <param name="Radius">Its radius, not negative.</param>
public readonly record struct PgCircle(PgPoint Center, double Radius)
{
    /// <summary>Returns the server's text: <c>&lt;(1,2),3&gt;</c>.</summary>
    public override string ToString() => GeometryText.Print(this);
}
